import BLESession
import CoreBluetooth

/// A conversation between two devices without a network: each side's messages arrive at the other whole, in order and once, even if the
/// link is lost.
///
/// Both sides may advertise and scan (``ChatConfiguration/Role/automatic``); they agree on one link. A plain app that offers service FF11
/// with characteristic FF22, or that connects to it, takes part without these guarantees: each value is a message.
///
/// ```swift
/// let chat = Chat(ChatConfiguration(name: "Ann"))
/// try await chat.start()
/// try await chat.send("hello")
/// while let event = await chat.next() {
///   if case .message(let message) = event { print(message.text) }
/// }
/// ```
public final class Chat: Sendable {
  /// The longest message, in octets of UTF-8.
  public static let longestMessage = ChatProtocol.longestMessage

  private let core: Confined<ChatCore>

  /// Creates a chat, which does nothing until `start()`.
  /// - Parameters:
  ///   - configuration: how it finds the other side, and what it discloses about this one.
  ///   - options: the options for `CBCentralManager` and `CBPeripheralManager`.
  ///   - clock: the source of time; tests pass a simulated world's.
  public init(
    _ configuration: ChatConfiguration, options: [String: Any]? = nil, clock: any SessionClock = SystemSessionClock()
  ) {
    let queue = DispatchQueue(label: "BLESession.Chat")
    core = Confined(queue: queue, clock: clock) {
      ChatCore(configuration: configuration, options: options, queue: queue, clock: clock)
    }
  }

  deinit { core.perform { $0.close() } }

  /// Starts to advertise and scan, according to the role; returns when that is under way.
  /// - Throws: `unavailable` where Bluetooth cannot be used, `refused` where the service or the advertisement is refused.
  public func start() async throws(SessionError) {
    try await core.reply { core, reply in core.start(reply) }
  }

  /// Sends a message; returns when it has a place in the outbox, which is when there is room. It is sent when the other side is present:
  /// ``ChatEvent/delivered(_:)`` contains the returned number when it has arrived.
  /// - Throws: `invalid` for a text that is empty or too long, `disconnected` after the end.
  @discardableResult
  public func send(_ text: String) async throws(SessionError) -> Int {
    guard !text.isEmpty else { throw SessionError(.invalid, "a message has at least one octet") }
    return try await core.reply { core, reply in core.send(Data(text.utf8), reply) }
  }

  /// Announces that this side sends no more messages. It is delivered after all previous messages, and counts as a message with a number
  /// of its own.
  @discardableResult
  public func finish() async throws(SessionError) -> Int {
    try await core.reply { core, reply in core.send(Data(), reply) }
  }

  /// The next event; `nil` after the end. One call at a time. Events wait to be read: while too many messages do, the other side has to
  /// wait.
  public func next() async -> ChatEvent? {
    (try? await core.reply { core, reply in core.next(reply) }) ?? nil
  }

  /// How many of this side's messages have not been delivered.
  public var undelivered: Int {
    get async { await core.value { $0.conversation.outbox.entries.count + $0.writers.count } }
  }

  /// Says goodbye and ends the links; returns when they are down. Undelivered messages are lost.
  public func leave() async {
    _ = try? await core.reply { core, reply in core.leave(reply) } as Void
  }

  /// Ends the link as if the other side had gone out of reach, to test that case. The chat reconnects.
  /// - Returns: whether there was a link to end. Only the link's central can end it.
  @discardableResult
  public func breakLink() async -> Bool { await core.value { $0.breakLink() } }
}
