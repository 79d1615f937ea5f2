import BLECore
import BLEWire

/// A transport to a controller. Everything on the stack's loop.
public protocol HCITransport: AnyObject {
  /// Its name, for messages: `tcp-client:127.0.0.1:9000`.
  var name: String { get }
  /// Whether the controller is simulated: only then may random numbers be seeded.
  var isSimulated: Bool { get }

  /// False while the other end is not connected: the receiver is notified when that changes, and nothing is sent before.
  var isReady: Bool { get }

  /// Whether a controller that was removed, or does not answer, may return at any time, as an adapter of this machine may:
  /// restarts then continue without end.
  var comesBack: Bool { get }

  /// Opens the transport. Then `receiver`, which is held weakly, is notified of packets and of the end of the transport.
  func open(receiver: any HCITransportReceiver) throws(TransportError)
  /// Sends a packet to the controller. Does nothing on a transport that is not open.
  func send(_ packet: consuming HCIPacket)
  /// Closes the transport permanently; the receiver is not called afterwards.
  func close()
}

extension HCITransport {
  public var isReady: Bool { true }
  public var comesBack: Bool { false }
}

/// The host's end of a transport. Everything on the stack's loop.
public protocol HCITransportReceiver: AnyObject {
  /// Called when the other end is connected, only by a transport that was not ready when it was opened.
  func transportIsReady(_ transport: any HCITransport)
  /// Called when the controller is not available; the transport continues to wait for it. Only by a transport that was not ready
  /// when it was opened, and again when the cause changes.
  func transport(_ transport: any HCITransport, waitsBecause cause: TransportError)
  func transport(_ transport: any HCITransport, didReceive packet: consuming HCIPacket)
  /// Called when the transport has ended and does not recover.
  func transport(_ transport: any HCITransport, didFail error: TransportError)
}

extension HCITransportReceiver {
  public func transportIsReady(_ transport: any HCITransport) {}
  public func transport(_ transport: any HCITransport, waitsBecause cause: TransportError) {}
}

/// Why a transport could not be opened, or has ended.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// There is no such host, path or device, or no listener.
    case unreachable
    case notPermitted
    /// The adapter exists, and the user has switched it off.
    case switchedOff
    /// The adapter exists, and cannot be used by an LE host.
    case unsuitable
    /// The other end has closed, or the device was unplugged.
    case closed
    /// The other end sent data that is not HCI.
    case malformed
    /// The name of the transport is invalid.
    case invalidName
  }

  public let kind: Kind
  /// A sentence for people that says what happened and what to do about it.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
