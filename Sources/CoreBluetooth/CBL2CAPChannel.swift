/// A connection-oriented channel to a peer. This version has none to vend: asking for one is answered with
/// `CBError.operationNotSupported`.
///
/// Availability: iOS 11.0, macOS 10.13.
open class CBL2CAPChannel: NSObject {
  /// The other end.
  open var peer: CBPeer! { nil }
  /// What comes from the peer.
  open var inputStream: InputStream! { nil }
  /// What goes to the peer.
  open var outputStream: OutputStream! { nil }
  /// By which the channel was opened.
  open var psm: CBL2CAPPSM { 0 }
}
