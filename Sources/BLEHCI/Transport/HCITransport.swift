import BLECore
import BLEWire

/// A way to a controller and back. Everything on the stack's loop.
public protocol HCITransport: AnyObject {
  /// What it is, for messages: `tcp-client:127.0.0.1:9000`.
  var name: String { get }
  /// True where the controller is simulated: only then may random numbers be seeded.
  var isSimulated: Bool { get }

  /// False while nobody is at the other end yet: the receiver is told when that changes, and nothing is sent before.
  var isReady: Bool { get }

  /// True where a controller that has gone, or does not answer, may be there again at any time, as an adapter of this machine may: it is
  /// tried again without end.
  var comesBack: Bool { get }

  /// Opens the way. Afterwards packets and the end of the transport are told to `receiver`, which is held weakly.
  func open(receiver: any HCITransportReceiver) throws(TransportError)
  /// Brings a packet to the controller. Does nothing on a transport that is not open.
  func send(_ packet: HCIPacket)
  /// Closes for good; nothing is told to the receiver afterwards.
  func close()
}

extension HCITransport {
  public var isReady: Bool { true }
  public var comesBack: Bool { false }
}

/// The host's end of a transport. Everything on the stack's loop.
public protocol HCITransportReceiver: AnyObject {
  /// Somebody is at the other end now. Told only by a transport that was not ready when it was opened.
  func transportIsReady(_ transport: any HCITransport)
  /// The controller cannot be had now; the transport tells when it is there. Told only by a transport that was not ready when it was
  /// opened, and again when the cause is another one.
  func transport(_ transport: any HCITransport, waitsBecause cause: TransportError)
  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket)
  /// The way is gone and will not come back by itself.
  func transport(_ transport: any HCITransport, didFail error: TransportError)
}

extension HCITransportReceiver {
  public func transportIsReady(_ transport: any HCITransport) {}
  public func transport(_ transport: any HCITransport, waitsBecause cause: TransportError) {}
}

/// Why a transport could not be opened or ended.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// Nobody there: no such host, path or device, or nobody listens.
    case unreachable
    case notPermitted
    /// The adapter is there, and the user has switched it off.
    case switchedOff
    /// The other end closed, or the device was unplugged.
    case closed
    /// The other end sent what is not HCI.
    case malformed
    /// The name of the transport cannot be understood.
    case invalidName
  }

  public let kind: Kind
  /// A sentence for people that says what happened and what to do.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
