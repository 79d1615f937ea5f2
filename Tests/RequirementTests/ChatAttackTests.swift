import BLEChat
import BLESession
import BLESessionCryptography
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Attackers who try to keep two chats apart, over the radio.
@Suite("A1: a chat under attack", .keepsCapture)
struct ChatAttackTests {
  @Test(
    "R1.12 I11.4 sixteen strangers that write one octet and never subscribe take no place, whether they leave or stay",
    arguments: [true, false])
  func sixteenWithoutSubscription(leaves: Bool) async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral)
    var strangers: [ChatStranger] = []
    for number in 0..<16 {
      let stranger = try await ChatStranger.connect(
        world, on: world.makeDevice("stranger \(number)"), subscribes: false)
      stranger.write([5])
      await world.settle()
      strangers.append(stranger)
      if leaves { stranger.leave() }
    }
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .central)
    try await world.wait(within: .seconds(60)) { ann.isTalking && bob.isTalking }
    try await bob.say(["hello"], in: world)
    try await world.wait(within: .seconds(10)) { ann.texts == ["hello"] }
  }

  @Test("R1.12 I11.4 sixteen strangers that subscribe, begin a greeting and stay make room for the next one")
  func sixteenWithSubscription() async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral)
    var strangers: [ChatStranger] = []
    for number in 0..<16 {
      let stranger = try await ChatStranger.connect(world, on: world.makeDevice("stranger \(number)"))
      stranger.write([5])
      await world.settle()
      strangers.append(stranger)
    }
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .central)
    try await world.wait(within: .seconds(60)) { ann.isTalking && bob.isTalking }
    #expect(strangers.count == 16 && strangers.allSatisfy { $0.peripheral.state == .connected })
  }

  /// A hello as Docs/chat.md defines it; flags: 1 talks encrypted only, 2 can encrypt.
  private static func hello(
    version: UInt8 = 2, flags: UInt8 = 0, number: UInt64, keys: UInt64 = 0, name: String = "Bob"
  ) -> [UInt8] {
    func octets(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    return [1, version, flags] + octets(number) + octets(keys) + Array(name.utf8)
  }

  @Test(
    "R1.12 I11.4 a stranger that sends a hello and nothing more is disconnected after ten seconds",
    arguments: [0, 1, 2, 3])
  func slowGreeting(steps: Int) async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral, encryption: .possible)
    let stranger = try await ChatStranger.connect(world, on: world.makeDevice("stranger"))
    // In plain text, encrypted, with a commitment, and one octet of a frame.
    let frames: [[UInt8]] = [Self.hello(number: 7), Self.hello(flags: 3, number: 7)]
    switch steps {
    case 0, 1: stranger.say(frames[steps])
    case 2:
      stranger.say(frames[1])
      stranger.say([2] + Array(repeating: 9, count: 32))
    default: stranger.write([5])
    }
    await world.advance(by: .seconds(9))
    #expect(!stranger.heard.contains([7, 5]))
    await world.advance(by: .seconds(2))
    #expect(stranger.heard.last == [7, 5] && ann.partners.isEmpty && ann.events.last == .refused(.violation))
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .central)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    #expect(stranger.peripheral.state == .connected)
  }

  @Test("R1.12 I11.4 a chat that connects to a peripheral that never says hello leaves it after ten seconds")
  func silentPeripheral() async throws {
    let world = World()
    let program = PeripheralApp(world.makeDevice("silent").options)
    await world.settle()
    let line = CBMutableCharacteristic(
      "5F6A0C1E-93D7-4B52-8E0B-FF1100000001", [.read, .write, .writeWithoutResponse, .notify], [.readable, .writeable])
    let service = CBMutableService("FF11", [line])
    program.manager.add(service)
    await world.settle()
    program.manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FF11")]])
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .central)
    try await world.wait(within: .seconds(30)) { ann.events.contains(.refused(.violation)) }
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .peripheral)
    try await world.wait(within: .seconds(120)) { ann.isTalking && bob.isTalking }
  }

  @Test("R1.12 I11.2 a chat of the first version is sent the version error, and is not left waiting")
  func firstVersion() async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral, encryption: .possible)
    let old = try await ChatStranger.connect(world, on: world.makeDevice("old"))
    old.say(Self.hello(version: 1, flags: 3, number: 7))
    await world.settle()
    // A hello that the first version can read, up to the number and the length of the name, and the reason.
    let answer = try #require(old.heard.first)
    #expect(answer.count >= 19 && answer.count <= 19 + 64 && Array(answer.prefix(2)) == [1, 2])
    #expect(old.heard.last == [7, 3] && ann.events == [.refused(.version)])
  }

  @Test(
    "R1.12 I11.14 a peer that begins agreements and breaks them off has to wait, and the next one does not for long")
  func brokenAgreements() async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral, encryption: .possible)
    var keys = 0
    for number in 0..<8 {
      let stranger = try await ChatStranger.connect(world, on: world.makeDevice("stranger \(number)"))
      stranger.say(Self.hello(flags: 3, number: UInt64(100 + number)))
      stranger.say([2] + Array(repeating: 9, count: 32))
      await world.settle()
      if stranger.heard.contains(where: { $0.first == 3 && $0.count == 33 }) { keys += 1 }
      if number > 5 { #expect(stranger.heard.last == [7, 6]) }
      stranger.leave()
      await world.advance(by: .seconds(1))
    }
    #expect(keys == 5)
    #expect(ann.events.contains(.refused(.later)))
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .central, encryption: .required)
    try await world.wait(within: .seconds(90)) { ann.isTalking && bob.isTalking }
    #expect(ann.partners.last?.failedAgreements == 5 && bob.partners.last?.failedAgreements == 0)
    #expect(ann.partners.last?.verificationCode == bob.partners.last?.verificationCode)
  }

  @Test("R1.12 I11.2 an agreement with the octets of Docs/chat.md, where a key other than the announced one is refused")
  func scriptedAgreement() async throws {
    let cryptography = SystemCryptography()
    for isHonest in [true, false] {
      let world = World()
      let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral, encryption: .possible)
      let stranger = try await ChatStranger.connect(world, on: world.makeDevice("stranger"))
      let (own, other) = (try cryptography.makeAgreementKey(), try cryptography.makeAgreementKey())
      let commitment = try cryptography.deriveKey(
        secret: own.publicKey, salt: Data(), info: Data("swift-corebluetooth agreement 2 commitment".utf8), count: 32)
      stranger.say(Self.hello(flags: 3, number: 7))
      stranger.say([2] + commitment)
      await world.settle()
      #expect(stranger.heard.last?.count == 33)
      stranger.say([3] + (isHonest ? own : other).publicKey)
      await world.settle()
      // An encrypted frame follows, or the end.
      if isHonest { #expect(stranger.heard.last?.first == 8) } else { #expect(stranger.heard.last == [7, 5]) }
      #expect(ann.partners.isEmpty)
    }
  }

  @Test(
    "R1.12 I11.5 a stranger's hello with the number of the current partner does not end that talk for long",
    arguments: [ChatParty.Encryption.none, .required])
  func sameNumber(encryption: ChatParty.Encryption) async throws {
    let world = World()
    let ann = try await ChatParty.join(
      world, on: world.makeDevice("Ann"), role: .peripheral, identifier: 1, encryption: encryption)
    // A link that existed before the two met.
    let stranger = try await ChatStranger.connect(world, on: world.makeDevice("stranger"))
    let bob = try await ChatParty.join(
      world, on: world.makeDevice("Bob"), role: .central, identifier: 2, encryption: encryption)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    stranger.say(Self.hello(flags: encryption == .none ? 0 : 3, number: 2))
    await world.advance(by: .seconds(2))
    try await bob.say(["one"], in: world)
    try await ann.say(["two"], in: world)
    try await world.wait(within: .seconds(40)) { ann.texts == ["one"] && bob.texts == ["two"] }
    if encryption == .required {
      #expect(ann.losses == 0 && bob.losses == 0 && stranger.heard.last == [7, 1])
    }
    // A goodbye in the partner's name, sent by another peer, has no effect.
    stranger.say([7, 0])
    await world.advance(by: .seconds(5))
    #expect(ann.isTalking && bob.isTalking && !ann.events.contains(.left))
  }

  @Test(
    "R1.12 I11.5 two encrypted chats agree on one link when both greet simultaneously, also where both have one name",
    arguments: [(1, 200), (200, 1), (5, 261), (256, 512)] as [(UInt64, UInt64)], ["Bob", "Ann"])
  func encryptedGreetingAtOnce(numbers: (UInt64, UInt64), name: String) async throws {
    let world = World()
    let ann = try await ChatParty.join(
      world, on: world.makeDevice("Ann"), identifier: numbers.0, encryption: .required)
    let device = world.makeDevice("device of the other")
    let bob = try await ChatParty.join(
      world, on: device, name: name, identifier: numbers.1, encryption: .possible)
    try await world.wait(within: .seconds(60)) { ann.isTalking && bob.isTalking }
    await world.advance(by: .seconds(15))
    device.moveAway()
    try await world.wait(within: .seconds(60)) { !ann.isTalking && !bob.isTalking }
    device.comeBack()
    try await world.wait(within: .seconds(60)) { ann.isTalking && bob.isTalking }
    try await ann.say(["one"], in: world)
    try await bob.say(["two"], in: world)
    try await world.wait(within: .seconds(30)) { ann.texts == ["two"] && bob.texts == ["one"] }
    // With its memory: the same code, no alarm.
    #expect(Set((ann.partners + bob.partners).map(\.verificationCode)).count == 1)
    #expect((ann.partners + bob.partners).allSatisfy { !$0.isCodeChanged })
    // Without it: another code, and the side that has a memory gets the alarm.
    device.terminateProcess()
    let again = try await ChatParty.join(world, on: device, name: name, encryption: .possible)
    try await world.wait(within: .seconds(60)) { ann.isTalking && again.isTalking }
    #expect(ann.partners.last?.isCodeChanged == true && again.partners.last?.isCodeChanged == false)
    #expect(ann.partners.last?.verificationCode == again.partners.last?.verificationCode)
  }

  @Test("R1.12 I11.5 messages waiting for an encrypted chat are not given to a plain app that connects in between")
  func plainInBetween() async throws {
    let world = World()
    let device = world.makeDevice("Bob")
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral, encryption: .possible)
    let bob = try await ChatParty.join(world, on: device, role: .central, encryption: .required)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    device.moveAway()
    try await world.wait(within: .seconds(60)) { !ann.isTalking }
    try await ann.say(["for you alone"], in: world)
    let stranger = try await ChatStranger.connect(world, on: world.makeDevice("stranger"), subscribes: false)
    let plain = try #require(stranger.program.characteristic("FF22", of: stranger.peripheral))
    stranger.peripheral.setNotifyValue(true, for: plain)
    stranger.peripheral.writeValue(Data("hello".utf8), for: plain, type: .withResponse)
    await world.advance(by: .seconds(5))
    #expect(stranger.program.values.isEmpty && ann.texts.isEmpty && ann.events.contains(.refused(.noEncryption)))
    device.comeBack()
    try await world.wait(within: .seconds(120)) { bob.texts == ["for you alone"] }
  }
}
