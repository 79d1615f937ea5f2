import BLEChat
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A chat with apps that know FF11 and FF22 and nothing else, and with some that know less.
@Suite("A1: a chat with a plain app", .keepsCapture)
struct PlainChatTests {
  private static let long = String(repeating: "你好 hello 👍 ", count: 60)

  @Test(
    "R1.12 a plain peripheral gets plain text, long text in parts that are whole characters, and its text is received")
  func plainPeripheral() async throws {
    let world = World()
    let (program, line) = Devices.chat(on: world.makeDevice("other"))
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"))
    try await world.wait(within: .seconds(30)) { ann.isTalking }
    let partner = try #require(ann.partners.first)
    #expect(partner.name == "My dear" && !partner.isFramed && partner.isCentralHere && partner.verificationCode == nil)
    try await ann.say(["hello", Self.long], in: world)
    try await world.wait(within: .seconds(30)) { ann.delivered == [1, 2] }
    let written = program.events.compactMap { if case .wrote(let parts) = $0 { parts.joined() } else { nil } }
    #expect(written.first == "hello" && written.dropFirst().joined() == Self.long && written.count > 2)
    #expect(written.allSatisfy { !$0.isEmpty && $0.utf8.count <= 512 && !$0.contains("\u{FFFD}") })
    #expect(program.events.contains(.subscribed("FF22")))
    program.queue.sync { _ = program.manager.updateValue(Data("hi 👋".utf8), for: line, onSubscribedCentrals: nil) }
    try await world.wait(within: .seconds(5)) { ann.texts == ["hi 👋"] }
  }

  @Test("R1.12 a plain central writes, is notified, reads the last text, and never gets a frame")
  func plainCentral() async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"))
    let app = CentralApp(world.makeDevice("phone").options)
    let found = try await app.find(services: [CBUUID(string: "FF11")], in: world)
    #expect(app.sightings[0].name == "Ann")
    app.manager.stopScan()
    try await app.connect(to: found, in: world)
    await found.discoverAll(in: world)
    // A central that takes the first characteristic has the right one.
    let line = try #require(found.services?.first?.characteristics?.first)
    #expect(line.uuid == CBUUID(string: "FF22") && line.properties == [.read, .write, .notify])
    // One that subscribes to every characteristic gets nothing but text either.
    for characteristic in found.services?.first?.characteristics ?? [] {
      found.setNotifyValue(true, for: characteristic)
    }
    try await world.wait(within: .seconds(10)) { ann.isTalking }
    #expect(ann.partners.first?.isFramed == false && ann.partners.first?.isCentralHere == false)
    found.writeValue(Data(Self.long.utf8.prefix(500)), for: line, type: .withResponse)
    try await world.wait(within: .seconds(10)) { !ann.texts.isEmpty }
    #expect(ann.texts[0].utf8.count >= 498)
    app.values = []
    try await ann.say(["hello", Self.long], in: world)
    try await world.wait(within: .seconds(10)) { ann.delivered == [1, 2] }
    await world.settle()
    let texts = app.values.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.first == "hello" && texts.dropFirst().joined() == Self.long)
    await found.read(line, in: world)
    #expect(app.values.last == Data(Self.long.utf8.prefix(512)))
    app.manager.cancelPeripheralConnection(found)
    try await world.wait(within: .seconds(10)) { ann.events.last == .away }
  }

  /// What a central that violates the protocol writes to the characteristic for frames.
  @Test(
    "R1.12 a peer that violates the protocol is left, and the next one is accepted",
    arguments: [
      Data([0, 0]), Data([0xFF, 0xFF, 1]), Data([2, 0, 5, 0]), Data([1, 0, 0x7F]),
      Data([20, 0, 1, 9] + Array(repeating: 0, count: 17)),
      Data([4, 0, 8, 1, 2, 3]), Data(repeating: 0x41, count: 500),
    ])
  func hostile(octets: Data) async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), role: .peripheral)
    let app = CentralApp(world.makeDevice("phone").options)
    let found = try await app.meet(in: world)
    let framed = try found.characteristic("5F6A0C1E-93D7-4B52-8E0B-FF1100000001")
    await found.notify(true, framed, in: world)
    for _ in 0..<3 { found.writeValue(octets, for: framed, type: .withResponse) }
    await world.settle()
    #expect(ann.partners.isEmpty)
    #expect(app.events.contains { if case .written(_, let code) = $0 { code != 0 } else { false } })
    app.manager.cancelPeripheralConnection(found)
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"), role: .central)
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    try await bob.say(["hello"], in: world)
    try await world.wait(within: .seconds(10)) { ann.texts == ["hello"] }
  }

  @Test("R1.12 a flood of messages that are not read stops at the window, and none is lost")
  func flood() async throws {
    let world = World()
    let ann = try await ChatParty.join(world, on: world.makeDevice("Ann"), inboxLimit: 0)
    let bob = try await ChatParty.join(world, on: world.makeDevice("Bob"))
    try await world.wait(within: .seconds(30)) { ann.isTalking && bob.isTalking }
    let texts = (0..<200).map { "\($0) " + String(repeating: "x", count: 2_000) }
    let sending = world.start { [chat = bob.chat] in for text in texts { try await chat.send(text) } }
    try await world.wait(within: .seconds(120)) { bob.delivered.count == 200 }
    #expect(ann.texts == texts && sending.isOver)
  }
}
