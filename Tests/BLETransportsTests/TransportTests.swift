import BLECore
import BLEHCI
import BLETransports
import BLEWire
import Foundation
import Glibc
import Testing

@Suite("Transports", .timeLimit(.minutes(10)))
struct TransportTests {
  private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private static let resetComplete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  @Test("a host reaches a controller over TCP, and one host after the other is served")
  func tcp() async throws {
    let rig = Rig()
    let port = try await rig.serve()
    for round in 1...3 {
      await rig.run { $0.makeHost(.tcpClient(host: "localhost", port: port)) }
      await rig.until { $0.readyCount == round }
      await rig.run { $0.host?.stop() }
      await rig.until { $0.filter { if case .server(.clientDisconnected) = $0 { true } else { false } }.count == round }
    }
    await rig.tearDown()
  }

  @Test("X4 a second client is refused during the first, which is not affected")
  func oneClient() async throws {
    let rig = Rig()
    let port = try await rig.serve()
    let first = try #require(RawEnd.connect(port: port))
    await rig.until { $0.contains(.server(.clientConnected)) }
    let second = try #require(RawEnd.connect(port: port))
    #expect(await second.receive(1) == [])
    first.send(Self.reset)
    #expect(await first.receive(7) == Self.resetComplete)
    first.close()
    second.close()
    await rig.tearDown()
  }

  @Test(
    "H3: a client that does not use H4 is disconnected, and the next is served",
    arguments: [0x00, 0x04, 0x7F] as [UInt8])
  func noise(_ octet: UInt8) async throws {
    let rig = Rig()
    let port = try await rig.serve()
    let noisy = try #require(RawEnd.connect(port: port))
    noisy.send([octet] + [UInt8](repeating: 0x55, count: 100))
    #expect(await noisy.receive(1) == [])
    noisy.close()
    let polite = try #require(RawEnd.connect(port: port))
    for octet in Self.reset { polite.send([octet]) }
    #expect(await polite.receive(7) == Self.resetComplete)
    polite.close()
    await rig.tearDown()
  }

  @Test("X4 a host on a Unix socket is ready; the socket is its owner's only, and is removed afterwards")
  func unix() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hci")
    let rig = Rig()
    try await rig.run { rig in Result { try rig.makeServer(.unix(path: path)) } }.get()
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    await rig.run { $0.makeHost(.unixClient(path: path)) }
    await rig.until { $0.readyCount == 1 }
    await rig.tearDown()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a socket file of a dead process is replaced; one in use, and any other file, is left unchanged")
  func staleSocket() async throws {
    let folder = try TemporaryFolder()
    let stale = folder.path("stale")
    leaveSocket(at: stale)
    let rig = Rig()
    try await rig.run { rig in Result { try rig.makeServer(.unix(path: stale)) } }.get()
    let other = Rig()
    let second = await other.run { rig in Result { try rig.makeServer(.unix(path: stale)) } }
    #expect(throws: TransportError.self) { try second.get() }
    await rig.run { $0.makeHost(.unixClient(path: stale)) }
    await rig.until { $0.readyCount == 1 }

    let file = folder.path("file")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
    let third = await other.run { rig in Result { try rig.makeServer(.unix(path: file)) } }
    #expect { try third.get() } throws: { ($0 as? TransportError)?.kind == .notPermitted }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    await rig.tearDown()
  }

  /// The files of a process that died while it listened.
  private func leaveSocket(at path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    close(descriptor)
  }

  @Test("the death of the controller is reported, and the host works again when the controller does")
  func death() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hci")
    let rig = Rig()
    try await rig.run { rig in Result { try rig.makeServer(.unix(path: path)) } }.get()
    await rig.run { $0.makeHost(.unixClient(path: path), tries: 1_000) }
    await rig.until { $0.readyCount == 1 }
    await rig.run { $0.server?.stop() }
    await rig.until { happened in
      happened.contains {
        if case .state(.resetting(.transport(let error))) = $0 { error.kind == .closed } else { false }
      }
    }
    try await rig.run { rig in Result { try rig.makeServer(.unix(path: path)) } }.get()
    await rig.until { $0.readyCount == 2 }
    await rig.tearDown()
  }

  @Test("without a listener the error says so")
  func missingListener() async throws {
    let folder = try TemporaryFolder()
    let rig = Rig()
    let path = folder.path("nobody")
    await rig.run { $0.makeHost(.unixClient(path: path)) }
    await rig.until { $0.failure != nil }
    let error = try #require(await rig.run { $0.happened.failure })
    #expect(error.kind == .unreachable)
    #expect(error.description.contains(path) && error.description.contains("start the controller"))
    await rig.tearDown()
  }

  @Test("a host that waits as a server is ready when its controller connects, and accepts no second one")
  func tcpServer() async throws {
    let rig = Rig()
    try await rig.run { rig in
      Result { try rig.makeTransport(.tcpServer(host: "_", port: 0, allowsRemote: false)) }
    }.get()
    #expect(await rig.run { $0.transport?.isReady } == false)
    let port = try #require(await rig.run { $0.transport?.port })
    let end = try #require(RawEnd.connect(port: port))
    await rig.until { $0.contains(.ready) }
    await rig.run { $0.transport?.send(HCIPacket(HCIReset())) }
    #expect(await end.receive(4) == Self.reset)
    let second = try #require(RawEnd.connect(port: port))
    #expect(await second.receive(1) == [])
    end.send(Array(Self.resetComplete.prefix(3)))
    end.send(Array(Self.resetComplete.dropFirst(3)) + Self.resetComplete)
    await rig.until { $0.packets.count == 2 }
    #expect(
      await rig.run { $0.happened.packets[1] } == HCIPacket(kind: .event, octets: Array(Self.resetComplete.dropFirst()))
    )
    end.send([0xEE])
    await rig.until { $0.failure?.kind == .malformed }
    end.close()
    second.close()
    await rig.tearDown()
  }

  @Test("a host that waits at a Unix socket works too")
  func unixServer() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hci")
    let rig = Rig()
    try await rig.run { rig in Result { try rig.makeTransport(.unixServer(path: path)) } }.get()
    let other = Rig()
    try await other.run { rig in Result { try rig.makeTransport(.unixClient(path: path)) } }.get()
    await rig.until { $0.contains(.ready) }
    await other.until { $0.contains(.ready) }
    await other.tearDown()
    await rig.until { $0.failure?.kind == .closed }
    await rig.tearDown()
  }

  @Test("X4 a server listens on this machine only, unless configured otherwise")
  func exposure() async throws {
    let rig = Rig()
    for host in ["0.0.0.0", "::"] {
      let result = await rig.run { rig in
        Result { try rig.makeServer(.tcp(host: host, port: 0, allowsRemote: false)) }
      }
      #expect { try result.get() } throws: { ($0 as? TransportError)?.kind == .notPermitted }
    }
    let name = await rig.run { rig in
      Result { try rig.makeServer(.tcp(host: "example.invalid", port: 0, allowsRemote: true)) }
    }
    #expect { try name.get() } throws: { ($0 as? TransportError)?.kind == .invalidName }
    await rig.tearDown()
  }

  @Test("a port in use is reported")
  func takenPort() async throws {
    let rig = Rig()
    let port = try await rig.serve()
    let other = Rig()
    let result = await other.run { rig in
      Result { try rig.makeServer(.tcp(host: "127.0.0.1", port: port, allowsRemote: false)) }
    }
    #expect { try result.get() } throws: { "\($0)".contains("listens there already") }
    await rig.tearDown()
  }

  @Test("an end that stops reading is disconnected, and its pending data is bounded")
  func slowReader() async throws {
    let rig = Rig()
    let end = try await rig.waitForEnd()
    await rig.run { rig in
      let packet = HCIPacket(
        HCIACLPacket(
          connectionHandle: ConnectionHandle(1), boundary: .firstNonFlushable,
          payload: ArraySlice(repeating: 0, count: 60_000)))
      for _ in 0..<1_000 { rig.transport?.send(packet) }
    }
    await rig.until { $0.failure?.kind == .closed }
    end.close()
    await rig.tearDown()
  }

  @Test("data beyond the capacity of a socket arrives whole")
  func largeTraffic() async throws {
    let rig = Rig()
    let end = try await rig.waitForEnd()
    await rig.run { rig in
      for number in 0..<15 {
        let payload = ArraySlice(repeating: UInt8(number), count: 60_000)
        rig.transport?.send(
          HCIPacket(
            HCIACLPacket(connectionHandle: ConnectionHandle(1), boundary: .firstNonFlushable, payload: payload)))
      }
    }
    let received = await end.receive(15 * 60_005)
    #expect(received.count == 15 * 60_005)
    #expect((0..<15).allSatisfy { received[$0 * 60_005 + 60_004] == UInt8($0) })
    end.close()
    await rig.tearDown()
  }
}
