import BLECore

/// A command was not understood or names a channel that does not exist (Core, Vol 3 Part A 4.1).
public struct L2CAPCommandReject: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.commandReject

  public struct Reason: WireNumber, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let commandNotUnderstood = Reason(rawValue: 0x0000)
    public static let signalingMTUExceeded = Reason(rawValue: 0x0001)
    public static let invalidChannelIdentifier = Reason(rawValue: 0x0002)
  }

  public var reason: Reason
  /// Nothing, the actual MTU (two octets), or the two channel identifiers that were asked for (four octets).
  public var reasonData: ArraySlice<UInt8>

  public init(reason: Reason, reasonData: ArraySlice<UInt8> = []) {
    self.reason = reason
    self.reasonData = reasonData
  }

  /// The rejection of a command whose channels do not exist.
  public init(invalidLocal local: ChannelIdentifier, remote: ChannelIdentifier) {
    var writer = ByteWriter(capacity: 4)
    writer.append(local.rawValue)
    writer.append(remote.rawValue)
    self.init(reason: .invalidChannelIdentifier, reasonData: writer.octets[...])
  }

  static let layout = Layout(Self.init, Field("Reason", \.reason), Field("Reason Data", \.reasonData, .rest))

  public static var examples: [Self] {
    [
      Self(reason: .commandNotUnderstood),
      Self(reason: .signalingMTUExceeded, reasonData: [23, 0]),
      Self(invalidLocal: ChannelIdentifier(0x40), remote: ChannelIdentifier(0x41)),
    ]
  }
}
