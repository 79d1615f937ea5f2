import BLECore

/// A number of equal steps of time, as the controller counts them.
public protocol TimeUnits: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable {
  /// How long one step is.
  static var unit: StackDuration { get }
  init(rawValue: RawValue)
}

extension TimeUnits {
  /// The number of steps nearest to `duration`, at least 0 and at most what the field can hold.
  public init(nearest duration: StackDuration) {
    let steps = (duration + Self.unit / 2) / Self.unit
    self.init(rawValue: RawValue(clamping: steps))
  }

  public var duration: StackDuration { Self.unit * Int64(clamping: rawValue) }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "\(duration.seconds * 1000) ms" }
}

/// The time between two connection events, in steps of 1.25 ms; 0x0006 to 0x0C80 (Core, Vol 4 Part E 7.8.12).
public struct ConnectionInterval: TimeUnits {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.microseconds(1_250)
}

/// How long a link may be silent before it is lost, in steps of 10 ms; 0x000A to 0x0C80 (Core, Vol 4 Part E 7.8.12).
public struct SupervisionTimeout: TimeUnits {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.milliseconds(10)
}

/// The time between two advertising events, in steps of 0.625 ms; legacy commands have 16 bits of it, extended 24
/// (Core, Vol 4 Part E 7.8.5, 7.8.53).
public struct AdvertisingInterval: TimeUnits {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let unit = StackDuration.microseconds(625)
}

/// The time from the start of one scan window to the next, or the length of a window, in steps of 0.625 ms; 0x0004 to
/// 0x4000, extended to 0xFFFF (Core, Vol 4 Part E 7.8.10, 7.8.64).
public struct ScanInterval: TimeUnits {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.microseconds(625)
}

/// A time in steps of 10 ms; 0 means none (advertising and scanning durations, authenticated payload time-out).
public struct HCICentiseconds: TimeUnits {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.milliseconds(10)
}

/// The interval, latency and supervision time-out of a connection, as a host asks for them
/// (Core, Vol 4 Part E 7.8.12, 7.8.18, 7.8.31).
public struct ConnectionParameters: Hashable, Sendable {
  public var intervalMinimum: ConnectionInterval
  public var intervalMaximum: ConnectionInterval
  /// How many connection events the peripheral may skip, 0 to 499.
  public var latency: UInt16
  public var supervisionTimeout: SupervisionTimeout
  /// The length of connection events that the host suggests, in steps of 0.625 ms.
  public var eventLengthMinimum: UInt16
  public var eventLengthMaximum: UInt16

  public init(
    intervalMinimum: ConnectionInterval, intervalMaximum: ConnectionInterval, latency: UInt16 = 0,
    supervisionTimeout: SupervisionTimeout, eventLengthMinimum: UInt16 = 0, eventLengthMaximum: UInt16 = 0xFFFF
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.eventLengthMinimum = eventLengthMinimum
    self.eventLengthMaximum = eventLengthMaximum
  }

  static let example = ConnectionParameters(
    intervalMinimum: ConnectionInterval(rawValue: 12), intervalMaximum: ConnectionInterval(rawValue: 24), latency: 4,
    supervisionTimeout: SupervisionTimeout(rawValue: 400), eventLengthMinimum: 2, eventLengthMaximum: 8)
}

extension ByteReader {
  mutating func connectionInterval(_ field: StaticString) throws(DecodeError) -> ConnectionInterval {
    ConnectionInterval(rawValue: try uint16(field))
  }

  mutating func supervisionTimeout(_ field: StaticString) throws(DecodeError) -> SupervisionTimeout {
    SupervisionTimeout(rawValue: try uint16(field))
  }

  mutating func scanInterval(_ field: StaticString) throws(DecodeError) -> ScanInterval {
    ScanInterval(rawValue: try uint16(field))
  }

  mutating func centiseconds(_ field: StaticString) throws(DecodeError) -> HCICentiseconds {
    HCICentiseconds(rawValue: try uint16(field))
  }

  mutating func connectionParameters() throws(DecodeError) -> ConnectionParameters {
    ConnectionParameters(
      intervalMinimum: try connectionInterval("Connection_Interval_Min"),
      intervalMaximum: try connectionInterval("Connection_Interval_Max"),
      latency: try uint16("Max_Latency"),
      supervisionTimeout: try supervisionTimeout("Supervision_Timeout"),
      eventLengthMinimum: try uint16("Min_CE_Length"),
      eventLengthMaximum: try uint16("Max_CE_Length"))
  }
}

extension ByteWriter {
  mutating func append(_ units: some TimeUnits) {
    append(UInt64(units.rawValue), width: units.rawValue.bitWidth / 8)
  }

  mutating func append(_ parameters: ConnectionParameters) {
    append(parameters.intervalMinimum)
    append(parameters.intervalMaximum)
    append(parameters.latency)
    append(parameters.supervisionTimeout)
    append(parameters.eventLengthMinimum)
    append(parameters.eventLengthMaximum)
  }
}
