import BLECore
import BLEHCI
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Controllers that answer commands that were not sent, answer twice, wrongly or never.
@Suite("H6 commands and their answers", .keepsCapture)
struct CommandAttacks {
  /// A program that explores an honest shelf over hostile controllers.
  private struct Scene {
    let world = World()
    let host: BetrayedHost
    let program: CentralApp
    let shelf: PeripheralApp

    init(_ prepare: @escaping (MaliciousController, Int) -> Void) {
      host = BetrayedHost(world, prepare)
      shelf = Shelf.start(world.makeDevice("honest").options)
      program = CentralApp(host.options, seeking: "Shelf", discovering: .descriptors)
    }

    func explore(within limit: Duration) async throws { try await program.explore(in: world, within: limit) }
  }

  /// Whether this is the answer to a command.
  private static func isAnswer(_ packet: HCIPacket) -> Bool {
    packet.kind == .event
      && [CommandCompleteEvent.code.event, CommandStatusEvent.code.event].contains(packet.octets.first)
  }

  /// Answers to commands that this host never sends, and to no command at all with a number of credits.
  private static let unasked: [HCIPacket] = [
    HCIPacket(CommandCompleteEvent(commandCredits: 255, opcode: HCIOpcode(0xFFFF), returnParameters: [0])),
    HCIPacket(CommandCompleteEvent(commandCredits: 0, opcode: HCIOpcode(0x0C14), returnParameters: [0, 1, 2, 3])),
    HCIPacket(CommandCompleteEvent(commandCredits: 0, opcode: HCIOpcode(0xFC01), returnParameters: [])),
    .commandStatus(.success, of: HCIOpcode(0x0405), commandCredits: 0),
    .commandStatus(.hardwareFailure, of: HCIOpcode(0x0401), commandCredits: 0),
  ]

  enum Trick: CaseIterable { case unaskedBefore, unaskedAfter, twice, statusFirst }

  @Test(
    "H6 answers to commands never sent, to others, and doubled ones are ignored, and everything works",
    arguments: Trick.allCases)
  func tricks(_ trick: Trick) async throws {
    let scene = Scene { chip, _ in
      chip.toHost = { packet in
        guard Self.isAnswer(packet) else { return [packet] }
        switch trick {
        case .unaskedBefore: return Self.unasked + [packet]
        case .unaskedAfter: return [packet] + Self.unasked
        case .twice: return [packet, packet]
        case .statusFirst:
          // A command that ends by Command Complete cannot start with Command Status.
          guard let event = try? HCIEvent(HCIEventPacket(packet.octets)), case .commandComplete(let complete) = event
          else { return [packet] }
          return [.commandStatus(.success, of: complete.opcode), packet]
        }
      }
    }
    try await scene.explore(within: .seconds(30))
    #expect(scene.host.chipCount == 1)
    #expect(scene.host.log.warnings > 0)
  }

  @Test(
    "H6 whichever command is never answered, the host waits 10 s, resets with a new controller, and works"
  )
  func unansweredCommand() async throws {
    var number = 0
    var wasReached = true
    while wasReached {
      var answers = 0
      let scene = Scene { chip, index in
        guard index == 0 else { return }
        chip.toHost = { packet in
          guard Self.isAnswer(packet) else { return [packet] }
          answers += 1
          return answers == number + 1 ? [] : [packet]
        }
      }
      await scene.world.advance(by: .seconds(13))
      wasReached = answers > number
      try await scene.explore(within: .seconds(30))
      #expect(scene.host.chipCount == (wasReached ? 2 : 1), "answer \(number)")
      number += 1
      try #require(number < 200, "the way to a link has an end")
    }
    #expect(number > 20, "from the reset to the exploration")
  }

  @Test(
    "H6 I11.24 a command whose link has ended before it arrives logs no warning, and everything works",
    arguments: [LESetPHY.opcode, LESetDataLength.opcode, LEReadRemoteFeatures.opcode, HCIReadRSSI.opcode])
  func lateCommand(_ late: HCIOpcode) async throws {
    var isOver = false
    let scene = Scene { chip, _ in
      chip.toController = { packet in
        guard !isOver, packet.kind == .command, let handle = chip.handle,
          packet.octets.prefix(2) == [UInt8(late.rawValue & 0xFF), UInt8(late.rawValue >> 8)]
        else { return [packet] }
        isOver = true
        // The event of the link's end is on its way to the host when the host sends this.
        chip.inject(.commandStatus(.unknownConnectionIdentifier, of: late))
        chip.injectDisconnection(handle)
        return []
      }
    }
    await scene.world.advance(by: .seconds(2))
    if !isOver {
      scene.program.peripheral?.readRSSI()
      await scene.world.advance(by: .seconds(1))
    }
    #expect(isOver && scene.host.log.warnings == 0)
    #expect(scene.host.stack.linkCount == 0 && scene.host.chipCount == 1)
  }

  enum LateEnd: String, CaseIterable { case unknown, disallowed, unknownInTheEvent }

  @Test(
    "H6 I11.24 a link that has ended before the controller gets Disconnect logs no warning",
    arguments: LateEnd.allCases)
  func lateDisconnection(_ end: LateEnd) async throws {
    let code = HCIDisconnect.opcode
    var isOver = false
    let scene = Scene { chip, _ in
      chip.toController = { packet in
        guard !isOver, packet.kind == .command, let handle = chip.handle,
          packet.octets.prefix(2) == [UInt8(code.rawValue & 0xFF), UInt8(code.rawValue >> 8)]
        else { return [packet] }
        isOver = true
        switch end {
        case .unknown:
          chip.inject(.commandStatus(.unknownConnectionIdentifier, of: code))
        case .disallowed:
          chip.injectDisconnection(handle)
          chip.inject(.commandStatus(.commandDisallowed, of: code))
        case .unknownInTheEvent:
          chip.inject(.commandStatus(.success, of: code))
          chip.inject(
            DisconnectionCompleteEvent(
              status: .unknownConnectionIdentifier, connectionHandle: handle, reason: .success))
        }
        return []
      }
    }
    try await scene.explore(within: .seconds(30))
    scene.program.disconnect()
    await scene.world.advance(by: .seconds(5))
    #expect(isOver && scene.host.log.warnings == 0)
    #expect(scene.host.stack.linkCount == 0 && scene.host.chipCount == 1)
  }

  @Test(
    "H6 controllers that never answer are given up after a bounded time, and tried again when the user powers on")
  func silence() async throws {
    var isSilent = true
    let scene = Scene { chip, _ in chip.toHost = { isSilent && Self.isAnswer($0) ? [] : [$0] } }
    await scene.world.advance(by: .seconds(120))
    #expect(scene.program.manager.state == .unsupported)
    #expect(scene.host.chipCount == 6)
    await scene.world.advance(by: .seconds(3_600))
    #expect(scene.host.chipCount == 6)
    isSilent = false
    scene.host.stack.powerOn()
    try await scene.explore(within: .seconds(30))
  }

  @Test(
    "H6 a controller that stops answering during a link is reported as resetting, once, and everything works again"
  )
  func silentLater() async throws {
    let scene = Scene { _, _ in }
    try await scene.explore(within: .seconds(30))
    scene.program.forget()
    await scene.host.perform { chip in
      chip.toHost = { Self.isAnswer($0) ? [] : [$0] }
      scene.program.peripheral?.readRSSI()
    }
    await scene.world.advance(by: .seconds(9))
    #expect(scene.program.told.isEmpty && scene.host.chipCount == 1)
    await scene.world.advance(by: .seconds(3))
    #expect(scene.host.chipCount == 2)
    #expect(scene.program.told.prefix(1) == ["state 1"] && !scene.program.told.dropFirst().contains("state 1"))
    try await scene.explore(within: .seconds(30))
    #expect(scene.host.stack.linkCount == 1)
  }

  @Test("H6 a controller that says that it takes no more commands is reset after 10 s")
  func noCredits() async throws {
    var closed = 0
    let scene = Scene { chip, index in
      guard index == 0 else { return }
      chip.toHost = { packet in
        guard Self.isAnswer(packet) else { return [packet] }
        closed += 1
        guard closed > 20 else { return [packet] }
        var octets = packet.octets
        // Command Complete has its number of commands first, Command Status behind its status.
        octets[octets[0] == CommandCompleteEvent.code.event ? 2 : 3] = 0
        return [HCIPacket(kind: .event, octets: octets)]
      }
    }
    try await scene.explore(within: .seconds(60))
    #expect(scene.host.chipCount == 2)
  }
}
