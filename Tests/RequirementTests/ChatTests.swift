import BLEChat
import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A1: a chat between two devices", .keepsCapture)
struct ChatTests {
  private static let words = [
    "hello", "{\"text\": \"JSON\", \"n\": [1, 2]}", "你好，世界", "👋🏽 👨‍👩‍👧‍👦", "e\u{301}", "line\nbreak",
  ]

  /// Messages of 1 to 20,000 octets.
  private static func texts(_ count: Int, _ who: String) -> [String] {
    (0..<count).map { number in
      let length = [0, 3, 40, 700, 5_000, 19_900][number % 6]
      return "\(who)\(number) " + String(repeating: words[number % words.count], count: length / 20)
    }
  }

  private static func pair(
    in world: World, roles: (ChatConfiguration.Role, ChatConfiguration.Role) = (.automatic, .automatic),
    identifiers: (UInt64, UInt64) = (1, 200), encryption: ChatParty.Encryption = .none
  ) async throws -> (ann: ChatParty, bob: ChatParty) {
    let ann = try await ChatParty.join(
      world, on: world.makeDevice("Ann"), role: roles.0, identifier: identifiers.0, encryption: encryption)
    let bob = try await ChatParty.join(
      world, on: world.makeDevice("Bob"), role: roles.1, identifier: identifiers.1, encryption: encryption)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    return (ann, bob)
  }

  @Test(
    "R1.12 two chats that both advertise and scan agree on one link, whichever is first",
    arguments: [(1, 200), (200, 1), (5, 261), (261, 5), (256, 512), (1 << 60, 1 << 61)] as [(UInt64, UInt64)])
  func oneLink(first: UInt64, second: UInt64) async throws {
    let world = World()
    let (ann, bob) = try await Self.pair(in: world, identifiers: (first, second))
    try await ann.say(["one"], in: world)
    try await bob.say(["two"], in: world)
    await world.advance(by: .seconds(30))
    let (here, there) = (try #require(ann.partners.last), try #require(bob.partners.last))
    #expect(here.name == "Bob" && there.name == "Ann" && here.isFramed && there.isFramed)
    #expect(here.isCentralHere != there.isCentralHere)
    #expect(bob.texts == ["one"] && ann.texts == ["two"] && ann.delivered == [1] && bob.delivered == [1])
    #expect(ann.isTalking && bob.isTalking && ann.losses == 0 && bob.losses == 0)
  }

  @Test("R1.12 text, JSON and emoji of up to 20,000 octets flow both ways, with fixed roles, in order and once")
  func bothWays() async throws {
    let world = World()
    let (ann, bob) = try await Self.pair(in: world, roles: (.peripheral, .central))
    #expect(ann.partners.last?.isCentralHere == false && bob.partners.last?.isCentralHere == true)
    let (said, answered) = (Self.texts(30, "a"), Self.texts(30, "b"))
    let first = world.start { [chat = ann.chat] in for text in said { try await chat.send(text) } }
    let second = world.start { [chat = bob.chat] in for text in answered { try await chat.send(text) } }
    try await world.wait(within: .seconds(120)) { ann.delivered.count == 30 && bob.delivered.count == 30 }
    #expect(first.isOver && second.isOver)
    #expect(bob.texts == said && ann.texts == answered && bob.numbers == Array(1...30))
    #expect(ann.delivered == Array(1...30))
  }

  @Test("R1.12 messages sent while the link is lost, ten times, arrive in order and once", arguments: [1, 2])
  func losses(seed: UInt64) async throws {
    let world = World(seed: seed)
    let bobsDevice = world.makeDevice("Bob")
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), identifier: 7)
    let bob = try await ChatParty.join(world, on: bobsDevice, identifier: 99)
    let (said, answered) = (Self.texts(60, "a"), Self.texts(60, "b"))
    let first = world.start { [chat = ann.chat] in for text in said { try await chat.send(text) } }
    let second = world.start { [chat = bob.chat] in for text in answered { try await chat.send(text) } }
    for round in 1...10 {
      try await world.wait(within: .seconds(60)) { ann.isTalking && bob.isTalking }
      await world.advance(by: .milliseconds(40 * round))
      bobsDevice.moveAway()
      try await world.wait(within: .seconds(60)) { !ann.isTalking && !bob.isTalking }
      await world.advance(by: .seconds(round))
      bobsDevice.comeBack()
    }
    try await world.wait(within: .seconds(300)) { ann.delivered.count == 60 && bob.delivered.count == 60 }
    #expect(bob.texts == said && ann.texts == answered)
    #expect(ann.losses >= 10 && bob.losses >= 10 && first.isOver && second.isOver)
  }

  @Test("R1.12 a link that breaks inside a message is restored, and Bluetooth may be switched off and on")
  func broken() async throws {
    let world = World()
    let annsDevice = world.makeDevice("Ann")
    let ann = try await ChatParty.join(world, on: annsDevice, role: .central)
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .peripheral)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    let said = Self.texts(40, "a")
    let sending = world.start { [chat = ann.chat] in for text in said { try await chat.send(text) } }
    for _ in 0..<10 {
      try await world.wait(within: .seconds(60)) { ann.isTalking && bob.isTalking }
      await world.advance(by: .milliseconds(90))
      #expect(try await world.perform { await ann.chat.breakLink() })
      #expect(try await world.perform { await bob.chat.breakLink() } == false)
    }
    annsDevice.powerOff()
    await world.advance(by: .seconds(20))
    #expect(!ann.isTalking && !bob.isTalking)
    annsDevice.powerOn()
    try await world.wait(within: .seconds(120)) { ann.delivered.count == 40 }
    #expect(bob.texts == said && sending.isOver)
  }

  @Test("R1.12 the peer leaves and comes back: messages sent meanwhile arrive, and a stranger does not get them")
  func leaving() async throws {
    let world = World()
    let device = world.makeDevice("Bob")
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"))
    let bob = try await ChatParty.join(world, on: device)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    // Both have connected to each other; the choice between the two links is made by now.
    await world.advance(by: .seconds(5))
    try await world.perform { await bob.chat.leave() }
    try await world.wait(within: .seconds(10)) { ann.events.last == .left }
    try await ann.say(["are you there?"], in: world)
    let eve = try await ChatParty.join(world, on: world.makeDevice("Eve"))
    await world.advance(by: .seconds(20))
    #expect(eve.partners.isEmpty && ann.delivered.isEmpty)
    #expect(eve.events.contains(.refused(.busy)) || ann.events.contains(.refused(.busy)))
    try await world.perform { await eve.chat.leave() }
    device.terminateProcess()
    let again = try await ChatParty.join(world, on: device, name: "Bob")
    try await world.wait(within: .seconds(60)) { again.texts == ["are you there?"] && ann.delivered == [1] }
    try await again.say(["I am back"], in: world)
    try await world.wait(within: .seconds(10)) { ann.texts == ["I am back"] }
  }

  @Test(
    "R1.12 a peer that leaves while both have connected to each other is not waited for: the next one is found",
    arguments: [0, 1, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240] as [UInt64])
  func leavingAtOnce(_ head: UInt64) async throws {
    // Ann starts to connect this many milliseconds after Bob.
    for delay in 0..<20 {
      let world = World()
      let (ann, bob) = try await Self.pair(in: world, identifiers: (256 + head, 512))
      await world.advance(by: .milliseconds(10 * delay))
      try await world.perform { await bob.chat.leave() }
      try await world.wait(within: .seconds(10)) { ann.events.last == .left }
      let carol = try await ChatParty.join(world, on: world.makeDevice("Carol"), role: .peripheral)
      try await world.wait(within: .seconds(10)) { ann.isTalking && carol.isTalking }
    }
  }

  @Test(
    "I15.7 a side that leaves while both have connected to each other says so on the link that the other one keeps",
    arguments: [.none, .required] as [ChatParty.Encryption], [1, 10, 20, 40, 60, 100] as [UInt64])
  func leavingWhileTwoLinksAreResolved(encryption: ChatParty.Encryption, head: UInt64) async throws {
    // The link of the side with the smaller number is kept, and the side whose number has the smaller last octet connects first.
    for (ann, bob) in [(256 + head, 512), (512 + head, 256)] as [(UInt64, UInt64)] {
      for (annLeaves, delay) in [true, false].flatMap({ side in stride(from: 0, to: 80, by: 4).map { (side, $0) } }) {
        let world = World()
        let pair = try await Self.pair(in: world, identifiers: (ann, bob), encryption: encryption)
        await world.advance(by: .milliseconds(delay))
        let (leaver, other) = annLeaves ? (pair.ann, pair.bob) : (pair.bob, pair.ann)
        let start = world.now
        try await world.perform { [chat = leaver.chat] in await chat.leave() }
        #expect(world.now - start < .seconds(1), "\(ann) and \(bob), after \(delay) ms: \(world.now - start)")
        try await world.wait(within: .seconds(10)) { other.events.last == .left || other.events.last == .away }
        #expect(other.events.last == .left, "\(ann) and \(bob), after \(delay) ms: \(other.events)")
      }
    }
  }

  @Test(
    "I15.7 a side that leaves is told of no loss, and the other one that it has left, whoever is the central",
    arguments: [(.automatic, .automatic), (.central, .peripheral), (.peripheral, .central)]
      as [(ChatConfiguration.Role, ChatConfiguration.Role)], [true, false])
  func leavingIsNoLoss(roles: (ChatConfiguration.Role, ChatConfiguration.Role), annLeaves: Bool) async throws {
    let world = World()
    let (ann, bob) = try await Self.pair(in: world, roles: roles)
    await world.advance(by: .seconds(5))
    let (leaver, other) = annLeaves ? (ann, bob) : (bob, ann)
    try await world.perform { [chat = leaver.chat] in await chat.leave() }
    try await world.wait(within: .seconds(10)) { other.events.last == .left }
    await world.advance(by: .seconds(5))
    #expect(ann.losses == 0 && bob.losses == 0, "\(ann.events) \(bob.events)")
  }

  @Test("R1.12 the requested partner is found among others, and a third peer gets the answer that both are busy")
  func choosing() async throws {
    let world = World()
    let carol = try await ChatParty.join(world, on: world.makeDevice("Carol"), role: .peripheral)
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .peripheral)
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .central, partner: "Bob")
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    #expect(ann.partners.map(\.name) == ["Bob"])
    let dan = try await ChatParty.join(world, on: world.makeDevice("Dan"), role: .central, partner: "Carol")
    try await world.wait(within: .seconds(30)) { dan.isTalking && carol.isTalking }
    #expect(dan.partners.map(\.name) == ["Carol"] && ann.isTalking)
  }

  @Test("R1.12 the end of one side's messages is reported when all before it have arrived")
  func finishing() async throws {
    let world = World()
    let (ann, bob) = try await Self.pair(in: world)
    try await world.perform { [chat = ann.chat] in
      for text in Self.texts(7, "a") { try await chat.send(text) }
      try await chat.finish()
    }
    try await world.wait(within: .seconds(30)) { bob.events.last == .finished }
    #expect(bob.texts.count == 7)
    let refused = world.start { [chat = ann.chat] in try await chat.send("") }
    let long = world.start { [chat = ann.chat] in
      try await chat.send(String(repeating: "x", count: Chat.longestMessage + 1))
    }
    try await world.wait(within: .seconds(5)) { refused.isOver && long.isOver }
    #expect(
      refused.error(as: SessionError.self)?.code == .invalid && long.error(as: SessionError.self)?.code == .invalid)
  }
}
