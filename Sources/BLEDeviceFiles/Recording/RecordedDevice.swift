import CoreBluetooth

/// What a log shows of a device: its advertisements, its attributes with their handles and values, and what it says when.
///
/// Handles, scan responses and the times of notifications are nothing that a program can give to Core Bluetooth.
/// ``SimulatedDevice`` plays what Core Bluetooth allows; a server below it plays the recording as it is.
public struct RecordedDevice: Sendable, Hashable {
  /// The most common first.
  public var advertisements: [RecordedAdvertisement] = []
  /// The longest PDU of the Attribute Protocol that the device accepts, in octets; `nil` if nothing asked it.
  public var maximumTransmissionUnit: UInt16?
  /// The parameters of its links, in the order in which they were in force.
  public var connections: [RecordedConnection] = []
  /// What it asks its central for in their place, on each link.
  public var parameterRequests: [RecordedParameterRequest] = []
  /// What it demanded before it answered.
  public var security = RecordedSecurity()
  /// In the order of their handles, each handle once.
  public var attributes: [RecordedAttribute] = []
  /// What it says after writes. The first that fits a write counts.
  public var answers: [RecordedAnswer] = []
  /// What it says to subscribers without being asked.
  public var streams: [RecordedStream] = []
  /// Requests with the responses that were recorded, where the attributes would answer otherwise.
  public var exchanges: [RecordedExchange] = []
  /// What was not understood, as sentences.
  public var notes: [String] = []

  /// Nothing is known.
  public init() {}

  /// The attribute with that handle.
  public func attribute(_ handle: UInt16) -> RecordedAttribute? {
    var (low, high) = (0, attributes.count)
    while low < high {
      let middle = (low + high) / 2
      if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low < attributes.count && attributes[low].handle == handle ? attributes[low] : nil
  }
}

/// An advertisement or a scan response, as on the air.
public struct RecordedAdvertisement: Sendable, Hashable {
  /// Advertising data structures (Core, Vol 3 Part C 11).
  public var data: Data
  /// Whether it answers the request of a scanner.
  public var isScanResponse: Bool
  /// Whether a central may connect.
  public var isConnectable: Bool
  /// The time between two, in microseconds; `nil` if one was heard.
  public var interval: Int64?

  /// An advertisement with this content, each `interval` microseconds.
  public init(data: Data, isScanResponse: Bool, isConnectable: Bool, interval: Int64?) {
    self.data = data
    self.isScanResponse = isScanResponse
    self.isConnectable = isConnectable
    self.interval = interval
  }
}

/// The parameters of a link (Core, Vol 6 Part B 4.5.1), in the units of HCI.
public struct RecordedConnection: Sendable, Hashable {
  /// The time between connection events, in units of 1.25 ms.
  public var interval: UInt16
  /// The number of connection events that the device may skip.
  public var latency: UInt16
  /// In units of 10 ms.
  public var supervisionTimeout: UInt16

  /// Parameters in the units of HCI.
  public init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }
}

/// A request for other parameters of a link (Core, Vol 3 Part A 4.20).
public struct RecordedParameterRequest: Sendable, Hashable {
  /// Microseconds after the link began.
  public var delay: Int64
  /// The least time between connection events, in units of 1.25 ms.
  public var minimumInterval: UInt16
  /// The greatest time between connection events, in units of 1.25 ms.
  public var maximumInterval: UInt16
  /// The number of connection events that the device may skip.
  public var latency: UInt16
  /// In units of 10 ms.
  public var supervisionTimeout: UInt16

  /// A request, sent `delay` microseconds after the beginning of the link.
  public init(
    delay: Int64, minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16
  ) {
    self.delay = delay
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }
}

/// What a device demanded of its links.
public struct RecordedSecurity: Sendable, Hashable {
  /// It sent a Security Request of its own accord.
  public var isDemanded = false
  /// The sides have paired.
  public var isPaired = false
  /// A link was encrypted.
  public var isEncrypted = false

  /// Nothing was demanded.
  public init() {}
}

/// One attribute of a device's database.
public struct RecordedAttribute: Sendable, Hashable {
  /// What it is.
  public enum Kind: Sendable, Hashable {
    /// The declaration of a service, which ends with the handle `end`.
    case service(CBUUID, end: UInt16, isPrimary: Bool)
    /// The declaration of an included service; `uuid` is in it for UUIDs of 16 bits only.
    case included(start: UInt16, end: UInt16, uuid: CBUUID?)
    /// The declaration of a characteristic; `properties` as on the air (Core, Vol 3 Part G 3.3.1.1).
    case characteristic(CBUUID, valueHandle: UInt16, properties: UInt8)
    /// A value or a descriptor; `type` is `nil` where a central used the handle without discovering it in the log.
    case value(type: CBUUID?)
  }

  /// Which octets the value takes over.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// What a central writes.
    case written
    /// What the device notifies or indicates.
    case notified
  }

  /// Its handle, not 0.
  public var handle: UInt16
  /// What it is.
  public var kind: Kind
  /// What a read returns; `nil` if none was seen.
  public var value: RecordedValue?
  /// What the value takes over.
  public var follows: Set<Source> = []
  /// How reads are refused.
  public var readRefusal: RecordedRefusal?
  /// How writes are refused.
  public var writeRefusal: RecordedRefusal?

  /// An attribute without a value.
  public init(handle: UInt16, kind: Kind, value: RecordedValue? = nil) {
    self.handle = handle
    self.kind = kind
    self.value = value
  }
}

/// An error that the device answered with.
public struct RecordedRefusal: Sendable, Hashable {
  /// The error code (Core, Vol 3 Part F 3.4.1.1).
  public var code: UInt8
  /// It is not refused on an encrypted link.
  public var endsWithEncryption: Bool

  /// A refusal with that error code.
  public init(code: UInt8, endsWithEncryption: Bool) {
    self.code = code
    self.endsWithEncryption = endsWithEncryption
  }
}
