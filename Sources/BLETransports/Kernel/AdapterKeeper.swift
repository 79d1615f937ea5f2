import BLECore
import BLEHCI
import CKernelBluetooth
import Dispatch
import Glibc

/// The process that keeps CAP_NET_ADMIN for this one, and does the two things that need it: opening an adapter's user channel,
/// and switching an adapter on and off. It ends with this process, in whatever way that ends, and then switches on the adapters
/// that were switched off.
///
/// `@unchecked Sendable`: the state is used on its own queue only.
final class AdapterKeeper: AdapterPrivilege, @unchecked Sendable {
  /// This process's keeper, from its first adapter to its end. After it was made, no thread of this process has CAP_NET_ADMIN,
  /// nor CAP_NET_RAW if it had both. A process that never had CAP_NET_ADMIN gets a keeper that refuses everything, as the kernel
  /// would.
  static func ofThisProcess() throws(TransportError) -> AdapterKeeper { try shared.get() }

  private static let shared = Result { () throws(TransportError) in try AdapterKeeper() }

  private let queue = DispatchQueue(label: "adapter keeper")
  private let socket: FileDescriptor?
  private var source: (any DispatchSourceRead)?
  /// Requests without an answer, in the order in which they were sent.
  private var waiting: [@Sendable (KeeperAnswer) -> Void] = []
  /// Why there are no further answers.
  private var lost: Int32?

  private convenience init() throws(TransportError) {
    guard kernel_capabilities_permitted() & 1 << KERNEL_CAPABILITY_NET_ADMIN != 0 else {
      self.init(socket: nil)
      return
    }
    let number = kernel_bluetooth_start_keeper()
    guard number >= 0 else {
      throw TransportError(
        .unreachable, "the process that keeps CAP_NET_ADMIN cannot be started: \(systemText(-number))")
    }
    let socket = FileDescriptor(number)
    let error = kernel_capabilities_give_up(1 << KERNEL_CAPABILITY_NET_ADMIN | 1 << KERNEL_CAPABILITY_NET_RAW)
    guard error == 0 else {
      throw TransportError(
        .notPermitted,
        "CAP_NET_ADMIN cannot be given up in every thread of this program (\(systemText(error))), so no adapter is opened: /proc has to be mounted"
      )
    }
    self.init(socket: socket)
  }

  /// - Parameter socket: this end of the pair; `nil` if there is no privilege to keep.
  init(socket: FileDescriptor?) {
    self.socket = socket
    lost = socket == nil ? EPERM : nil
    guard let socket else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: queue)
    source.setEventHandler { [weak self] in self?.read() }
    source.setCancelHandler { withExtendedLifetime(socket) {} }
    self.source = source
    source.activate()
  }

  deinit { source?.cancel() }

  func open(
    _ index: UInt16, on queue: DispatchQueue, _ completion: @escaping (Result<FileDescriptor, SystemError>) -> Void
  ) {
    ask(KERNEL_BLUETOOTH_OPEN, index, on: queue) { answer in
      if let opened = answer.opened, answer.error == 0 {
        completion(.success(opened))
      } else {
        completion(.failure(SystemError(number: answer.error == 0 ? EPROTO : answer.error)))
      }
    }
  }

  func setPowered(
    _ index: UInt16, _ isOn: Bool, on queue: DispatchQueue,
    _ completion: @escaping (Result<ManagementStatus, SystemError>) -> Void
  ) {
    ask(KERNEL_BLUETOOTH_POWER, value: isOn ? 1 : 0, index, on: queue) { answer in
      completion(
        answer.error == 0 ? .success(answer.status) : .failure(SystemError(number: answer.error)))
    }
  }

  func forget(_ index: UInt16) { ask(KERNEL_BLUETOOTH_FORGET, index, on: queue) { _ in } }

  private func ask(
    _ what: some BinaryInteger, value: UInt8 = 0, _ index: UInt16, on loop: DispatchQueue,
    _ completion: @escaping (KeeperAnswer) -> Void
  ) {
    let bound = LoopBound(completion)
    let request = KernelBluetoothRequest(what: UInt8(what), value: value, index: index)
    queue.async { self.send(request) { answer in loop.async { bound.value(answer) } } }
  }

  private func send(_ request: KernelBluetoothRequest, _ completion: @escaping @Sendable (KeeperAnswer) -> Void) {
    guard let socket, lost == nil else { return completion(KeeperAnswer(error: lost ?? ENOTCONN)) }
    waiting.append(completion)
    let sent = withUnsafeBytes(of: request) { octets in
      Glibc.send(socket.number, octets.baseAddress, octets.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    if sent < 0 { lose() }
  }

  private func read() {
    guard let socket else { return }
    while lost == nil {
      var answer = KernelBluetoothAnswer()
      var number: Int32 = -1
      let result = kernel_bluetooth_take_answer(socket.number, &answer, &number)
      if result == 0 { return }
      let opened = number >= 0 ? FileDescriptor(number) : nil
      guard result > 0, !waiting.isEmpty else { return lose() }
      waiting.removeFirst()(
        KeeperAnswer(error: answer.error, status: ManagementStatus(code: answer.status), opened: opened))
    }
  }

  /// The keeper has ended, or accepts no requests.
  private func lose() {
    lost = ENOTCONN
    source?.cancel()
    source = nil
    let completions = waiting
    waiting = []
    for completion in completions { completion(KeeperAnswer(error: ENOTCONN)) }
  }
}

/// Operations on adapters that only a privileged process may do.
protocol AdapterPrivilege: AnyObject {
  /// Opens the user channel of an adapter. `completion` is called once, on `queue`, never inside this call.
  func open(
    _ index: UInt16, on queue: DispatchQueue, _ completion: @escaping (Result<FileDescriptor, SystemError>) -> Void)
  /// Switches an adapter on or off; the result is the answer of the management interface.
  func setPowered(
    _ index: UInt16, _ isOn: Bool, on queue: DispatchQueue,
    _ completion: @escaping (Result<ManagementStatus, SystemError>) -> Void)
  /// A switched-off adapter was removed.
  func forget(_ index: UInt16)
}

private struct KeeperAnswer: Sendable {
  var error: Int32
  var status = ManagementStatus.success
  var opened: FileDescriptor?
}
