import BLESession
import CoreBluetooth

/// A `Chat` on its queue: the conversation, its links, and the search for the other side.
///
/// Extensions: searching and advertising (`+Central`, `+Peripheral`), agreeing on a link (`+Greeting`), frames (`+Frames`), plain apps
/// (`+Plain`), and the interface to the application (`+Application`).
final class ChatCore {
  /// The link over which messages are exchanged.
  enum Talk {
    case framed(ChatLink)
    case plain(ChatPlainTalk)
  }

  let configuration: ChatConfiguration
  let queue: DispatchQueue
  let clock: any SessionClock
  let central: CentralCore?
  private(set) var peripheral: PeripheralCore?

  var conversation: ChatConversation
  var talk: Talk?
  /// Whether the other side's arrival has been reported.
  var hasArrived = false
  var isStarted = false
  var isLeaving = false

  // The central role.
  var scan: Int?
  var device: DeviceCore?
  var centralLink: ChatLink?
  /// A connected device that is not used, since the partner is connected in the other direction. Two devices share one link on the air:
  /// releasing this before the end of the conversation would end that link.
  var spareDevice: DeviceCore?
  var framedSubscription: Int?
  var plainSubscription: Int?
  var seekTimer: (any SessionTimer)?
  /// When the scan has to be restarted for a device that is no longer avoided.
  var nextScan: (moment: Duration, timer: any SessionTimer)?
  /// Avoided devices, and until when.
  var avoided: [UUID: Duration] = [:]

  /// The number of links so far.
  var links = 0

  // The peripheral role: the centrals that have sent frames, and those that are subscribed to plain text.
  var peripheralLinks: [UUID: ChatLink] = [:]
  var plainListeners: Set<UUID> = []
  var isAdvertising = false

  // The application.
  var news: [ChatEvent] = []
  var newsOctets = 0
  var reader: Reply<ChatEvent?>?
  var writers: [(content: Data, reply: Reply<Int>)] = []
  var received = 0
  /// The last text of the conversation, as the value of the plain characteristic.
  var lastText = Data()
  var lastRefusal: (device: UUID, reason: ChatRefusal)?
  var lastPartner: String?
  /// This host's identifier of the partner in the last plain conversation.
  var lastPlainDevice: UUID?
  /// The number of unconfirmed key agreements that was last reported.
  var reportedUnconfirmed = 0
  var leaveReply: Reply<Void>?
  var leaveTimer: (any SessionTimer)?
  private(set) var isOver = false
  var isFlushing = false

  init(configuration: ChatConfiguration, options: [String: Any]?, queue: DispatchQueue, clock: any SessionClock) {
    self.configuration = configuration
    self.queue = queue
    self.clock = clock
    conversation = ChatConversation(
      identifier: configuration.identifier ?? UInt64.random(in: 1 ... .max),
      name: ChatText.prefix(of: configuration.name, atMost: ChatProtocol.longestName),
      cryptography: configuration.cryptography, wantsEncryption: configuration.requiresEncryption,
      limit: AgreementLimit(clock: clock))
    central =
      configuration.role == .peripheral
      ? nil : CentralCore(queue: queue, options: options, clock: clock, memory: nil)
    guard configuration.role != .central else { return }
    let here = OnQueue(core: self)
    let made = PeripheralCore(
      queue: queue, services: [Self.service(for: here)], options: options, clock: clock)
    made.observers.append { [weak self] in self?.peripheralDidReport($0) }
    peripheral = made
  }

  func call(after delay: Duration, _ body: @escaping (ChatCore) -> Void) -> any SessionTimer {
    clock.call(after: delay, on: queue) { [weak self] in
      if let self, !self.isOver { body(self) }
    }
  }

  /// Ends everything.
  func close() {
    guard !isOver else { return }
    isOver = true
    stopSeeking()
    leaveTimer?.cancel()
    centralLink?.end()
    for link in peripheralLinks.values { link.end() }
    device?.disconnect(nil)
    device = nil
    releaseSpareDevice()
    peripheral?.observers = []
    peripheral?.close()
    for writer in writers { writer.reply.fail(SessionError(.disconnected, "the chat has ended")) }
    writers = []
    leaveReply?.succeed(())
    if news.isEmpty {
      reader?.succeed(nil)
      reader = nil
    }
  }
}

/// A weak reference to the core for attribute handlers. `@unchecked Sendable`: they are called on its queue only.
struct OnQueue: @unchecked Sendable {
  weak var core: ChatCore?
}
