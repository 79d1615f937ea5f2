import BLESession
import CoreBluetooth

/// A conversation between two devices, with no network: what one side says arrives at the other whole, in order and once, whatever
/// happens to the link.
///
/// Both sides may advertise and scan (``ChatConfiguration/Role/automatic``); they agree on one link. A plain app that has service FF11
/// with characteristic FF22, or that connects to it, takes part with what Core Bluetooth gives: each value is a message.
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

  /// A chat that does nothing before its `start()`.
  /// - Parameters:
  ///   - configuration: how it looks for the other side, and what it tells of itself.
  ///   - options: what `CBCentralManager` and `CBPeripheralManager` take.
  ///   - clock: where the time comes from; tests pass a simulated world's.
  public init(
    _ configuration: ChatConfiguration, options: [String: Any]? = nil, clock: any SessionClock = SystemSessionClock()
  ) {
    let queue = DispatchQueue(label: "BLESession.Chat")
    core = Confined(queue: queue, clock: clock) {
      ChatCore(configuration: configuration, options: options, queue: queue, clock: clock)
    }
  }

  deinit { core.perform { $0.close() } }

  /// Begins to look for the other side, and to be found; returns when that is under way.
  /// - Throws: `unavailable` where Bluetooth cannot be used, `refused` where the service or the advertisement is refused.
  public func start() async throws(SessionError) {
    try await core.reply { core, reply in core.start(reply) }
  }

  /// Says something; returns when it has its place among the messages that wait, which is when there is room. It is delivered when the
  /// other side is there: `delivered` tells of it by the number that this gives.
  /// - Throws: `invalid` for no text or too long a one, `disconnected` after the end.
  @discardableResult
  public func send(_ text: String) async throws(SessionError) -> Int {
    guard !text.isEmpty else { throw SessionError(.invalid, "a message has at least one octet") }
    return try await core.reply { core, reply in core.send(Data(text.utf8), reply) }
  }

  /// Says that nothing more will come from this side; the other one hears of it when everything before has arrived. It counts as
  /// a message and is delivered like one.
  @discardableResult
  public func finish() async throws(SessionError) -> Int {
    try await core.reply { core, reply in core.send(Data(), reply) }
  }

  /// What happens next; `nil` after the end. One asker at a time. Events wait to be asked for: while too many messages do, the other
  /// side waits.
  public func next() async -> ChatEvent? {
    (try? await core.reply { core, reply in core.next(reply) }) ?? nil
  }

  /// How many of this side's messages have not been delivered.
  public var undelivered: Int {
    get async { await core.value { $0.conversation.outbox.entries.count + $0.writers.count } }
  }

  /// Says goodbye and ends the links; returns when they are down. What was not delivered is not delivered any more.
  public func leave() async {
    _ = try? await core.reply { core, reply in core.leave(reply) } as Void
  }

  /// Breaks the link, as if the other side had gone out of reach in the middle of a word: to try out what happens. It is won back.
  /// - Returns: whether there was a link to break. Only its central can.
  @discardableResult
  public func breakLink() async -> Bool { await core.value { $0.breakLink() } }
}
