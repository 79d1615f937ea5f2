import BLECore
import BLEWire

/// What this side of a channel can receive.
public struct L2CAPChannelParameters: Hashable, Sendable {
  /// The longest SDU, in octets; by default 16 frames including the SDU length field. Data is delivered frame by frame, so a
  /// long SDU costs no memory.
  public var maximumTransmissionUnit: UInt16
  /// The longest payload of a K-frame, in octets. By default a frame fills one link-layer packet.
  public var maximumPayloadSize: UInt16
  /// The bound on unread octets together with those that the peer has credits to send, in octets.
  public var window: Int

  public init(maximumTransmissionUnit: UInt16 = 3_950, maximumPayloadSize: UInt16 = 247, window: Int = 65_536) {
    self.maximumTransmissionUnit = maximumTransmissionUnit
    self.maximumPayloadSize = maximumPayloadSize
    self.window = window
  }

  /// The credits that fill the window. Each counts as a full frame, so small frames cannot exceed the window.
  var credits: Int { max(1, min(window / Int(maximumPayloadSize), L2CAPLimits.maximumCredits)) }
}

/// The two channel modes of an LE link (Core, Vol 3 Part A 10.1 and 10.2). They differ in how channels are opened, and only
/// enhanced channels can be reconfigured.
public enum L2CAPChannelMode: Hashable, Sendable {
  case leCreditBased
  case enhancedCreditBased

  /// The smallest MTU and MPS that the peer may declare, in octets.
  var minimumSize: UInt16 {
    switch self {
    case .leCreditBased: L2CAPLimits.minimumMTU
    case .enhancedCreditBased: L2CAPLimits.minimumEnhancedMTU
    }
  }

  /// Whether a peer may declare this MTU and MPS.
  func allows(mtu: UInt16, mps: UInt16) -> Bool {
    mtu >= minimumSize && (minimumSize...L2CAPLimits.maximumMPS).contains(mps)
  }
}

/// The peer's end of a channel: its identifier, what it can receive, and the credits it has granted.
struct L2CAPChannelPeer {
  var channel: ChannelIdentifier
  var mtu: UInt16
  var mps: UInt16
  var credits: UInt16
}
