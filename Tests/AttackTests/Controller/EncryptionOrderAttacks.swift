import BLECore
import BLEHost
import BLETestKit
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Controllers that report encryption late, or never, while data already arrives over the link.
@Suite("H5 data and encryption events in an unusual order", .keepsCapture)
struct EncryptionOrderAttacks {
  /// Holds back a controller's events about encryption.
  private final class Gate {
    var isShut = false
    private(set) var held: [HCIPacket] = []

    func pass(_ packet: HCIPacket) -> [HCIPacket] {
      let codes = [EncryptionChangeEvent.code.event, EncryptionKeyRefreshCompleteEvent.code.event]
      guard isShut, packet.kind == .event, let code = packet.octets.first, codes.contains(code) else { return [packet] }
      held.append(packet)
      return []
    }
  }

  private static let secret = ["0b" + Array("secret".utf8).hexadecimal]

  @Test("H5 a peripheral serves what needs encryption after its controller has reported encryption, not before")
  func peripheral() async throws {
    let gate = Gate()
    let host = BetrayedHost { chip, _ in chip.toHost = gate.pass }
    host.stack.setPairingAgent(TestAgent())
    let world = host.world
    let program = PeripheralApp.safe(host.options)
    let attacker = HostileDevice(world, address: HostileDevice.address(1))
    attacker.behave()
    try await world.wait(within: .seconds(5)) { program.manager.isAdvertising }
    func connect() async throws {
      try await attacker.link(to: host.address, within: .seconds(5))
    }
    try await connect()
    attacker.pair()
    await world.advance(by: .seconds(2))
    #expect(await attacker.ask("0a" + AttackedPeripheral.secret) == Self.secret)
    let key = try #require(attacker.results.first?.keyAsCentral)
    await attacker.leave()

    gate.isShut = true
    try await connect()
    attacker.encrypt(with: key.key, random: key.randomNumber, diversifier: key.encryptedDiversifier)
    // Before, and long after: only the event makes the difference.
    for wait in [1, 29, 300] {
      await world.advance(by: .seconds(wait))
      #expect(attacker.encryption.last?.isOn == true)
      let answer = await attacker.ask("0a" + AttackedPeripheral.secret)
      #expect(answer == AttackedPeripheral.refusal("05") || answer == AttackedPeripheral.refusal("0f"))
      // Nor are writes and subscriptions that need encryption accepted.
      _ = await attacker.ask("12" + AttackedPeripheral.secret + "41")
      #expect(program.writes.isEmpty && program.subscriptions.isEmpty)
    }
    gate.isShut = false
    let held = gate.held
    await host.perform { chip in for packet in held { chip.inject(packet) } }
    #expect(await attacker.ask("0a" + AttackedPeripheral.secret) == Self.secret)
  }

  @Test(
    "H5 a central with keys neither reports the link nor sends or accepts data before its controller reports encryption",
    arguments: [false, true])
  func central(isLate: Bool) async throws {
    let gate = Gate()
    let host = BetrayedHost { chip, _ in chip.toHost = gate.pass }
    host.stack.setPairingAgent(TestAgent())
    let world = host.world
    let attacker = HostileDevice(world, address: HostileDevice.address(1))
    attacker.server = HostileServer.make()
    attacker.behave()
    attacker.advertise("Hostile")
    let program = CentralApp(host.options, seeking: "Hostile")
    try await world.wait(within: .seconds(10)) { program.isWalked }
    program.read("FF31")
    await world.advance(by: .seconds(3))
    #expect(program.events.last == .value("FF31", "forged"))
    attacker.key = try #require(attacker.results.first?.keyAsPeripheral?.key)
    program.disconnect()
    await world.advance(by: .seconds(2))

    gate.isShut = true
    program.events = []
    attacker.forgetWhatCame()
    program.connect()
    try await world.wait(within: .seconds(5)) { attacker.isConnected }
    // Data of all kinds, before the encryption event.
    for handle in 1...40 as ClosedRange<UInt8> {
      attacker.sendAttributePDU([0x1B, handle, 0] + Array("early".utf8))
      attacker.sendAttributePDU([0x1D, handle, 0] + Array("early".utf8))
    }
    await world.advance(by: .seconds(5))
    #expect(program.events.isEmpty)
    // The keys are used, and the database is not read.
    #expect(!attacker.attributePDUs.contains { [0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x52].contains($0.first) })
    if isLate {
      gate.isShut = false
      let held = gate.held
      #expect(!held.isEmpty && attacker.isConnected && attacker.encryption.last?.isOn == true)
      await host.perform { chip in for packet in held { chip.inject(packet) } }
      await world.advance(by: .seconds(10))
      #expect(program.isWalked, "\(program.events), asked: \(attacker.attributePDUs.map(\.hexadecimal))")
      program.read("FF31")
      await world.advance(by: .seconds(2))
      #expect(attacker.attributePDUs.contains { $0.first == 0x0A })
    } else {
      await world.advance(by: .seconds(60))
      #expect(!attacker.isConnected || program.events.isEmpty)
      #expect(!program.events.contains { $0.isConnection })
    }
    #expect(!program.events.contains { if case .value(_, "early") = $0 { true } else { false } })
  }
}
