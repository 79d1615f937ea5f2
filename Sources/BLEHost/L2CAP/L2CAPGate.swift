import BLECore
import BLEWire

/// Stands between the fixed channels of a link and the protocols on them, where something has to see each payload and may change it. A link
/// without a gate, which is usual, passes payloads on at once. Everything on the loop.
protocol L2CAPGate: AnyObject {
  /// The host sends a payload. The gate gives to `L2CAPLink.transmit` what it lets pass, in this call or later; it calls `sent` once and
  /// never inside this call, or hands it on.
  func send(_ payload: consuming ByteWriter, on channel: ChannelIdentifier, sent: (() -> Void)?)
  /// The peer has sent a payload. The gate gives to `L2CAPLink.deliver` what it lets pass. The payload shares the storage of the
  /// controller's packet: copy what outlives the call.
  func receive(_ payload: ArraySlice<UInt8>, on channel: ChannelIdentifier)
  /// The link has ended: nothing more is passed on.
  func linkDidClose()
}

extension ChannelIdentifier {
  /// Whether it exists on each LE link from its beginning.
  var isFixed: Bool {
    switch self {
    case .attributeProtocol, .lowEnergySignaling, .securityManager: true
    default: false
    }
  }
}
