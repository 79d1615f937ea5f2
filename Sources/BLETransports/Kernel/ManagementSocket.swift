import BLECore
import BLEHCI
import CKernelBluetooth
import Dispatch
import Glibc

/// A socket of the kernel's Bluetooth management interface. Everything on the loop's queue; nothing blocks the loop.
///
/// Reading needs no privilege; changing an adapter needs CAP_NET_ADMIN.
final class ManagementSocket {
  typealias Answer = Result<ArraySlice<UInt8>, ManagementStatus>

  /// Called for each unsolicited message.
  var onEvent: ((ManagementMessage) -> Void)?

  private let descriptor: FileDescriptor
  private let source: any DispatchSourceRead
  /// Commands without an answer, in the order in which they were sent.
  private var waiting: [(command: ManagementCommand, index: UInt16, completion: (Answer) -> Void)] = []

  init(_ descriptor: FileDescriptor, on queue: DispatchQueue) {
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound(Weak(self))
    source.setEventHandler { bound.value.socket?.read() }
    source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
    source.activate()
  }

  deinit { source.cancel() }

  /// `completion` is called once, on the queue, never inside this call; not at all if this object is released before.
  func send(
    _ command: ManagementCommand, index: UInt16 = ManagementMessage.noIndex, _ parameters: [UInt8] = [],
    _ completion: @escaping (Answer) -> Void
  ) {
    waiting.append((command, index, completion))
    _ = Self.write(ManagementMessage(command, index: index, parameters: parameters).octets, to: descriptor)
  }

  private func read() {
    while let octets = Self.next(descriptor) {
      guard let message = try? ManagementMessage(octets) else { continue }
      switch ManagementEvent(rawValue: message.code) {
      case .commandComplete, .commandStatus: answer(message)
      default: onEvent?(message)
      }
    }
  }

  private func answer(_ message: ManagementMessage) {
    var reader = ByteReader(message.parameters, layer: "management")
    guard let code = try? reader.uint16("Command"), let number = try? reader.uint8("Status"),
      let place = waiting.firstIndex(where: { $0.command.rawValue == code && $0.index == message.index })
    else { return }
    let status = ManagementStatus(code: number)
    waiting.remove(at: place).completion(status == .success ? .success(reader.rest()) : .failure(status))
  }

  private struct Weak {
    weak var socket: ManagementSocket?
    init(_ socket: ManagementSocket) { self.socket = socket }
  }
}

extension ManagementSocket {
  static func open() throws(TransportError) -> FileDescriptor {
    let descriptor = try KernelSocket.make()
    let error = KernelSocket.bind(
      descriptor, device: UInt16(KERNEL_BLUETOOTH_NO_DEVICE), channel: Int(KERNEL_BLUETOOTH_CONTROL_CHANNEL))
    guard error == 0 else { throw .kernel("the management interface", error) }
    return descriptor
  }

  /// Whether an answer will come: where the kernel refuses a command with one, such as Invalid Index, it returns 0 and not the command's
  /// length.
  fileprivate static func write(_ octets: [UInt8], to descriptor: FileDescriptor) -> Bool {
    octets.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) } >= 0
  }

  /// One message; `nil` if none is available.
  fileprivate static func next(_ descriptor: FileDescriptor) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: 4_096)
    let count = octets.withUnsafeMutableBytes { Glibc.read(descriptor.number, $0.baseAddress, $0.count) }
    return count > 0 ? Array(octets[..<count]) : nil
  }

  /// Sends a command without a loop. The kernel answers reading commands within the call.
  fileprivate static func ask(
    _ command: ManagementCommand, index: UInt16 = ManagementMessage.noIndex, _ parameters: [UInt8] = [],
    within limit: Duration = .seconds(1), on descriptor: FileDescriptor
  ) throws(TransportError) -> Answer {
    guard write(ManagementMessage(command, index: index, parameters: parameters).octets, to: descriptor) else {
      throw .kernel("the management interface", errno)
    }
    let deadline = ContinuousClock.now + limit
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      var readable = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&readable, 1, Int32(left)) == 1, let octets = next(descriptor) else {
        throw TransportError(.unreachable, "the kernel's management interface does not answer")
      }
      guard let message = try? ManagementMessage(octets), message.index == index else { continue }
      let event = ManagementEvent(rawValue: message.code)
      guard event == .commandComplete || event == .commandStatus else { continue }
      var reader = ByteReader(message.parameters, layer: "management")
      guard let code = try? reader.uint16("Command"), code == command.rawValue,
        let status = try? reader.uint8("Status")
      else { continue }
      return status == 0 ? .success(reader.rest()) : .failure(ManagementStatus(code: status))
    }
  }
}

extension KernelAdapter {
  /// The adapters that the kernel manages, in order: all but those that a program uses by the user channel. Needs no privilege.
  public static func all() throws(TransportError) -> [KernelAdapter] {
    let descriptor = try ManagementSocket.open()
    guard case .success(let list) = try ManagementSocket.ask(.readIndexList, on: descriptor) else { return [] }
    var adapters: [KernelAdapter] = []
    for index in indices(list) {
      let answer = try ManagementSocket.ask(.readControllerInformation, index: index, on: descriptor)
      // An adapter that was removed between the two requests is left out.
      if case .success(let information) = answer,
        let adapter = try? KernelAdapter(index: index, information: information)
      {
        adapters.append(adapter)
      }
    }
    return adapters
  }

  /// Decodes the return parameters of Read Controller Index List.
  static func indices(_ list: ArraySlice<UInt8>) -> [UInt16] {
    var reader = ByteReader(list, layer: "management")
    guard let count = try? reader.uint16("Number_Of_Controllers") else { return [] }
    var indices: [UInt16] = []
    while indices.count < Int(count), let index = try? reader.uint16("Controller_Index") { indices.append(index) }
    return indices.sorted()
  }
}
