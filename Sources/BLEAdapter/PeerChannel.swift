import BLECore

/// One connection-oriented L2CAP channel to a peer: a stream of octets in each direction (Core, Vol 3 Part A 10.1). Everything
/// on the loop.
///
/// Who uses it keeps it, and ends it by `close`; it also ends with its link.
public protocol PeerChannel: AnyObject {
  /// What the channel was opened by.
  var multiplexer: ProtocolServiceMultiplexer { get }
  /// Told from now on; held weakly.
  var events: (any PeerChannelEvents)? { get set }

  /// Sends `octets` after all that were sent before, at the pace that the peer takes them. `sent` is called once, when the
  /// last of them has left for the controller, and never inside this call; not at all where the channel ends before.
  func send(_ octets: [UInt8], sent: @escaping () -> Void)
  /// `count` of the received octets are read: there is room for so many more. What is not read stops the peer.
  func consume(_ count: Int)
  /// Ends the channel when what waits has been sent. `channel(_:didClose:)` follows with `.requested`.
  func close()
}

public protocol PeerChannelEvents: AnyObject {
  /// The octets share the storage of the packet: copy what is to be kept.
  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>)
  /// The channel is over; the last event.
  func channel(_ channel: any PeerChannel, didClose reason: EndReason)
}
