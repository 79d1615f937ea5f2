import BLECore
import BLECrypto
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("Encryption under faults")
struct EncryptionFaultTests {
  @Test("a disconnection at any moment of the start ends the link on both sides, and both can connect again")
  func disconnectAtEveryStep() async throws {
    for isCentral in [true, false] {
      for isRefresh in [false, true] {
        for step in 0..<40 {
          let link = try await EncryptedPair(interval: 6)
          if isRefresh { try await link.encrypt() }
          link.enable()
          await link.run(.microseconds(Int64(step) * 1_250))
          let host = isCentral ? link.central : link.peripheral
          let handle = isCentral ? link.handles.central : link.handles.peripheral
          host.send(HCIDisconnect(connectionHandle: handle, reason: .remoteUserTerminated))
          await link.run(.seconds(5))
          let ended = isCentral ? link.peripheral : link.central
          #expect(host.endReasons == [.localHostTerminated], "central \(isCentral), step \(step)")
          let reasons: [HCIErrorCode] = [.remoteUserTerminated, .messageIntegrityFailure, .connectionTimeout]
          #expect(ended.endReasons.count == 1, "central \(isCentral), step \(step)")
          #expect(ended.endReasons.allSatisfy(reasons.contains), "\(ended.endReasons), step \(step)")
          _ = try await link.pair.connect()
        }
      }
    }
  }

  @Test("a silence at any moment of the start ends in a time-out and nothing else")
  func silenceAtEveryStep() async throws {
    for step in 0..<40 {
      let link = try await EncryptedPair(interval: 6)
      link.enable()
      await link.run(.microseconds(Int64(step) * 1_250))
      link.peripheral.controller.silence()
      await link.run(.seconds(5))
      #expect(link.central.endReasons == [.connectionTimeout], "step \(step)")
      #expect(link.peripheral.endReasons == [.connectionTimeout], "step \(step)")
    }
  }

  @Test("other procedures wait for the end of encryption start, and then run")
  func otherProcedures() async throws {
    let link = try await EncryptedPair(answer: .nothing)
    link.enable()
    link.central.send(HCIReadRemoteVersionInformation(connectionHandle: link.handles.central))
    await link.run(.milliseconds(500))
    link.peripheral.send(LEReadRemoteFeatures(connectionHandle: link.handles.peripheral))
    link.peripheral.send(
      LESetPHY(
        connectionHandle: link.handles.peripheral, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M,
        options: 0))
    await link.run(.seconds(5))
    #expect(link.central.endReasons.isEmpty && link.peripheral.endReasons.isEmpty)
    link.peripheral.send(LELongTermKeyRequestReply(connectionHandle: link.handles.peripheral, key: EncryptedPair.key))
    await link.run(.seconds(2))
    #expect(link.central.encryptionChanges.map(\.status) == [.success])
    let names = link.central.events.map(\.event) + link.peripheral.events.map(\.event)
    #expect(
      names.contains {
        if case .readRemoteVersionInformationComplete(let e) = $0 { e.status == .success } else { false }
      })
    #expect(
      names.contains { if case .leReadRemoteFeaturesComplete(let e) = $0 { e.status == .success } else { false } })
    #expect(names.count { if case .lePHYUpdateComplete(let e) = $0 { e.transmitPHY == .le2M } else { false } } == 2)
    await link.exchangeData()
  }

  @Test("the encryption event comes before the first data, or after it where the controller has that fault")
  func eventOrder() async throws {
    for isFaulty in [false, true] {
      var configuration = ControllerConfiguration()
      if isFaulty { configuration.quirks = [.dataBeforeEncryptionChange] }
      let link = try await EncryptedPair(answer: .nothing, configuration: configuration)
      link.enable()
      await link.run(.milliseconds(500))
      link.peripheral.send(data: [1, 0, 4, 0, 9], to: link.handles.peripheral)
      var order: [String] = []
      var seen = (data: 0, changes: 0)
      link.central.onPacket = { [unowned host = link.central] in
        if host.data.count > seen.data { order.append("data") }
        if host.encryptionChanges.count > seen.changes { order.append("change") }
        seen = (host.data.count, host.encryptionChanges.count)
      }
      link.peripheral.send(LELongTermKeyRequestReply(connectionHandle: link.handles.peripheral, key: EncryptedPair.key))
      await link.run(.seconds(1))
      #expect(order == (isFaulty ? ["data", "change"] : ["change", "data"]))
    }
  }

  // MARK: Authenticated payload time-out

  @Test("an idle encrypted link is kept authenticated by pings, and the host gets no event")
  func ping() async throws {
    let link = try await EncryptedPair()
    try await link.encrypt()
    let tap = DataTap()
    link.pair.air.tap = tap
    await link.run(.seconds(120))
    #expect(link.central.payloadTimeouts.isEmpty && link.peripheral.payloadTimeouts.isEmpty)
    // One request and one answer in each half minute.
    #expect((6...16).contains(tap.frames.count), "\(tap.frames.count)")
  }

  @Test("a peer that is silent for the authenticated payload time-out is reported, again and again")
  func payloadTimeout() async throws {
    let link = try await EncryptedPair(timeout: 1_000)
    try await link.encrypt()
    for (host, handle) in [(link.central, link.handles.central), (link.peripheral, link.handles.peripheral)] {
      host.send(
        HCIWriteAuthenticatedPayloadTimeout(connectionHandle: handle, timeout: HCICentiseconds(rawValue: 200)))
    }
    await link.run(.seconds(10))
    #expect(link.central.payloadTimeouts.isEmpty && link.peripheral.payloadTimeouts.isEmpty)
    link.peripheral.controller.silence()
    await link.run(.seconds(9))
    for host in [link.central, link.peripheral] {
      #expect((3...4).contains(host.payloadTimeouts.count))
      let distances = zip(host.payloadTimeouts, host.payloadTimeouts.dropFirst()).map { $1 - $0 }
      #expect(distances.allSatisfy { $0 == .seconds(2) })
    }
    await link.run(.seconds(3))
    #expect(link.central.endReasons == [.connectionTimeout])
  }

  @Test("the authenticated payload time-out is read and written, and not shorter than the peer's latency allows")
  func payloadTimeoutCommands() async throws {
    let link = try await EncryptedPair(interval: 80)
    func write(_ value: UInt16, _ handle: ConnectionHandle) async -> HCIErrorCode? {
      link.central.send(
        HCIWriteAuthenticatedPayloadTimeout(connectionHandle: handle, timeout: HCICentiseconds(rawValue: value)))
      await link.run(.milliseconds(1))
      return link.central.status(of: HCIWriteAuthenticatedPayloadTimeout.self)
    }
    #expect(await write(0, link.handles.central) == .invalidParameters)
    #expect(await write(9, link.handles.central) == .invalidParameters)
    #expect(await write(10, link.handles.central) == .success)
    #expect(await write(0xFFFF, link.handles.central) == .success)
    #expect(await write(10, ConnectionHandle(0x0777)) == .unknownConnectionIdentifier)
  }

  // MARK: Commands

  @Test("invalid commands about encryption are refused, and change nothing")
  func refusals() async throws {
    let link = try await EncryptedPair()
    let nobody = ConnectionHandle(0x0777)
    let (central, peripheral) = (link.central, link.peripheral)
    func status<Command: HCICommand>(_ command: Command, _ host: TestHost) async -> HCIErrorCode? {
      host.send(command)
      await link.run(.milliseconds(1))
      return host.status(of: Command.self)
    }
    func enable(_ handle: ConnectionHandle) -> LEEnableEncryption {
      LEEnableEncryption(connectionHandle: handle, randomNumber: 0, diversifier: 0, key: EncryptedPair.key)
    }
    #expect(await status(enable(nobody), central) == .unknownConnectionIdentifier)
    #expect(await status(enable(link.handles.peripheral), peripheral) == .commandDisallowed)
    for handle in [nobody, link.handles.peripheral] {
      let expected: HCIErrorCode = handle == nobody ? .unknownConnectionIdentifier : .commandDisallowed
      let reply = LELongTermKeyRequestReply(connectionHandle: handle, key: EncryptedPair.key)
      #expect(await status(reply, peripheral) == expected)
      let negative = LELongTermKeyRequestNegativeReply(connectionHandle: handle)
      #expect(await status(negative, peripheral) == expected)
    }
    link.answer = .nothing
    #expect(await status(enable(link.handles.central), central) == .success)
    #expect(await status(enable(link.handles.central), central) == .commandDisallowed)
    await link.run(.seconds(1))
    #expect(
      await status(
        LELongTermKeyRequestReply(connectionHandle: link.handles.peripheral, key: EncryptedPair.key), peripheral)
        == .success)
    #expect(
      await status(
        LELongTermKeyRequestReply(connectionHandle: link.handles.peripheral, key: EncryptedPair.key), peripheral)
        == .commandDisallowed)
    await link.run(.seconds(1))
    #expect(central.encryptionChanges.map(\.status) == [.success])
    await link.exchangeData()
  }

  @Test("commands of encryption and privacy of any length are answered once each, and nothing breaks")
  func lengths() async throws {
    let link = try await EncryptedPair()
    try await link.encrypt()
    let opcodes: [UInt16] = [
      0x0C7B, 0x0C7C, 0x2017, 0x2018, 0x2019, 0x201A, 0x201B, 0x2025, 0x2026, 0x2027, 0x2028, 0x2029, 0x202A, 0x202B,
      0x202C, 0x202D, 0x202E, 0x204E, 0x205E,
    ]
    for opcode in opcodes {
      for length in [0, 1, 2, 3, 7, 12, 13, 15, 18, 28, 31, 39, 63, 64, 65, 66, 255] {
        link.central.forget()
        let header = [UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(length)]
        link.central.controller.send(
          HCIPacket(kind: .command, octets: header + [UInt8](repeating: 0xFF, count: length)))
        await link.run(.milliseconds(1))
        #expect(link.central.statuses.map(\.opcode) == [HCIOpcode(opcode)], "\(opcode) \(length)")
      }
    }
    link.central.send(LEClearResolvingList())
    await link.exchangeData()
  }

  @Test("the controllers of both sides agree on a key by P-256, and refuse a point off the curve")
  func keyAgreement() async throws {
    let pair = try TestPair()
    func publicKey(_ host: TestHost) async throws -> ArraySlice<UInt8> {
      host.send(LEReadLocalP256PublicKey())
      await pair.run(.milliseconds(1))
      return try #require(
        host.events.compactMap { _, event in
          if case .leReadLocalP256PublicKeyComplete(let event) = event { event } else { nil }
        }.last?.publicKey)
    }
    func secret(_ host: TestHost, _ key: ArraySlice<UInt8>) async throws -> LEGenerateDHKeyCompleteEvent {
      host.send(LEGenerateDHKey(publicKey: key))
      await pair.run(.milliseconds(1))
      return try #require(
        host.events.compactMap { _, event in
          if case .leGenerateDHKeyComplete(let event) = event { event } else { nil }
        }.last)
    }
    pair.central.send(LEGenerateDHKey(publicKey: ArraySlice(repeating: 1, count: 64)))
    await pair.run(.milliseconds(1))
    #expect(pair.central.status(of: LEGenerateDHKey.self) == .commandDisallowed)
    let first = try await publicKey(pair.central)
    let second = try await publicKey(pair.peripheral)
    #expect(first != second)
    let ours = try await secret(pair.central, second)
    let theirs = try await secret(pair.peripheral, first)
    #expect(ours.status == .success && ours.key == theirs.key)
    var off = Array(first)
    off[40] ^= 1
    let refused = try await secret(pair.peripheral, off[...])
    #expect(refused.status == .invalidParameters)
    #expect(refused.key == HCISecret([UInt8](repeating: 0xFF, count: 32)))
    // The debug key needs no key pair of the host.
    pair.central.send(HCIReset())
    pair.central.start()
    pair.central.send(LEGenerateDHKeyV2(publicKey: second, usesDebugKey: true))
    await pair.run(.milliseconds(1))
    #expect(pair.central.status(of: LEGenerateDHKeyV2.self) == .success)
  }
}
