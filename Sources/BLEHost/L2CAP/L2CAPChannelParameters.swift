import BLECore
import BLEWire

/// What this side of a channel takes.
public struct L2CAPChannelParameters: Hashable, Sendable {
  /// The longest SDU, in octets; by default 16 frames with the length in front. Octets are handed on as they come, so that a
  /// long one costs no memory.
  public var maximumTransmissionUnit: UInt16
  /// The longest payload of a K-frame, in octets. By default a frame fills one packet of the link layer.
  public var maximumPayloadSize: UInt16
  /// How many octets may be on their way to the reader: what the peer gets credits for, less what is not read yet.
  public var window: Int

  public init(maximumTransmissionUnit: UInt16 = 3_950, maximumPayloadSize: UInt16 = 247, window: Int = 65_536) {
    self.maximumTransmissionUnit = maximumTransmissionUnit
    self.maximumPayloadSize = maximumPayloadSize
    self.window = window
  }

  /// The credits that fill the window. Each is good for a whole frame, so that small frames cannot make it larger.
  var credits: Int { max(1, min(window / Int(maximumPayloadSize), L2CAPLimits.maximumCredits)) }
}

/// The two modes that channels of an LE link have (Core, Vol 3 Part A 10.1 and 10.2). On the air they differ in how channels are
/// opened, and in that the enhanced ones can be reconfigured.
public enum L2CAPChannelMode: Hashable, Sendable {
  case leCreditBased
  case enhancedCreditBased

  /// The smallest MTU and MPS that the peer may have, in octets.
  var minimumSize: UInt16 {
    switch self {
    case .leCreditBased: L2CAPLimits.minimumMTU
    case .enhancedCreditBased: L2CAPLimits.minimumEnhancedMTU
    }
  }

  /// Whether a peer may say that it takes so much.
  func allows(mtu: UInt16, mps: UInt16) -> Bool {
    mtu >= minimumSize && (minimumSize...L2CAPLimits.maximumMPS).contains(mps)
  }
}

/// What the other side of a channel takes, and how it is named there.
struct L2CAPChannelPeer {
  var channel: ChannelIdentifier
  var mtu: UInt16
  var mps: UInt16
  var credits: UInt16
}
