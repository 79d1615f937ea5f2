import BLECore

/// The peripheral asks for other connection parameters (Core, Vol 3 Part A 4.20). Holds what came; whether the values are
/// allowed is for the receiver to say.
public struct L2CAPConnectionParameterUpdateRequest: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.connectionParameterUpdateRequest

  /// Units of 1.25 ms.
  public var intervalMin: UInt16
  /// Units of 1.25 ms.
  public var intervalMax: UInt16
  /// Connection events.
  public var latency: UInt16
  /// Units of 10 ms.
  public var timeout: UInt16

  public init(intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16) {
    self.intervalMin = intervalMin
    self.intervalMax = intervalMax
    self.latency = latency
    self.timeout = timeout
  }

  /// Each value in its range, the interval not inside out, and the time-out longer than the peripheral may be silent.
  public var isAcceptable: Bool {
    guard (6...3200).contains(intervalMin), (6...3200).contains(intervalMax), intervalMin <= intervalMax,
      latency <= 499, (10...3200).contains(timeout)
    else { return false }
    // (1 + latency) * interval * 1.25 ms * 2 < timeout * 10 ms
    return (1 + UInt32(latency)) * UInt32(intervalMax) < UInt32(timeout) * 4
  }

  static let layout = Layout(
    Self.init, Field("Interval Min", \.intervalMin), Field("Interval Max", \.intervalMax), Field("Latency", \.latency),
    Field("Timeout", \.timeout))
}

/// The central's answer (Core, Vol 3 Part A 4.21).
public struct L2CAPConnectionParameterUpdateResponse: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.connectionParameterUpdateResponse

  public struct Result: WireNumber, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let accepted = Result(rawValue: 0x0000)
    public static let rejected = Result(rawValue: 0x0001)
  }

  public var result: Result

  public init(result: Result) { self.result = result }

  static let layout = Layout(Self.init, Field("Result", \.result))
}
