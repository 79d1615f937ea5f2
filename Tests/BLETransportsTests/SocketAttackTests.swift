import BLECore
import BLEHCI
import BLETransports
import BLEWire
import Testing

/// A controller that sends arbitrary octets through a socket of the system: how they are read is the system's choice, not the
/// test's. `Tests/AttackTests` does the same in virtual time, with a host and programs behind it.
@Suite("Hostile streams in sockets", .timeLimit(.minutes(10)))
struct SocketAttackTests {
  /// A host's transport at a socket file, with a raw end connected to it.
  private static func connected() async throws -> (rig: Rig, end: RawEnd, folder: TemporaryFolder) {
    let (rig, folder) = (Rig(), try TemporaryFolder())
    let path = folder.path("hci")
    try await rig.run { rig in Result { try rig.makeTransport(.unixServer(path: path)) } }.get()
    let end = try #require(RawEnd.connect(path: path))
    await rig.until { $0.contains(.ready) }
    return (rig, end, folder)
  }

  /// Every event and every kind of data.
  private static let packets: [HCIPacket] = {
    let events = HCIRegistry.events.flatMap { event in
      let code = HCIEventCode(rawValue: UInt16(truncatingIfNeeded: event.code ?? 0))
      return event.examples().map { parameters in
        let body = (code.subevent.map { [$0] } ?? []) + parameters
        return HCIPacket(kind: .event, octets: [code.event, UInt8(body.count)] + body)
      }
    }
    return events + HCIRegistry.data.examples().map { HCIPacket(kind: .aclData, octets: $0) }
  }()

  @Test(
    "H3 a socket's packets are whole to the host, in whatever pieces they were sent", arguments: [1, 2, 7, 300, 65_536])
  func pieces(_ length: Int) async throws {
    let (rig, end, folder) = try await Self.connected()
    let stream = Self.packets.flatMap { [$0.kind.rawValue] + $0.octets }
    for start in stride(from: 0, to: stream.count, by: length) {
      end.send(Array(stream[start..<min(start + length, stream.count)]))
    }
    let count = Self.packets.count
    await rig.until { $0.packets.count >= count || $0.failure != nil }
    #expect(await rig.run { $0.happened.packets } == Self.packets)
    end.close()
    await rig.until { $0.failure?.kind == .closed }
    await rig.tearDown()
    withExtendedLifetime(folder) {}
  }

  @Test(
    "H3 an invalid packet ends a socket's line once, with earlier packets delivered; a new line works",
    arguments: [0x00, 0x01, 0x06, 0x7F, 0xFF] as [UInt8])
  func unknownType(_ octet: UInt8) async throws {
    let (rig, end, folder) = try await Self.connected()
    let first = Self.packets[0]
    end.send([first.kind.rawValue] + first.octets + [octet] + [UInt8](repeating: 0x04, count: 5_000))
    await rig.until { $0.failure != nil }
    // The line is closed on this side: a reader of the other end gets its end.
    #expect(await end.receive(1) == [])
    end.close()
    let happened = await rig.run { $0.happened }
    #expect(happened.packets == [first])
    #expect(happened.filter { if case .failed = $0 { true } else { false } }.count == 1)
    #expect(happened.failure?.kind == .malformed)

    let path = folder.path("hci")
    try await rig.run { rig in Result { try rig.makeTransport(.unixServer(path: path)) } }.get()
    let fresh = try #require(RawEnd.connect(path: path))
    fresh.send([first.kind.rawValue] + first.octets)
    await rig.until { $0.packets.count == 2 }
    fresh.close()
    await rig.tearDown()
  }

  @Test(
    "H3 a socket that ends within a packet that claims 65,535 octets is reported as closed, and nothing of it is delivered",
    arguments: 1...7)
  func claims(_ count: Int) async throws {
    let (rig, end, folder) = try await Self.connected()
    end.send(Array([0x02, 0x40, 0x20, 0xFF, 0xFF, 1, 2, 3].prefix(count)))
    end.close()
    await rig.until { $0.failure != nil }
    let happened = await rig.run { $0.happened }
    #expect(happened.failure?.kind == .closed && happened.packets.isEmpty)
    await rig.tearDown()
    withExtendedLifetime(folder) {}
  }

  @Test("H3 noise in a socket ends the line, however it begins", arguments: 0..<32)
  func noise(_ seed: UInt64) async throws {
    let (rig, end, folder) = try await Self.connected()
    // Only some kilobytes fit where the host does not read; the sender must not block on that.
    end.send(SeededEntropy(seed: seed).octets(4_096))
    end.close()
    await rig.until { $0.failure != nil }
    #expect(await rig.run { $0.happened.filter { if case .failed = $0 { true } else { false } }.count } == 1)
    await rig.tearDown()
    withExtendedLifetime(folder) {}
  }
}
