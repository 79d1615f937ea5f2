import BLECapture
import BLECore
import BLEWire

/// What a log says of one device, kept for a clone: its advertisements and its conversations, in bounded memory.
public struct LoggedDevice: Sendable {
  /// One PDU of the Attribute Protocol between the log's client and the device's server.
  public struct PDU: Sendable, Hashable {
    public let time: CaptureTimestamp
    /// The number of its link in the log.
    public let link: Int
    public let isFromDevice: Bool
    public let octets: [UInt8]
  }

  /// One link to the device.
  public struct Link: Sendable, Hashable {
    public let number: Int
    public let began: CaptureTimestamp
    /// `nil` if the log ends before the link does.
    public internal(set) var ended: CaptureTimestamp?
    /// HCI's reason (Core, Vol 1 Part F).
    public internal(set) var endReason: UInt8?
    /// First those at the beginning, then each change; at most 64.
    public internal(set) var parameters: [LinkParameters]
    /// What the device asked for in their place, and when; at most 16.
    public internal(set) var asked: [Asked] = []
    /// When it was encrypted; `nil` if it never was.
    public internal(set) var encryptedAt: CaptureTimestamp?
    public var isEncrypted: Bool { encryptedAt != nil }
    /// The device asked for security before a pairing, by a Security Request.
    public internal(set) var demandsSecurity = false
    /// The sides exchanged pairing features.
    public internal(set) var isPaired = false
  }

  /// A request of the device for other parameters of its link.
  public struct Asked: Sendable, Hashable {
    public let time: CaptureTimestamp
    /// In units of 1.25 ms.
    public let intervalMin: UInt16
    /// In units of 1.25 ms.
    public let intervalMax: UInt16
    public let latency: UInt16
    /// In units of 10 ms.
    public let timeout: UInt16
  }

  /// One kind of advertisement: the same octets each time.
  public struct Advertisement: Sendable, Hashable {
    public let content: HeardAdvertisement
    public internal(set) var count = 1
    public let first: CaptureTimestamp
    public internal(set) var last: CaptureTimestamp
    /// The shortest time between two of them, in nanoseconds; `nil` for a single one. A scanner misses many: this is the nearest to
    /// the device's interval.
    public internal(set) var shortestGap: Int64?
  }

  /// The octets of a conversation that are kept, a quarter of a gibibyte of memory at the most.
  public static let octetLimit = 32 << 20
  public static let pduLimit = 1 << 20
  public static let advertisementLimit = 256
  public static let linkLimit = 4_096

  public let address: DeviceAddress
  public internal(set) var pdus: [PDU] = []
  public internal(set) var links: [Link] = []
  public internal(set) var advertisements: [Advertisement] = []
  /// The time of the first PDU that was left out because of the limits; `nil` if none was.
  public private(set) var cutAt: CaptureTimestamp?
  /// The number of PDUs that were left out because of the limits.
  public private(set) var leftOutPDUs = 0
  /// The number of links that were left out because of the limit.
  public private(set) var leftOutLinks = 0
  /// The number of PDUs that the device's client and the log's server exchanged.
  public private(set) var otherDatabasePDUs = 0
  /// The number of PDUs with which the device's own client asked the log's server, or answered it.
  public private(set) var otherDatabasePDUsFromDevice = 0
  /// The number of frames of other channels: signaling, and L2CAP channels.
  public private(set) var otherFrames = 0
  /// The number of pieces whose rest the log does not contain.
  public private(set) var damagedFrames = 0
  private var octetCount = 0
  private var indices: [Int: Int] = [:]
  private var kinds: [Kind: Int] = [:]

  /// What makes two advertisements the same: not their signal strength.
  private struct Kind: Hashable {
    let data: [UInt8]
    let isScanResponse: Bool
    let isConnectable: Bool
  }

  public init(address: DeviceAddress) { self.address = address }

  /// Adds an event of this device; the caller has chosen the device's.
  public mutating func add(_ event: LogEvent) {
    switch event.content {
    case .heard(let advertisement): heard(advertisement, at: event.time)
    case .connected(let parameters):
      guard let number = event.link else { return }
      guard links.count < Self.linkLimit else {
        leftOutLinks += 1
        return
      }
      indices[number] = links.count
      links.append(Link(number: number, began: event.time, parameters: [parameters]))
    case .updated(let parameters):
      change(event) {
        if $0.parameters.count < 64, $0.parameters.last != parameters { $0.parameters.append(parameters) }
      }
    case .parametersAsked(let request):
      change(event) {
        guard $0.asked.count < 16 else { return }
        $0.asked.append(
          Asked(
            time: event.time, intervalMin: request.intervalMin, intervalMax: request.intervalMax,
            latency: request.latency, timeout: request.timeout))
      }
    case .disconnected(let reason):
      change(event) {
        $0.ended = event.time
        $0.endReason = reason
      }
    case .encrypted: change(event) { $0.encryptedAt = $0.encryptedAt ?? event.time }
    case .security(let code, let isFromDevice):
      if code == Self.pairingResponse { change(event) { $0.isPaired = true } }
      if code == Self.securityRequest, isFromDevice { change(event) { $0.demandsSecurity = true } }
    case .toServer(let octets): keep(octets, isFromDevice: false, event)
    case .fromServer(let octets): keep(octets, isFromDevice: true, event)
    case .otherDatabase(let isFromDevice):
      otherDatabasePDUs += 1
      if isFromDevice { otherDatabasePDUsFromDevice += 1 }
    case .otherChannel: otherFrames += 1
    case .damaged: damagedFrames += 1
    case .identity: break
    }
  }

  /// The codes of the Security Manager (Core, Vol 3 Part H 3.3).
  private static let pairingResponse: UInt8 = 0x02
  private static let securityRequest: UInt8 = 0x0B

  private mutating func change(_ event: LogEvent, _ body: (inout Link) -> Void) {
    guard let number = event.link, let index = indices[number] else { return }
    body(&links[index])
  }

  private mutating func keep(_ octets: [UInt8], isFromDevice: Bool, _ event: LogEvent) {
    // PDUs behind a gap would be answers to requests that are not there: the conversation ends at the limit.
    guard cutAt == nil, let link = event.link, indices[link] != nil, octetCount + octets.count <= Self.octetLimit,
      pdus.count < Self.pduLimit
    else {
      if cutAt == nil { cutAt = event.time }
      leftOutPDUs += 1
      return
    }
    octetCount += octets.count
    pdus.append(PDU(time: event.time, link: link, isFromDevice: isFromDevice, octets: octets))
  }

  private mutating func heard(_ content: HeardAdvertisement, at time: CaptureTimestamp) {
    let kind = Kind(data: content.data, isScanResponse: content.isScanResponse, isConnectable: content.isConnectable)
    guard let index = kinds[kind] else {
      guard advertisements.count < Self.advertisementLimit else { return }
      kinds[kind] = advertisements.count
      return advertisements.append(Advertisement(content: content, first: time, last: time))
    }
    let (gap, overflow) = time.nanoseconds.subtractingReportingOverflow(advertisements[index].last.nanoseconds)
    if !overflow, gap > 0 { advertisements[index].shortestGap = min(gap, advertisements[index].shortestGap ?? gap) }
    advertisements[index].count += 1
    advertisements[index].last = time
  }
}
