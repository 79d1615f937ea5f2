import BLEChat
import BLEReports
import BLESession
import BLESessionCryptography
import Foundation

/// The explorer in a chat with a device nearby: who is there, and what was said. All browsers share it.
actor ChatRoom {
  private let hub: EventHub
  private let options: @Sendable () -> [String: Any]?
  private let clock: any SessionClock
  private var chat: Chat?
  private var name: String?
  private var presence = Presence.off
  private var partner: ChatPartner?
  /// Why there is no conversation, for people.
  private var problem: String?
  private var messages = ChatMessages()
  private var tasks: [Task<Void, Never>] = []

  private enum Presence: String {
    /// Not in the chat.
    case off
    /// The other side is looked for.
    case searching
    case present
    /// The link was lost: what is said now is delivered when the other side is back.
    case away
    /// The other side has ended the conversation.
    case left
  }

  /// The longest message that a browser sends, in octets of UTF-8.
  static let longestMessage = 1 << 16
  /// Octets of this side's messages that may wait to be delivered.
  private static let mostWaiting = 1 << 19

  init(hub: EventHub, options: @escaping @Sendable () -> [String: Any]?, clock: any SessionClock) {
    self.hub = hub
    self.options = options
    self.clock = clock
  }

  /// Enters the chat; what was said before is forgotten.
  /// - Throws: `unavailable` where this explorer is in the chat already.
  func join(name: String, partner: String?, isEncrypted: Bool) throws(APIError) {
    guard chat == nil else { throw APIError(.unavailable, "this explorer is in the chat already: leave it first") }
    let configuration = ChatConfiguration(
      name: name, partner: partner, cryptography: SystemCryptography(), requiresEncryption: isEncrypted,
      identifier: .random(in: 1 ... .max))
    let chat = Chat(configuration, options: options(), clock: clock)
    self.chat = chat
    self.name = name
    (self.partner, problem, presence, messages) = (nil, nil, .searching, ChatMessages())
    tasks = [
      Task { [weak self] in
        do throws(SessionError) { try await chat.start() } catch { await self?.failed(error, of: chat) }
      },
      Task { [weak self] in while let event = await chat.next() { await self?.take(event, of: chat) } },
    ]
    publish()
  }

  /// Says goodbye; what was not delivered is lost.
  func leave() async {
    guard let chat else { return }
    self.chat = nil
    (presence, partner, problem) = (.off, nil, nil)
    for task in tasks { task.cancel() }
    tasks = []
    for entry in messages.giveUp() { hub.publish("message", entry) }
    publish()
    await chat.leave()
  }

  /// - Throws: `unavailable` outside of the chat, or while too much waits to be delivered.
  func say(_ text: String) async throws(APIError) -> JSONValue {
    guard let chat else { throw APIError(.unavailable, "this explorer is not in the chat: join it first") }
    guard messages.waiting + text.utf8.count <= Self.mostWaiting else {
      throw APIError(.unavailable, "too much waits to be delivered: the other side is away")
    }
    let place = messages.add(own: text)
    do throws(SessionError) {
      let number = try await chat.send(text)
      let entry = messages.sent(place, as: number)
      hub.publish("message", entry)
      return entry
    } catch {
      hub.publish("message", messages.lose(place))
      throw APIError(error)
    }
  }

  private func failed(_ error: SessionError, of chat: Chat) {
    guard chat === self.chat, error.code != .cancelled else { return }
    problem = error.description
    publish()
  }

  private func take(_ event: ChatEvent, of chat: Chat) {
    // What a chat that was left had still to tell is of the past.
    guard chat === self.chat else { return }
    switch event {
    case .arrived(let arrival): (presence, partner, problem) = (.present, arrival, nil)
    case .away: presence = .away
    case .left: presence = .left
    case .message(let message): return hub.publish("message", messages.add(message.text))
    case .delivered(let numbers): return publish(messages.settle(numbers, .delivered))
    case .undeliverable(let numbers): return publish(messages.settle(numbers, .lost))
    case .finished: return
    case .refused(let refusal): problem = Self.sentence(refusal)
    case .unavailable(let error): problem = error.description
    }
    publish()
  }

  private func publish(_ entries: [JSONValue]) { for entry in entries { hub.publish("message", entry) } }
  private func publish() { hub.publish("chat", state) }

  private static func sentence(_ refusal: ChatRefusal) -> String {
    switch refusal {
    case .busy: "a device that was found talks with another one"
    case .noEncryption: "a device that was found does not talk encrypted, or does not talk otherwise"
    case .version: "a device that was found speaks another version of the protocol"
    case .notAskedFor: "a device that was found has another name than was asked for, or asks for another one"
    case .violation: "a device that was found breaks the rules of the protocol"
    case .later: "too many agreements on keys have failed: the next one is possible within a minute"
    }
  }

  /// Without the messages.
  private var state: JSONValue {
    [
      "joined": .bool(chat != nil), "name": .string(orNull: name), "state": .string(presence.rawValue),
      "problem": .string(orNull: problem), "partner": partner.map(Self.json) ?? .null,
    ]
  }

  var json: JSONValue { .combined(state, ["messages": .array(messages.json)]) }

  private static func json(_ partner: ChatPartner) -> JSONValue {
    [
      "name": .string(orNull: partner.name),
      "identifier": .string(orNull: partner.identifier.map { String($0, radix: 16) }),
      "framed": .bool(partner.isFramed), "role": .string(partner.isCentralHere ? "central" : "peripheral"),
      "code": .string(orNull: partner.verificationCode), "code_changed": .bool(partner.isCodeChanged),
      "failed_agreements": .integer(partner.failedAgreements),
    ]
  }
}
