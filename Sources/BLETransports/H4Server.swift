import BLECore
import BLEHCI
import BLEWire

/// Offers a controller to hosts of other stacks: takes in one H4 client at a time and connects it to a controller, which is
/// made anew for each client. Everything on the loop.
///
/// A client that goes away, or does not speak H4, ends its controller only; the next one is served.
public final class H4Server {
  public enum Endpoint: Equatable, Sendable, CustomStringConvertible {
    /// `host` is a numeric address, `localhost` or `_` (the same); where it is not an address of this machine itself, `allowsRemote` must be
    /// set. Port 0 takes any that is free.
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

  /// What a server tells of its clients, on the loop.
  public enum Event: Equatable, Sendable {
    case clientConnected
    /// Why it is gone.
    case clientDisconnected(TransportError)
    /// There is a client already; this one was turned away.
    case clientRefused
    /// The controller for a client could not be opened, or has failed.
    case controllerFailed(TransportError)
  }

  public let endpoint: Endpoint
  /// Hears every packet in both directions.
  public var tap: (any HCITap)?
  /// Told what happens, for messages.
  public var onEvent: ((Event) -> Void)?
  /// The port that a TCP server was given.
  public var port: UInt16? { listener?.port }

  private let loop: DispatchStackLoop
  private let makeController: HCIController.TransportFactory
  private var listener: StreamListener?
  private var client: H4Stream?
  private var controller: (any HCITransport)?
  /// Packets of a client whose controller is not ready yet.
  private var early: [HCIPacket] = []
  private static let earlyLimit = 64

  /// - Parameter makeController: makes a controller for the next client, which is not open yet.
  public init(
    _ endpoint: Endpoint, loop: DispatchStackLoop, makeController: @escaping HCIController.TransportFactory
  ) {
    self.endpoint = endpoint
    self.loop = loop
    self.makeController = makeController
  }

  /// Begins to take in clients.
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

  /// Sends the client away and takes in no more.
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
