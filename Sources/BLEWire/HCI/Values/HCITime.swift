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
public struct ConnectionInterval: TimeUnits, WireNumber {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.microseconds(1_250)
}

/// How long a link may be silent before it is lost, in steps of 10 ms; 0x000A to 0x0C80 (Core, Vol 4 Part E 7.8.12).
public struct SupervisionTimeout: TimeUnits, WireNumber {
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
public struct ScanInterval: TimeUnits, WireNumber {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.microseconds(625)
}

/// A time in steps of 10 ms; 0 means none (advertising and scanning durations, authenticated payload time-out).
public struct HCICentiseconds: TimeUnits, WireNumber {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = StackDuration.milliseconds(10)
}

/// The interval, latency and supervision time-out of a connection, as a host asks for them
/// (Core, Vol 4 Part E 7.8.12, 7.8.18, 7.8.31).
public struct ConnectionParameters: Hashable, HasLayout, WireValue {
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

  static let layout = Layout(
    Self.init, Field("Connection_Interval_Min", \.intervalMinimum), Field("Connection_Interval_Max", \.intervalMaximum),
    Field("Max_Latency", \.latency), Field("Supervision_Timeout", \.supervisionTimeout),
    Field("Min_CE_Length", \.eventLengthMinimum), Field("Max_CE_Length", \.eventLengthMaximum))
}
