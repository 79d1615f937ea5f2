import BLESession
import CoreBluetooth

/// What a `Chat` is on its queue: the talk, the links it takes, and the other side that is looked for.
///
/// Facets: looking for somebody and being found (`+Central`, `+Peripheral`), agreeing on a link (`+Greeting`), frames over it
/// (`+Frames`), plain apps (`+Plain`), and what the application is told and says (`+Application`).
final class ChatCore {
  /// With whom messages are exchanged now.
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
  /// Whether the other side of this talk has been told of.
  var hasArrived = false
  var isStarted = false
  var isLeaving = false

  // Being a central.
  var scan: Int?
  var device: DeviceCore?
  var centralLink: ChatLink?
  /// A device that the talk does without, since it came the other way round. Between two devices there is but one link on the air:
  /// it is let go of when the talk is over, or the talk would end with it.
  var spareDevice: DeviceCore?
  var framedSubscription: Int?
  var plainSubscription: Int?
  var seekTimer: (any SessionTimer)?
  /// When the scan is to begin again for the sake of one of those that are left alone.
  var nextScan: (moment: Duration, timer: any SessionTimer)?
  /// Devices that are left alone until then.
  var shunned: [UUID: Duration] = [:]

  /// Links so far.
  var links = 0

  // Being a peripheral: the centrals that have spoken frames, and those that listen to plain text.
  var peripheralLinks: [UUID: ChatLink] = [:]
  var plainListeners: Set<UUID> = []
  var isAdvertising = false

  // The application.
  var news: [ChatEvent] = []
  var newsOctets = 0
  var reader: Reply<ChatEvent?>?
  var writers: [(content: Data, reply: Reply<Int>)] = []
  var received = 0
  /// The last text of the talk, for who reads the plain characteristic.
  var lastText = Data()
  var lastRefusal: (device: UUID, reason: ChatRefusal)?
  var lastPartner: String?
  /// What the other side of the last plain talk is called here.
  var lastPlainDevice: UUID?
  /// Agreements on keys that came to nothing and that the application has been told of.
  var toldUnconfirmed = 0
  var farewell: Reply<Void>?
  var farewellTimer: (any SessionTimer)?
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
    made.observers.append { [weak self] in self?.peripheralTold($0) }
    peripheral = made
  }

  func call(after delay: Duration, _ body: @escaping (ChatCore) -> Void) -> any SessionTimer {
    clock.call(after: delay, on: queue) { [weak self] in
      if let self, !self.isOver { body(self) }
    }
  }

  /// Nothing happens any more.
  func close() {
    guard !isOver else { return }
    isOver = true
    stopSeeking()
    farewellTimer?.cancel()
    centralLink?.end()
    for link in peripheralLinks.values { link.end() }
    device?.disconnect(nil)
    device = nil
    letGoOfSpareDevice()
    peripheral?.observers = []
    peripheral?.close()
    for writer in writers { writer.reply.fail(SessionError(.disconnected, "the chat has ended")) }
    writers = []
    farewell?.succeed(())
    if news.isEmpty {
      reader?.succeed(nil)
      reader = nil
    }
  }
}

/// What handlers of attributes hold of a core. `@unchecked Sendable`: they are called on its queue only.
struct OnQueue: @unchecked Sendable {
  weak var core: ChatCore?
}
