import BLEChat
import BLESession
import BLESessionCryptography
import BLETestKit
import Foundation

/// One side of a chat and what happens to it.
final class ChatParty: Sendable {
  enum Encryption {
    case none, possible, required
  }

  let chat: Chat
  private let entries = Locked<[ChatEvent]>([])

  private init(_ chat: Chat) { self.chat = chat }

  /// Starts a chat on a device.
  static func join(
    _ world: World, on device: Device, name: String? = nil, role: ChatConfiguration.Role = .automatic,
    partner: String? = nil, identifier: UInt64? = nil, inboxLimit: Int = 1 << 18,
    encryption: Encryption = .none
  ) async throws -> ChatParty {
    let configuration = ChatConfiguration(
      name: name ?? device.name, role: role, partner: partner,
      cryptography: encryption == .none ? nil : SystemCryptography(), requiresEncryption: encryption == .required,
      identifier: identifier, inboxLimit: inboxLimit)
    let party = ChatParty(Chat(configuration, options: device.options, clock: world.clock))
    _ = world.start { await party.listen() }
    try await world.perform { try await party.chat.start() }
    return party
  }

  private func listen() async {
    while let event = await chat.next() { entries.change { $0.append(event) } }
  }

  var events: [ChatEvent] { entries.value }
  var texts: [String] { events.compactMap { if case .message(let message) = $0 { message.text } else { nil } } }
  var numbers: [Int] { events.compactMap { if case .message(let message) = $0 { message.number } else { nil } } }
  var delivered: [Int] {
    events.flatMap { event -> [Int] in if case .delivered(let numbers) = event { numbers } else { [] } }
  }
  var undeliverable: [Int] {
    events.flatMap { event -> [Int] in if case .undeliverable(let numbers) = event { numbers } else { [] } }
  }
  var partners: [ChatPartner] { events.compactMap { if case .arrived(let partner) = $0 { partner } else { nil } } }
  var losses: Int { events.count { $0 == .away } }
  /// Whether messages can flow now.
  var isTalking: Bool {
    for event in events.reversed() {
      switch event {
      case .arrived: return true
      case .away, .left: return false
      default: continue
      }
    }
    return false
  }

  func say(_ texts: [String], in world: World) async throws {
    try await world.perform { [chat] in for text in texts { try await chat.send(text) } }
  }
}
