import BLEChat
import BLEReports
import BLESession
import BLESessionCryptography
import BLETestKit
import Foundation
import Testing

@testable import BLEWeb

@Suite("The chat in the explorer", .timeLimit(.minutes(10)))
struct ChatTests {
  /// The explorer in a chat, and a program on another device of its world in the same chat.
  private struct Talk {
    let scene: ExplorerScene
    let partner: Chat
    let bob: Device

    init(encrypted: Bool = false) async throws {
      scene = await ExplorerScene()
      bob = scene.world.makeDevice("bob")
      let partner = Chat(
        ChatConfiguration(name: "Bob", cryptography: SystemCryptography(), identifier: 7),
        options: bob.options, clock: scene.world.clock)
      self.partner = partner
      try await scene.world.perform { try await partner.start() }
      let joined = try await scene.ask("PUT", "chat", #"{"name":"Ann","encrypted":\#(encrypted)}"#)
      #expect(joined.status == 200 && joined["joined"] as? Bool == true, "\(joined)")
      try await scene.eventually("chat") { $0["state"] as? String == "present" }
    }

    /// The next event of the partner that is of interest.
    func next(_ wanted: @escaping @Sendable (ChatEvent) -> Bool) async throws -> ChatEvent? {
      try await scene.world.perform { [partner] in
        while let event = await partner.next() { if wanted(event) { return event } }
        return nil
      }
    }
  }

  private struct Unheard: Error {}

  @Test("I15.1 the chat shows who is there; messages go both ways with their delivery, and leaving ends it")
  func conversation() async throws {
    let talk = try await Talk()
    let scene = talk.scene
    #expect(try await scene.ask("GET", "chat")["partner", "name"] as? String == "Bob")
    let said = try await scene.ask("POST", "chat/messages", #"{"text":"hello"}"#)
    #expect(said.status == 200 && said["own"] as? Bool == true, "\(said)")
    let heard = try await talk.next { if case .message = $0 { true } else { false } }
    guard case .message(let message) = heard else { throw Unheard() }
    #expect(message.text == "hello")
    try await scene.eventually("chat") { $0["messages", 0, "delivery"] as? String == "delivered" }
    _ = try await scene.world.perform { try await talk.partner.send("hi <Ann>") }
    let answered = try await scene.eventually("chat") { $0["messages", 1, "text"] as? String == "hi <Ann>" }
    #expect(answered["messages", 1, "own"] as? Bool == false && answered["messages", 1, "delivery"] is NSNull)
    #expect(try await scene.ask("DELETE", "chat", "{}")["joined"] as? Bool == false)
    #expect(try await talk.next { $0 == .left } == .left)
    #expect(try await scene.ask("POST", "chat/messages", #"{"text":"more"}"#).status == 409)
  }

  @Test("I15.1 what is said while the other side is away is delivered when it is back")
  func away() async throws {
    let talk = try await Talk()
    let scene = talk.scene
    talk.bob.cutPower()
    try await scene.eventually("chat") { $0["state"] as? String == "away" }
    let said = try await scene.ask("POST", "chat/messages", #"{"text":"are you there?"}"#)
    #expect(said["delivery"] as? String == "waiting", "\(said)")
    talk.bob.restorePower()
    try await scene.eventually("chat") { $0["messages", 0, "delivery"] as? String == "delivered" }
  }

  @Test("I15.1 an encrypted chat shows the code to compare")
  func code() async throws {
    let talk = try await Talk(encrypted: true)
    let code = try await talk.scene.ask("GET", "chat")["partner", "code"] as? String
    #expect(code?.count == 6, "\(code ?? "none")")
  }

  @Test("I15.1 who is not in the chat, is in it already or says nothing is refused, and what waits is bounded")
  func refusals() async throws {
    let scene = await ExplorerScene()
    #expect(try await scene.ask("POST", "chat/messages", #"{"text":"x"}"#).status == 409)
    #expect(try await scene.ask("PUT", "chat", #"{"name":""}"#).status == 400)
    #expect(try await scene.ask("PUT", "chat", #"{"name":"Ann"}"#).status == 200)
    #expect(try await scene.ask("PUT", "chat", #"{"name":"Ann"}"#).status == 409)
    #expect(try await scene.ask("POST", "chat/messages", #"{"text":""}"#).status == 400)
    let long = String(repeating: "a", count: ChatRoom.longestMessage)
    #expect(try await scene.ask("POST", "chat/messages", #"{"text":"\#(long)b"}"#).status == 400)
    var statuses: [Int] = []
    for _ in 0..<9 { statuses.append(try await scene.ask("POST", "chat/messages", #"{"text":"\#(long)"}"#).status) }
    #expect(statuses == Array(repeating: 200, count: 8) + [409])
    let left = try await scene.ask("DELETE", "chat", "{}")
    let lost = (left["messages"] as? [[String: Any]] ?? []).filter { $0["delivery"] as? String == "lost" }
    #expect(lost.count == 8)
  }

  @Test("I15.1 a long chat keeps the last messages only, and of a long message its beginning")
  func bounds() {
    var messages = ChatMessages()
    for number in 1...600 { _ = messages.add("message \(number)") }
    #expect(messages.json.count == 500)
    _ = messages.add(String(repeating: "ä", count: 1 << 19))
    let long = messages.json.last?.text ?? ""
    #expect(long.utf8.count < 1 << 17 && long.contains(#""cut":true"#))
    #expect(messages.settle([5], .delivered).isEmpty)
    let place = messages.add(own: "early")
    #expect(messages.sent(place, as: 5).text.contains("delivered"))
  }
}
