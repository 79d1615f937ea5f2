import BLECore
import BLEHCI
import Dispatch
import Glibc

/// A listening socket. Everything on the loop's queue.
final class StreamListener {
  private let queue: DispatchQueue
  private let descriptor: FileDescriptor
  private let accepted: (FileDescriptor) -> Void
  private var source: (any DispatchSourceRead)?
  /// The socket file that was made, with its identity: a file of another program is not removed.
  private var socketFile: (path: String, device: dev_t, inode: ino_t)?

  /// The port of the socket, for TCP.
  let port: UInt16?

  /// Listens on a numeric address or `localhost`.
  ///
  /// - Parameter allowsRemote: if false, only an address of this machine itself is accepted: any client that can connect to the
  ///   port has full control of the radio.
  convenience init(
    host: String, port: UInt16, allowsRemote: Bool, on queue: DispatchQueue,
    accepted: @escaping (FileDescriptor) -> Void
  ) throws(TransportError) {
    let name = "tcp-server:\(host):\(port)"
    guard let address = SocketAddress(numericHost: host, port: port) else {
      throw TransportError(.invalidName, "\(name): '\(host)' is neither a numeric address nor localhost")
    }
    guard allowsRemote || address.isLocal else {
      throw TransportError(
        .notPermitted,
        "\(name): any program that reaches this port controls the radio: listen on 127.0.0.1, or allow it explicitly")
    }
    try self.init(address, name: name, mode: nil, on: queue, accepted: accepted)
  }

  /// Listens on a socket file that only its owner can use. A file left by an ended process is replaced.
  convenience init(
    path: String, on queue: DispatchQueue, accepted: @escaping (FileDescriptor) -> Void
  ) throws(TransportError) {
    let name = "unix-server:\(path)"
    guard let address = SocketAddress(path: path) else {
      throw TransportError(.invalidName, "\(name): a socket's path has 1 to 107 octets")
    }
    try Self.removeStale(path, address, name)
    try self.init(address, name: name, mode: 0o600, on: queue, accepted: accepted)
    var status = stat()
    if lstat(path, &status) == 0 { socketFile = (path, status.st_dev, status.st_ino) }
  }

  private init(
    _ address: SocketAddress, name: String, mode: mode_t?, on queue: DispatchQueue,
    accepted: @escaping (FileDescriptor) -> Void
  ) throws(TransportError) {
    guard let descriptor = address.makeSocket() else { throw .cannotListen(name, errno) }
    if mode == nil { descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1) }
    // Linux makes the socket file with the mode of the socket.
    if let mode { _ = fchmod(descriptor.number, mode) }
    guard address.withPointer({ bind(descriptor.number, $0, $1) }) == 0, listen(descriptor.number, 4) == 0 else {
      throw .cannotListen(name, errno)
    }
    self.descriptor = descriptor
    self.queue = queue
    self.accepted = accepted
    port = SocketAddress(boundBy: descriptor)?.port
    watch()
  }

  deinit { close() }

  func close() {
    if let source {
      // The descriptor is closed when the queue handles the cancellation; clients are refused from now on.
      shutdown(descriptor.number, Int32(SHUT_RDWR))
      source.cancel()
    }
    source = nil
    if let socketFile {
      var status = stat()
      if lstat(socketFile.path, &status) == 0, status.st_dev == socketFile.device, status.st_ino == socketFile.inode {
        unlink(socketFile.path)
      }
    }
    socketFile = nil
  }

  private func watch() {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound(Weak(self))
    let descriptor = descriptor
    source.setEventHandler { bound.value.listener?.accept() }
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    self.source = source
    source.activate()
  }

  private func accept() {
    let number = Glibc.accept(descriptor.number, nil, nil)
    if number >= 0 {
      let peer = FileDescriptor(number)
      peer.setNonBlocking()
      if port != nil { peer.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
      return accepted(peer)
    }
    // No file may be opened now: the connection would stay pending, and the source would fire continuously.
    if errno == EMFILE || errno == ENFILE { pause() }
  }

  private func pause() {
    source?.cancel()
    source = nil
    let bound = LoopBound(Weak(self))
    queue.asyncAfter(deadline: .now() + .seconds(1)) {
      guard let listener = bound.value.listener, listener.source == nil else { return }
      listener.watch()
    }
  }

  /// Removes a socket file without a listener; any other file is left and is an error.
  private static func removeStale(
    _ path: String, _ address: SocketAddress, _ name: String
  ) throws(TransportError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw TransportError(.notPermitted, "\(name): there is a file that is not a socket: choose another path")
    }
    guard let probe = address.makeSocket() else { throw .cannotListen(name, errno) }
    let result = address.withPointer { connect(probe.number, $0, $1) }
    if result == 0 || errno == EAGAIN || errno == EINPROGRESS { throw .cannotListen(name, EADDRINUSE) }
    guard errno == ECONNREFUSED else { throw .cannotListen(name, errno) }
    if unlink(path) != 0, errno != ENOENT { throw .cannotListen(name, errno) }
  }

  private struct Weak {
    weak var listener: StreamListener?
    init(_ listener: StreamListener) { self.listener = listener }
  }
}
