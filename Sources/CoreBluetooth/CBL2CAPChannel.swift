internal import BLEAdapter

/// A connection-oriented channel to a peer: octets in both directions, as many as the receiver grants.
///
/// The program has to keep a reference: when the last one is released, the channel is closed, after pending octets were sent. Its
/// streams are neither open nor scheduled when it is delivered. They work as Foundation's do: on run loops with a delegate, by
/// polling `hasBytesAvailable` and `hasSpaceAvailable`, or by blocking calls, from any thread. The channel also ends when both
/// streams are closed.
///
/// Availability: iOS 11.0, macOS 10.13.
open class CBL2CAPChannel: NSObject {
  // `nil` if a program made the object itself.
  private let pipe: ChannelPipe?
  private let other: CBPeer?
  private let input: ChannelInputStream?
  private let output: ChannelOutputStream?
  private let watch: ProgramWatch?

  init(_ pipe: ChannelPipe, to peer: CBPeer, watch: ProgramWatch?) {
    self.watch = watch
    self.pipe = pipe
    other = peer
    input = ChannelInputStream(pipe)
    output = ChannelOutputStream(pipe)
    super.init()
  }

  /// A channel without a peer: usable channels are vended by a peripheral or a peripheral manager.
  public override init() {
    watch = nil
    pipe = nil
    other = nil
    input = nil
    output = nil
    super.init()
  }

  deinit {
    if let watch, let other, inputStream?.streamStatus == .notOpen, outputStream?.streamStatus == .notOpen {
      watch.misuse(.channelReleased, ProgramSubject(peer: other.peerIdentifier), in: "deinit")
    }
    pipe?.close()
  }

  /// The peer: a `CBPeripheral` or a `CBCentral`.
  open var peer: CBPeer! { other }
  /// Octets from the peer. A peer whose octets are not read is stopped after 64 KiB.
  open var inputStream: InputStream! { input }
  /// Octets to the peer. At most 64 KiB wait here.
  open var outputStream: OutputStream! { output }
  /// The PSM that the channel was opened with.
  open var psm: CBL2CAPPSM { pipe?.multiplexer ?? 0 }

  open override var description: String {
    "<\(nameAndAddress) peer = \(peer?.description ?? "(null)"), psm = \(psm)>"
  }
}
