import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Commands whose signature replaces an encrypted link (Core, Vol 3 Part C 10.4).
@Suite("Signed writes", .keepsCapture)
struct SignedWrites {
  /// The value of FF33.
  private static let handle = AttributeHandle(0x18)

  private func command(_ text: String, _ signing: SignatureAlgorithm, _ counter: UInt32) -> [UInt8] {
    let message = [0xD2, UInt8(Self.handle.rawValue), 0] + Array(text.utf8)
    return message + signing.signature(of: message, signCounter: counter)
  }

  @Test(
    "A9 a signed command is accepted once, from the bonded device only, and never again, whatever happens in between")
  func received() async throws {
    let scene = try await AttackedPeripheral.start { $0.behave() }
    await scene.pair()
    let signing = SignatureAlgorithm(csrk: try #require(scene.attacker.results.first?.localSigningKey))
    try await scene.reconnect()
    func send(_ pdu: [UInt8]) async {
      scene.attacker.sendAttributePDU(pdu)
      await scene.world.advance(by: .milliseconds(300))
    }
    await send([0x52, 0x18, 0] + Array("unsigned".utf8))
    #expect(scene.program.writes.isEmpty)
    await send(command("first", signing, 0))
    #expect(scene.program.texts == ["first"])
    await send(command("first", signing, 0))
    await send(command("later", signing, 5))
    await send(command("earlier", signing, 3))
    var forged = command("forged", signing, 6)
    forged[4] ^= 1
    await send(forged)
    await send(command("other", SignatureAlgorithm(csrk: SecretKey(AESBlock(high: 1, low: 1))), 7))
    #expect(scene.program.texts == ["first", "later"])
    // The counter is kept across links and while the adapter is off.
    scene.attacker.disconnect()
    scene.device.powerOff()
    await scene.world.advance(by: .seconds(1))
    scene.device.powerOn()
    await scene.world.advance(by: .seconds(1))
    try await scene.connect()
    await send(command("later", signing, 5))
    #expect(scene.program.texts == ["first", "later"])
    await send(command("newest", signing, 6))
    #expect(scene.program.texts == ["first", "later", "newest"])
    #expect(scene.attacker.attributePDUs.allSatisfy { $0.first != 0x01 })
  }

  @Test(
    "A9 I11.16 a signed command is not accepted again after a crash that lost unwritten data",
    arguments: [false, true])
  func crash(isLinkOver: Bool) async throws {
    let scene = try await AttackedPeripheral.start { $0.behave() }
    await scene.pair()
    let signing = SignatureAlgorithm(csrk: try #require(scene.attacker.results.first?.localSigningKey))
    try await scene.reconnect()
    scene.device.setBondStoreLate(true)
    let commands = [command("first", signing, 0), command("second", signing, 1)]
    for command in commands { scene.attacker.sendAttributePDU(command) }
    await scene.world.advance(by: .seconds(1))
    #expect(scene.program.texts == ["first", "second"])
    if isLinkOver {
      await scene.attacker.leave()
    }
    scene.device.terminateProcess()
    let program = PeripheralApp.safe(scene.device.options)
    try await scene.world.wait(within: .seconds(10)) { program.manager.isAdvertising && !scene.attacker.isConnected }
    try await scene.connect()
    for command in commands { scene.attacker.sendAttributePDU(command) }
    await scene.world.advance(by: .seconds(1))
    #expect(program.texts == [])
    // At most the next command is lost where the process died during a link.
    if isLinkOver { scene.attacker.sendAttributePDU(command("third", signing, 2)) }
    scene.attacker.sendAttributePDU(command("later", signing, 100))
    await scene.world.advance(by: .seconds(1))
    #expect(program.texts == (isLinkOver ? ["third", "later"] : ["later"]))
  }

  @Test(
    "a command to a characteristic that requires signatures is signed on an unencrypted link, plain on an encrypted one"
  )
  func sent() async throws {
    var policy = SecurityPolicy()
    policy.offersSecureConnections = false
    // A peripheral that distributes no encryption key: the next link cannot be encrypted.
    policy.responderKeys = [.identity, .signing]
    let scene = try await AttackedCentral.start { $0.behave(policy) }
    _ = await scene.read()
    let result = try #require(scene.attacker.results.first)
    let signing = SignatureAlgorithm(csrk: try #require(result.peerSigningKey))
    scene.program.writeCommand("plain", to: "FF33")
    await scene.world.advance(by: .milliseconds(500))
    #expect(scene.attacker.signedCommands.isEmpty)
    var counters: [UInt32] = []
    for round in 0..<3 {
      scene.program.disconnect()
      await scene.world.advance(by: .seconds(1))
      if round == 2 {
        scene.device.powerOff()
        await scene.world.advance(by: .seconds(1))
        scene.device.powerOn()
        await scene.world.advance(by: .seconds(1))
      }
      scene.program.connect()
      try await scene.world.wait(within: .seconds(10)) { scene.program.isWalked }
      scene.program.writeCommand("signed", to: "FF33")
      scene.program.writeCommand("again", to: "FF33")
      await scene.world.advance(by: .milliseconds(500))
    }
    #expect(scene.attacker.signedCommands.count == 6)
    for command in scene.attacker.signedCommands {
      var pdu = ByteWriter()
      command.encodePDU(into: &pdu)
      counters.append(try #require(signing.verify(pdu.octets[...])))
    }
    #expect(zip(counters, counters.dropFirst()).allSatisfy { $0 < $1 })
  }
}
