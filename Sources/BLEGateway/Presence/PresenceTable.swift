import BLEReports
import BLESession
import Foundation

/// Where devices are, and what they advertise, by what all gateways of a broker say. Bounded; it has neither clock nor link.
struct PresenceTable: Sendable {
  /// What is to be published.
  enum Outcome: Sendable {
    case moved(PresenceChange)
    case merged(MergedAdvertisement<AdvertisedContent>)
  }

  /// What one gateway has said.
  struct Gateway: Sendable {
    var isOffline = false
    var delay = GatewayDelay()
    /// The devices to which it is connected.
    var devices: Set<String> = []
  }

  static let mostGateways = 1_000
  /// Of advertisements that wait for others like them.
  static let mostWaiting = 2_048

  let topics: GatewayTopics
  /// `nil`: rooms are not asked for.
  let settings: GatewayConfiguration.Presence?
  var rules: PresenceRules { settings?.rules ?? PresenceRules() }
  var board: PresenceBoard
  /// `nil`: advertisements are not merged.
  var merger: AdvertisementMerger<AdvertisedContent>?
  var gateways: [String: Gateway] = [:]
  /// The gateways that are connected to a device.
  var keepers: [String: [String]] = [:]
  /// The names of kept devices, by their addresses without colons.
  private(set) var names: [String: String] = [:]
  private var recentGateways = RecentNames<String>()
  private var recentAddresses = RecentNames<String>()
  private var isExpecting = false
  /// Messages that no gateway would publish, and those that have waited too long.
  var (ignored, late) = (0, 0)

  init(_ configuration: GatewayConfiguration) {
    topics = configuration.topics
    settings = configuration.presence
    board = PresenceBoard(
      rules: configuration.presence?.rules ?? PresenceRules(), rooms: configuration.rooms,
      lasting: Set(configuration.presence?.tracked.keys.map { $0 } ?? []))
    merger = configuration.merging.map { AdvertisementMerger(window: $0, most: Self.mostWaiting) }
  }

  /// What has to be subscribed to, in this order: a device that is heard before it is known where it was seems to be found again.
  var filters: [String] {
    let advertisements = "\(topics.prefix)/+/device/+/advertisement"
    guard settings != nil else { return [advertisements] }
    let others = ["+/status", "+/device/+/status", "+/device/+/rssi"].map { "\(topics.prefix)/\($0)" }
    return [topics.presence(of: "+")] + others + [advertisements]
  }

  /// When `advance(to:)` has to be called next; `nil`: not before a message arrives.
  var wake: Duration? {
    mutating get { [board.wake, merger?.wake].compactMap { $0 }.min() }
  }

  mutating func advance(to now: Duration) -> [Outcome] {
    board.advance(to: now).map(Outcome.moved) + (merger?.advance(to: now) ?? []).map(Outcome.merged)
  }

  /// There is a link to the broker. With the first one the devices of the configuration are expected.
  mutating func connected(at now: Duration) -> [Outcome] {
    guard let settings, !isExpecting else { return [] }
    isExpecting = true
    return settings.tracked.keys.sorted().flatMap { board.remember($0, in: nil, at: now) }.map(Outcome.moved)
  }

  /// Changes a gateway, which is known from now on.
  mutating func change<Result>(_ gateway: String, _ body: (inout Gateway) -> Result) -> Result {
    if let oldest = recentGateways.use(gateway, most: Self.mostGateways),
      let gone = gateways.removeValue(forKey: oldest)
    {
      for device in gone.devices { keepers[device]?.removeAll { $0 == oldest } }
    }
    return body(&gateways[gateway, default: Gateway()])
  }

  /// The device with this address is kept under a name of its own.
  mutating func name(_ address: String, _ name: String) -> [PresenceChange] {
    let level = address.filter(\.isHexDigit)
    guard level.count == 12, address.utf8.count <= 17, level != name else { return [] }
    if let oldest = recentAddresses.use(level, most: rules.mostDevices) { names[oldest] = nil }
    guard names.updateValue(name, forKey: level) != name else { return [] }
    return board.remove(level)
  }
}
