import BLECore
import BLEHCI
import BLEWire

/// Offers a controller to hosts of other stacks: accepts one H4 client at a time and connects it to a controller, which is made
/// for each client. Everything on the loop.
///
/// A client that disconnects, or does not speak H4, ends only its own controller; the next client is accepted.
public final class H4Server {
  public enum Endpoint: Equatable, Sendable, CustomStringConvertible {
    /// `host` is a numeric address, `localhost` or `_` (the same); if it is not an address of this machine itself, `allowsRemote`
    /// must be set. Port 0 takes any free port.
    case tcp(host: String, port: UInt16, allowsRemote: Bool)
    /// A socket file that only its owner can use.
    case unix(path: String)

    public var description: String {
      switch self {
      case .tcp(let host, let port, _): "tcp-server:\(host):\(port)"
      case .unix(let path): "unix-server:\(path)"
      }
    }
  }

  /// An event of a server, on the loop.
  public enum Event: Equatable, Sendable {
    case clientConnected
    /// A client has disconnected, with the reason.
    case clientDisconnected(TransportError)
    /// A client is already connected; this one was refused.
    case clientRefused
    /// The controller for a client could not be opened, or has failed.
    case controllerFailed(TransportError)
  }

  public let endpoint: Endpoint
  /// Observes every packet in both directions.
  public var tap: (any HCITap)?
  /// Called for each event, for messages.
  public var onEvent: ((Event) -> Void)?
  /// The port of a TCP server.
  public var port: UInt16? { listener?.port }

  private let loop: DispatchStackLoop
  private let makeController: HCIController.TransportFactory
  private var listener: StreamListener?
  private var client: H4Stream?
  private var controller: (any HCITransport)?
  /// Packets of a client whose controller is not ready yet.
  private var early: [HCIPacket] = []
  private static let earlyLimit = 64

  /// - Parameter makeController: makes an unopened controller for the next client.
  public init(
    _ endpoint: Endpoint, loop: DispatchStackLoop, makeController: @escaping HCIController.TransportFactory
  ) {
    self.endpoint = endpoint
    self.loop = loop
    self.makeController = makeController
  }

  /// Begins to accept clients.
  public func start() throws(TransportError) {
    guard listener == nil else { return }
    switch endpoint {
    case .tcp(let host, let port, let allowsRemote):
      listener = try StreamListener(host: host, port: port, allowsRemote: allowsRemote, on: loop.queue) {
        [weak self] in self?.accept($0)
      }
    case .unix(let path):
      listener = try StreamListener(path: path, on: loop.queue) { [weak self] in self?.accept($0) }
    }
  }

  /// Disconnects the client and accepts no more.
  public func stop() {
    listener?.close()
    listener = nil
    drop()
  }

  private func accept(_ descriptor: FileDescriptor) {
    guard client == nil else {
      onEvent?(.clientRefused)
      return
    }
    let stream = H4Stream(
      name: endpoint.description, descriptor, receiving: .toController, isSocket: true, on: loop.queue)
    stream.owner = self
    client = stream
    onEvent?(.clientConnected)
    do throws(TransportError) {
      let controller = try makeController()
      self.controller = controller
      try controller.open(receiver: self)
    } catch {
      drop()
      onEvent?(.controllerFailed(error))
      return
    }
    stream.start()
  }

  private func drop() {
    client?.close()
    client = nil
    let controller = controller
    self.controller = nil
    controller?.close()
    early.removeAll()
  }
}

extension H4Server: H4StreamOwner {
  func stream(_ stream: H4Stream, didReceive packet: HCIPacket) {
    guard stream === client, let controller else { return }
    if let tap { tap.tapDidHear(packet, .toController, at: loop.now) }
    if controller.isReady {
      controller.send(packet)
    } else if early.count < Self.earlyLimit {
      early.append(packet)
    }
  }

  func stream(_ stream: H4Stream, didEnd error: TransportError) {
    guard stream === client else { return }
    drop()
    onEvent?(.clientDisconnected(error))
  }
}

extension H4Server: HCITransportReceiver {
  public func transportIsReady(_ transport: any HCITransport) {
    guard transport === controller else { return }
    for packet in early { transport.send(packet) }
    early.removeAll()
  }

  public func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    guard transport === controller else { return }
    if let tap { tap.tapDidHear(packet, .toHost, at: loop.now) }
    client?.send(packet)
  }

  public func transport(_ transport: any HCITransport, didFail error: TransportError) {
    guard transport === controller else { return }
    drop()
    onEvent?(.controllerFailed(error))
  }
}
