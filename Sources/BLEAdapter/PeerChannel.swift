import BLECore

/// One connection-oriented L2CAP channel to a peer: a stream of octets in each direction (Core, Vol 3 Part A 10.1). Everything on the loop.
///
/// Its user retains it, and ends it by `close`; it also ends with its link.
public protocol PeerChannel: AnyObject {
  /// The PSM that the channel was opened with.
  var multiplexer: ProtocolServiceMultiplexer { get }
  /// Receives the events from now on; held weakly.
  var events: (any PeerChannelEvents)? { get set }

  /// Sends `octets` after all that were sent before, at the rate that the peer's credits allow. `sent` is called once, when the
  /// last of them was passed to the controller, and never inside this call; not at all if the channel ends before.
  func send(_ octets: [UInt8], sent: @escaping () -> Void)
  /// Reports that `count` of the received octets were read: room for as many again. Unread octets stop the peer.
  func consume(_ count: Int)
  /// Ends the channel when all pending octets are sent. `channel(_:didClose:)` follows with `.requested`.
  func close()
}

public protocol PeerChannelEvents: AnyObject {
  /// The octets share the storage of the packet: copy what is to be kept.
  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>)
  /// Called when the channel has ended; the last event.
  func channel(_ channel: any PeerChannel, didClose reason: EndReason)
}
