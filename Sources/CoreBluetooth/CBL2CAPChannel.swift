internal import BLEAdapter

/// A connection-oriented channel to a peer: octets in both directions, as many as the other side reads.
///
/// The program has to keep it: when the last reference goes, the channel is closed, after what was written has been sent. Its
/// streams are neither open nor scheduled when it is delivered. They work as Foundation's do: on run loops with a delegate, or
/// without by `hasBytesAvailable` and `hasSpaceAvailable`, or by calls that wait, from any thread. The channel also ends when
/// both streams are closed.
///
/// Availability: iOS 11.0, macOS 10.13.
open class CBL2CAPChannel: NSObject {
  // None of them where a program has made the object itself.
  private let pipe: ChannelPipe?
  private let other: CBPeer?
  private let input: ChannelInputStream?
  private let output: ChannelOutputStream?

  init(_ pipe: ChannelPipe, to peer: CBPeer) {
    self.pipe = pipe
    other = peer
    input = ChannelInputStream(pipe)
    output = ChannelOutputStream(pipe)
    super.init()
  }

  /// A channel to nobody: those that lead somewhere are vended by a peripheral or a peripheral manager.
  public override init() {
    pipe = nil
    other = nil
    input = nil
    output = nil
    super.init()
  }

  deinit { pipe?.close() }

  /// The other end: a `CBPeripheral` or a `CBCentral`.
  open var peer: CBPeer! { other }
  /// What comes from the peer. A peer that is not read from is stopped after 64 KiB.
  open var inputStream: InputStream! { input }
  /// What goes to the peer. 64 KiB can wait here.
  open var outputStream: OutputStream! { output }
  /// By which the channel was opened.
  open var psm: CBL2CAPPSM { pipe?.multiplexer ?? 0 }

  open override var description: String {
    "<\(nameAndAddress) peer = \(peer?.description ?? "(null)"), psm = \(psm)>"
  }
}
