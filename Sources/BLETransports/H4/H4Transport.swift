import BLECore
import BLEHCI
import BLEWire
import Dispatch

/// A transport to a controller that speaks H4, over TCP, a Unix socket or a serial line. Everything on the loop.
public final class H4Transport: HCITransport {
  /// The location of the controller, or where it connects.
  public enum Endpoint: Equatable, Sendable, CustomStringConvertible {
    case tcpClient(host: String, port: UInt16)
    /// Listens for the controller. `host` is a numeric address, `localhost` or `_` (the same); if it is not an address of this
    /// machine itself, `allowsRemote` must be set. Port 0 takes any free port.
    case tcpServer(host: String, port: UInt16, allowsRemote: Bool)
    case unixClient(path: String)
    /// Listens for the controller at a socket file that only its owner can use.
    case unixServer(path: String)
    /// `speed` in baud.
    case serial(path: String, speed: Int)

    public var description: String {
      switch self {
      case .tcpClient(let host, let port): "tcp-client:\(host):\(port)"
      case .tcpServer(let host, let port, _): "tcp-server:\(host):\(port)"
      case .unixClient(let path): "unix-client:\(path)"
      case .unixServer(let path): "unix-server:\(path)"
      case .serial(let path, let speed): "serial:\(path),\(speed)"
      }
    }
  }

  public let endpoint: Endpoint
  public var name: String { endpoint.description }
  public var isSimulated: Bool { false }
  /// Whether the controller is connected.
  public var isReady: Bool { stream != nil }
  /// The port of a TCP server.
  public var port: UInt16? { listener?.port }

  private let loop: DispatchStackLoop
  private weak var receiver: (any HCITransportReceiver)?
  private var stream: H4Stream?
  private var connector: StreamConnector?
  private var listener: StreamListener?

  public init(_ endpoint: Endpoint, loop: DispatchStackLoop) {
    self.endpoint = endpoint
    self.loop = loop
  }

  public func open(receiver: any HCITransportReceiver) throws(TransportError) {
    self.receiver = receiver
    switch endpoint {
    case .serial(let path, let speed):
      begin(try SerialLine.open(path: path, speed: speed), isSocket: false)
    case .unixClient(let path): try connect(unix: path)
    case .tcpClient(let host, let port): connect(tcp: host, port)
    case .tcpServer(let host, let port, let allowsRemote):
      listener = try StreamListener(host: host, port: port, allowsRemote: allowsRemote, on: loop.queue) {
        [weak self] in self?.accept($0)
      }
    case .unixServer(let path):
      listener = try StreamListener(path: path, on: loop.queue) { [weak self] in self?.accept($0) }
    }
  }

  public func send(_ packet: HCIPacket) { stream?.send(packet) }

  public func close() {
    receiver = nil
    connector?.cancel()
    connector = nil
    listener?.close()
    listener = nil
    stream?.close()
    stream = nil
  }

  private func connect(unix path: String) throws(TransportError) {
    guard let address = SocketAddress(path: path) else {
      throw TransportError(.invalidName, "\(name): a socket's path has 1 to 107 octets")
    }
    connect(to: [address])
  }

  /// Resolves the host's addresses on another queue: the answer may take seconds.
  private func connect(tcp host: String, _ port: UInt16) {
    if let address = SocketAddress(numericHost: host, port: port) { return connect(to: [address]) }
    let loop = loop
    let bound = LoopBound(Weak(transport: self))
    DispatchQueue.global().async {
      let addresses = SocketAddress.resolve(host, port)
      loop.queue.async { bound.value.transport?.connect(to: addresses) }
    }
  }

  private func connect(to addresses: [SocketAddress]) {
    guard receiver != nil else { return }
    let connector = StreamConnector(name: name, addresses, loop: loop) { [weak self] result in
      guard let self else { return }
      self.connector = nil
      switch result {
      case .success(let descriptor): arrive(descriptor)
      case .failure(let error): fail(error)
      }
    }
    self.connector = connector
    connector.start()
  }

  /// One controller only: further connections are refused while it is connected.
  private func accept(_ descriptor: FileDescriptor) {
    if stream == nil { arrive(descriptor) }
  }

  private func arrive(_ descriptor: FileDescriptor) {
    begin(descriptor, isSocket: true)
    receiver?.transportIsReady(self)
  }

  private func begin(_ descriptor: FileDescriptor, isSocket: Bool) {
    let stream = H4Stream(name: name, descriptor, receiving: .toHost, isSocket: isSocket, on: loop.queue)
    stream.owner = self
    self.stream = stream
    stream.start()
  }

  private func fail(_ error: TransportError) {
    let receiver = receiver
    close()
    receiver?.transport(self, didFail: error)
  }

  private struct Weak {
    weak var transport: H4Transport?
  }
}

extension H4Transport: H4StreamOwner {
  func stream(_ stream: H4Stream, didReceive packet: HCIPacket) {
    receiver?.transport(self, didReceive: packet)
  }

  func stream(_ stream: H4Stream, didEnd error: TransportError) { fail(error) }
}
