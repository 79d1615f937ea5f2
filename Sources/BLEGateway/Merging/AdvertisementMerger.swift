/// An advertisement as all gateways together have heard it.
public struct MergedAdvertisement<Content: Hashable & Sendable>: Sendable, Hashable {
  /// How one gateway has heard it.
  public struct Hearing: Sendable, Hashable {
    /// The gateway.
    public let gateway: String
    /// The greatest strength in dBm; `nil` where none was measured.
    public fileprivate(set) var rssi: Int?
    /// How often it was heard.
    public fileprivate(set) var count: Int
  }

  /// Who has advertised.
  public let device: String
  /// What.
  public let content: Content
  /// When it arrived first, by the merger's clock.
  public let time: Duration
  /// The gateways that have heard it, the strongest first.
  public fileprivate(set) var hearings: [Hearing]
}

/// Makes one of the advertisements that several gateways have heard: those of one device with the same content that arrive within a
/// window. Content is what was advertised, without strength and time.
///
/// Times are those at which they arrive here, so that clocks of gateways may be wrong; the window has to be longer than their ways to the
/// broker differ. A device that repeats an advertisement within the window has sent one.
public struct AdvertisementMerger<Content: Hashable & Sendable>: Sendable {
  private struct Key: Hashable, Sendable {
    let device: String
    let content: Content
  }

  private let window: Duration
  private let most: Int
  private let mostGateways: Int
  private var open: [Key: MergedAdvertisement<Content>] = [:]
  /// In the order in which their windows end.
  private var order: [Key] = []
  private var head = 0

  /// - Parameters:
  ///   - window: how long after the first the others are waited for.
  ///   - most: of more that wait, the oldest are handed out before their time.
  ///   - mostGateways: for each; more are not noted.
  public init(window: Duration = .seconds(1), most: Int = 10_000, mostGateways: Int = 32) {
    self.window = window
    self.most = max(1, most)
    self.mostGateways = max(1, mostGateways)
  }

  /// How many wait.
  public var count: Int { open.count }

  /// When `advance(to:)` has to be called next; `nil`: nothing waits.
  public var wake: Duration? { head < order.count ? open[order[head]].map { $0.time + window } : nil }

  /// A gateway has heard an advertisement.
  /// - Returns: those whose window has ended, in their order.
  public mutating func take(
    _ content: Content, of device: String, heardBy gateway: String, rssi: Int?, at now: Duration
  ) -> [MergedAdvertisement<Content>] {
    var finished = advance(to: now)
    let key = Key(device: device, content: content)
    if open[key] == nil {
      if open.count >= most, let oldest = removeFirst() { finished.append(oldest) }
      open[key] = MergedAdvertisement(device: device, content: content, time: now, hearings: [])
      order.append(key)
    }
    open[key]?.note(gateway, rssi, mostGateways)
    return finished
  }

  /// The clock has reached `now`.
  /// - Returns: those whose window has ended, in their order.
  public mutating func advance(to now: Duration) -> [MergedAdvertisement<Content>] {
    var finished: [MergedAdvertisement<Content>] = []
    while let wake, wake <= now, let first = removeFirst() { finished.append(first) }
    return finished
  }

  private mutating func removeFirst() -> MergedAdvertisement<Content>? {
    guard head < order.count else { return nil }
    let key = order[head]
    head += 1
    if head > 1_024, head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
    guard var merged = open.removeValue(forKey: key) else { return nil }
    merged.hearings.sort { ($0.rssi ?? -128, $1.gateway) > ($1.rssi ?? -128, $0.gateway) }
    return merged
  }
}

extension MergedAdvertisement {
  fileprivate mutating func note(_ gateway: String, _ rssi: Int?, _ most: Int) {
    if let index = hearings.firstIndex(where: { $0.gateway == gateway }) {
      hearings[index].count += 1
      if let rssi { hearings[index].rssi = max(rssi, hearings[index].rssi ?? rssi) }
    } else if hearings.count < most {
      hearings.append(Hearing(gateway: gateway, rssi: rssi, count: 1))
    }
  }
}
