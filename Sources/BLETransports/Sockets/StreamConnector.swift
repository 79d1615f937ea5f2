import BLECore
import BLEHCI
import Dispatch
import Glibc

/// Connects to the first of several addresses that accepts. Everything on the loop.
final class StreamConnector: TimerTarget {
  /// The time limit for one address.
  private static let patience = StackDuration.seconds(10)

  private let name: String
  private let loop: DispatchStackLoop
  private var addresses: ArraySlice<SocketAddress>
  private var finished: ((Result<FileDescriptor, TransportError>) -> Void)?
  private var descriptor: FileDescriptor?
  private var source: (any DispatchSourceWrite)?
  private var timer = TimerToken()
  private var lastError: TransportError

  init(
    name: String, _ addresses: [SocketAddress], loop: DispatchStackLoop,
    finished: @escaping (Result<FileDescriptor, TransportError>) -> Void
  ) {
    self.name = name
    self.loop = loop
    self.addresses = addresses[...]
    self.finished = finished
    lastError = TransportError(.unreachable, "\(name): there is no such host")
  }

  /// `finished` is called later, never inside this call.
  func start() {
    let bound = LoopBound(Weak(connector: self))
    loop.queue.async { bound.value.connector?.tryNext() }
  }

  /// `finished` is not called after this.
  func cancel() {
    finished = nil
    forget()
  }

  private func tryNext() {
    forget()
    guard finished != nil else { return }
    guard let address = addresses.popFirst() else { return finish(.failure(lastError)) }
    guard let descriptor = address.makeSocket() else { return refused(errno) }
    self.descriptor = descriptor
    while true {
      if address.withPointer({ connect(descriptor.number, $0, $1) }) == 0 { return finish(.success(descriptor)) }
      switch errno {
      case EINTR: continue
      case EINPROGRESS, EALREADY: return wait(descriptor)
      default: return refused(errno)
      }
    }
  }

  private func wait(_ descriptor: FileDescriptor) {
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: loop.queue)
    let bound = LoopBound(Weak(connector: self))
    source.setEventHandler { bound.value.connector?.decided() }
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    self.source = source
    source.activate()
    timer = loop.schedule(after: Self.patience, .background, self)
  }

  private func decided() {
    guard let descriptor, source != nil else { return }
    let error = descriptor.pendingError
    if error == 0 { finish(.success(descriptor)) } else { refused(error) }
  }

  func timerFired(tag: Int) { refused(ETIMEDOUT) }

  private func refused(_ error: Int32) {
    lastError = .cannotConnect(name, error)
    tryNext()
  }

  private func finish(_ result: Result<FileDescriptor, TransportError>) {
    let finished = finished
    self.finished = nil
    forget()
    finished?(result)
  }

  private func forget() {
    source?.cancel()
    source = nil
    descriptor = nil
    loop.cancel(timer)
  }

  private struct Weak {
    weak var connector: StreamConnector?
  }
}
