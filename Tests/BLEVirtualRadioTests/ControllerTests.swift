import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("The controller and its host")
struct ControllerTests {
  @Test("every command is answered once, and the mask of supported commands is accurate")
  func everyCommand() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 1)
    let host = try TestHost(air, loop: loop, 1)
    host.send(HCIReadLocalSupportedCommands())
    await loop.run(until: .quiet(limit: loop.now + .seconds(1)))
    guard case .commandComplete(let answer) = try #require(host.events.first?.event) else {
      Issue.record("no answer")
      return
    }
    var reader = ByteReader(answer.returnParameters, layer: "test")
    let supported = try HCIReadLocalSupportedCommands.ReturnParameters(from: &reader).commands
    for command in HCIRegistry.commands {
      let opcode = HCIOpcode(UInt16(try #require(command.code)))
      for parameters in command.examples() {
        host.forget()
        host.controller.send(Self.packet(opcode, parameters))
        await loop.run(until: .quiet(limit: loop.now + .seconds(1)))
        let answers = host.statuses.filter { $0.opcode == opcode }
        let isSilent = opcode == HCIHostNumberOfCompletedPackets.opcode
        #expect(answers.count == (isSilent ? 0 : 1), "\(command.name)")
        // The command that reads the mask has no bit in it.
        if let answer = answers.first, opcode != HCIReadLocalSupportedCommands.opcode {
          #expect((answer.status == .unknownCommand) == !supported.contains(opcode), "\(command.name)")
        }
        // Too short and too long are refused, not guessed.
        if !parameters.isEmpty, !isSilent, supported.contains(opcode) {
          host.forget()
          host.controller.send(Self.packet(opcode, Array(parameters.dropLast())))
          host.controller.send(Self.packet(opcode, parameters + [0]))
          await loop.run(until: .quiet(limit: loop.now + .seconds(1)))
          let statuses = host.statuses.filter { $0.opcode == opcode }.map(\.status)
          #expect(statuses == [.invalidParameters, .invalidParameters], "\(command.name)")
        }
      }
    }
    #expect(host.malformed == 0)
  }

  static func packet(_ opcode: HCIOpcode, _ parameters: [UInt8]) -> HCIPacket {
    HCIPacket(
      kind: .command,
      octets: [
        UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8),
        UInt8(parameters.count),
      ] + parameters)
  }

  @Test("no octets of a host crash the controller, or its peer", arguments: 1...6 as ClosedRange<UInt64>)
  func hostileHost(seed: UInt64) async throws {
    let pair = try TestPair(seed: seed)
    let handles = try await pair.connect(interval: 8)
    let chance = SeededEntropy(seed: seed)
    let commands = HCIRegistry.commands
    for round in 0..<6_000 {
      let command = commands[Int(chance.uniform(0..<UInt64(commands.count)))]
      let opcode = HCIOpcode(UInt16(command.code ?? 0))
      var parameters = command.examples().first ?? []
      switch chance.uniform(0..<6) {
      case 0: parameters = chance.octets(Int(chance.uniform(0..<256)))
      case 1: parameters = chance.octets(parameters.count)
      case 2...4:
        for _ in 0..<3 where !parameters.isEmpty {
          parameters[Int(chance.uniform(0..<UInt64(parameters.count)))] = UInt8(truncatingIfNeeded: chance.next())
        }
      default: break
      }
      // Only an occasional reset, so that states accumulate.
      if opcode != HCIReset.opcode || chance.uniform(0..<100) == 0 {
        pair.central.controller.send(Self.packet(opcode, parameters))
      }
      let kind = HCIPacketKind.allCases[Int(chance.uniform(0..<5))]
      var octets = chance.octets(Int(chance.uniform(0..<40)))
      if octets.count > 4, chance.uniform(0..<2) == 0 {
        octets[0] = UInt8(truncatingIfNeeded: handles.central.rawValue)
        octets[1] = octets[1] & 0x30
        octets[2] = UInt8(octets.count - 4)
        octets[3] = 0
      }
      pair.central.controller.send(HCIPacket(kind: kind, octets: octets))
      if round % 10 == 0 { await pair.run(.milliseconds(20)) }
    }
    await pair.run(.seconds(5))
    pair.central.forget()
    pair.central.start()
    await pair.run(.seconds(1))
    #expect(pair.central.statuses.map(\.status) == [.success, .success, .success, .success], "seed \(seed)")
    #expect(pair.central.malformed == 0 && pair.peripheral.malformed == 0, "seed \(seed)")
    // The peer works as before.
    pair.peripheral.start()
    pair.peripheral.forget()
    _ = try await pair.connect()
  }

  @Test("legacy and extended commands do not mix, and commands are refused in the wrong state")
  func commandDisallowed() async throws {
    let pair = try TestPair()
    let host = pair.central
    host.scan()
    await pair.run(.milliseconds(10))
    host.send(
      LESetExtendedScanEnable(
        isEnabled: true, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0))
    host.send(LESetRandomAddress(address: TestHost.address(9)))
    host.send(HCIDisconnect(connectionHandle: ConnectionHandle(0x40), reason: .remoteUserTerminated))
    host.send(LECreateConnectionCancel())
    host.controller.send(Self.packet(HCIOpcode(0xFC77), [1, 2]))
    await pair.run(.milliseconds(10))
    #expect(host.status(of: LESetExtendedScanEnable.self) == .commandDisallowed)
    #expect(host.status(of: LESetRandomAddress.self) == .commandDisallowed)
    #expect(host.status(of: HCIDisconnect.self) == .unknownConnectionIdentifier)
    #expect(host.status(of: LECreateConnectionCancel.self) == .commandDisallowed)
    #expect(host.statuses.last?.status == .unknownCommand)
  }

  @Test("an event that the host has masked out is not sent")
  func eventMasks() async throws {
    let pair = try TestPair()
    pair.central.send(LESetEventMask(mask: .connectionComplete))
    pair.peripheral.advertise(interval: 0x20)
    pair.central.connect(to: pair.peripheral.address)
    await pair.run(.seconds(1))
    let hasOld = pair.central.events.contains { if case .leConnectionComplete = $0.event { true } else { false } }
    #expect(hasOld && pair.central.connections.isEmpty)
    let hasMore = pair.central.events.contains { if case .leDataLengthChange = $0.event { true } else { false } }
    #expect(!hasMore)
  }

  @Test("a host that sends more than there are buffers gets an event, and the excess is dropped")
  func bufferOverflow() async throws {
    let pair = try TestPair(configuration: ControllerConfiguration(quirks: .fourBuffers))
    let handles = try await pair.connect()
    for number in 0..<6 { pair.central.send(data: [1, 0, 4, 0, UInt8(number)], to: handles.central) }
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.map { $0.packet.payload.last } == [0, 1, 2, 3])
    let overflows = pair.central.events.filter { if case .dataBufferOverflow = $0.event { true } else { false } }
    #expect(overflows.count == 2)
  }

  @Test("LE Encrypt is AES-128 with the octets in the order on the air")
  func encrypt() async throws {
    let pair = try TestPair()
    // FIPS-197, appendix C.1.
    let key = Array(0..<16 as Range<UInt8>)
    let plaintext = (0..<16 as Range<UInt8>).map { $0 * 0x11 }
    let encrypted = try #require([UInt8](hexadecimal: "69c4e0d86a7b0430d8cdb78070b4c55a"))
    pair.central.send(LEEncrypt(key: HCISecret(key.reversed()), plaintext: HCISecret(plaintext.reversed())))
    await pair.run(.milliseconds(10))
    let answer = pair.central.events.compactMap {
      if case .commandComplete(let event) = $0.event, event.opcode == LEEncrypt.opcode { event } else { nil }
    }.first
    #expect(answer.map { Array($0.returnParameters) } == [0] + encrypted.reversed())
  }

  @Test("presets reproduce the peculiarities of controllers")
  func quirks() async throws {
    var pair = try TestPair(configuration: ControllerConfiguration(quirks: .dataBeforeConnectionComplete))
    pair.peripheral.advertise(interval: 0x20)
    pair.central.connect(to: pair.peripheral.address)
    await pair.run(.seconds(1))
    #expect(pair.central.connections.count == 1)

    pair = try TestPair(configuration: ControllerConfiguration(quirks: .missingCompletedPackets))
    let handles = try await pair.connect(interval: 8)
    ConnectionTests.stream(64, from: pair.central, handles.central)
    await pair.run(.seconds(5))
    #expect(pair.central.completed < 64 && pair.central.completed > 50)

    pair = try TestPair(configuration: ControllerConfiguration(quirks: .hardwareError))
    pair.peripheral.advertise(interval: 0x20)
    pair.central.connect(to: pair.peripheral.address)
    await pair.run(.seconds(3))
    let failures = pair.central.events.filter { if case .hardwareError = $0.event { true } else { false } }
    #expect(failures.count == 1)

    pair = try TestPair(configuration: ControllerConfiguration(quirks: .noExtendedAdvertising))
    pair.central.send(LEReadMaximumAdvertisingDataLength())
    pair.central.send(LEReadLocalSupportedFeatures())
    await pair.run(.seconds(1))
    #expect(pair.central.status(of: LEReadMaximumAdvertisingDataLength.self) == .unknownCommand)
  }

  @Test("a lost packet of a working link exists only as an injected fault")
  func faults() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect()
    pair.peripheral.controller.inject(.loseDataToHost(packets: 1))
    pair.central.controller.inject(.loseDataFromHost(packets: 1))
    for number in 0..<4 { pair.central.send(data: [1, 0, 4, 0, UInt8(number)], to: handles.central) }
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.map { $0.packet.payload.last } == [2, 3])
    #expect(pair.central.completed == 4)
  }

  @Test("a device that moves away loses its link, with growing losses")
  func walkingAway() async throws {
    let pair = try TestPair(propagation: .indoors, loss: .sensitivity)
    let handles = try await pair.connect(interval: 24, timeout: 100)
    for step in 1...20 {
      pair.peripheral.controller.move(to: Position(x: Double(step) * 10))
      pair.central.send(HCIReadRSSI(connectionHandle: handles.central))
      await pair.run(.seconds(1))
    }
    #expect(pair.central.disconnections.map(\.event.reason) == [.connectionTimeout])
    #expect(pair.peripheral.disconnections.map(\.event.reason) == [.connectionTimeout])
  }

  @Test("bursts of losses delay data and never lose it")
  func bursts() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect(interval: 6, timeout: 1_000)
    pair.air.setLoss(
      .bursts(BurstLoss(becomesBad: 0.05, becomesGood: 0.2)), between: pair.central.controller,
      and: pair.peripheral.controller)
    ConnectionTests.stream(100, from: pair.peripheral, handles.peripheral)
    await pair.run(.seconds(60))
    #expect(pair.central.data.flatMap { $0.packet.payload } == (0..<100).flatMap { ConnectionTests.payload($0) })
  }

  @Test("the same seed gives the same packets at the same times, another seed others")
  func determinism() async throws {
    func trace(_ seed: UInt64) async throws -> [AirFrame] {
      let pair = try TestPair(seed: seed, propagation: .indoors, loss: .independent(rate: 0.1))
      let tap = Recorder()
      pair.air.tap = tap
      pair.peripheral.advertise(interval: 0x20, scanData: [2, 9, 0x41])
      pair.central.scan(type: .active)
      await pair.run(.seconds(1))
      pair.central.send(LESetScanEnable(isEnabled: false, filtersDuplicates: false))
      for _ in 0..<5 where pair.central.connections.isEmpty || !pair.central.disconnections.isEmpty {
        pair.central.connect(to: pair.peripheral.address)
        await pair.run(.seconds(1))
      }
      if let handle = pair.central.connections.last?.event.connectionHandle {
        ConnectionTests.stream(20, from: pair.central, handle)
      }
      await pair.run(.seconds(3))
      return tap.frames
    }
    let first = try await trace(11)
    #expect(first.count > 100)
    #expect(try await trace(11) == first)
    #expect(try await trace(12) != first)
    // The tap gets link-layer packets, to the last octet.
    for frame in first {
      var reader = ByteReader(frame.octets, layer: "test")
      if frame.accessAddress == AdvertisingChannelPDU.accessAddress {
        _ = try AdvertisingChannelPDU(from: &reader)
      } else {
        _ = try DataChannelPDU(from: &reader)
      }
      try reader.finish()
    }
  }

  private final class Recorder: AirTap {
    var frames: [AirFrame] = []
    func air(_ air: Air, carried frame: AirFrame) { frames.append(frame) }
  }

  @Test("two thousand connections and disconnections leave nothing behind")
  func connectionStorm() async throws {
    let pair = try TestPair()
    for _ in 0..<2_000 {
      pair.peripheral.advertise(interval: 0x20)
      pair.central.connect(to: pair.peripheral.address, interval: 6)
      await pair.run(.milliseconds(80))
      if let handle = pair.central.connections.last?.event.connectionHandle {
        pair.central.send(HCIDisconnect(connectionHandle: handle, reason: .remoteUserTerminated))
      } else {
        pair.central.send(LECreateConnectionCancel())
      }
      await pair.run(.milliseconds(40))
      pair.central.forget()
      pair.peripheral.forget()
    }
    _ = try await pair.connect()
  }
}
