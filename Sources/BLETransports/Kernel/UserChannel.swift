import BLECore
import BLEHCI
import BLEWire
import CKernelBluetooth
import Dispatch
import Glibc

/// An adapter of this machine, opened by the HCI user channel: neither another program nor the kernel uses it. Each read and
/// write is one HCI packet with its indicator. Everything on the loop's queue; nothing blocks the loop.
final class UserChannel {
  /// The maximum number of packets that wait for the kernel; if more wait, the channel is closed.
  static let writeLimit = 1_024
  /// The number of reads before other work of the loop.
  private static let turn = 64
  /// The indicator, the longest header and the longest payload (Core, Vol 4 Part E 5.4.2).
  private static let longestPacket = 1 + 4 + 65_535

  private let descriptor: FileDescriptor
  private let queue: DispatchQueue
  private let receive: (HCIPacket) -> Void
  private let end: (Int32) -> Void
  private var readSource: (any DispatchSourceRead)?
  /// Set only while packets wait.
  private var writeSource: (any DispatchSourceWrite)?
  private var readBuffer = [UInt8](repeating: 0, count: longestPacket)
  /// The packet that is written.
  private var writeBuffer: [UInt8] = []
  private var unsent: [HCIPacket] = []

  /// - Parameters:
  ///   - descriptor: the channel's socket.
  ///   - receive: called with each packet from the controller.
  ///   - end: called once, when the adapter was removed or has failed, with the system's error; 0 if it was removed without one; `ENOBUFS` if the
  ///     kernel has dropped what was not read in time.
  init(
    _ descriptor: FileDescriptor, on queue: DispatchQueue, receive: @escaping (HCIPacket) -> Void,
    end: @escaping (Int32) -> Void
  ) {
    self.descriptor = descriptor
    self.queue = queue
    self.receive = receive
    self.end = end
    // An adapter that is pulled out leaves nothing to read, but an error.
    let watched = descriptor.readableWithErrors ?? descriptor
    let source = DispatchSource.makeReadSource(fileDescriptor: watched.number, queue: queue)
    let bound = LoopBound(Weak(self))
    source.setEventHandler { bound.value.channel?.read() }
    source.setCancelHandler { [descriptor] in withExtendedLifetime((descriptor, watched)) {} }
    readSource = source
    source.activate()
  }

  deinit { close() }

  /// Closes the channel: the kernel manages the adapter again. `end` is not called.
  func close() {
    readSource?.cancel()
    readSource = nil
    writeSource?.cancel()
    writeSource = nil
    unsent = []
  }

  func send(_ packet: HCIPacket) {
    guard readSource != nil else { return }
    guard unsent.isEmpty else {
      if unsent.count < Self.writeLimit { unsent.append(packet) } else { endLater(EAGAIN) }
      return
    }
    if write(packet) { return }
    unsent.append(packet)
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound(Weak(self))
    source.setEventHandler { bound.value.channel?.writeOn() }
    source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
    writeSource = source
    source.activate()
  }

  private func writeOn() {
    var count = 0
    while count < unsent.count, write(unsent[count]) { count += 1 }
    unsent.removeFirst(count)
    guard unsent.isEmpty else { return }
    writeSource?.cancel()
    writeSource = nil
  }

  /// False if the kernel has no room now.
  private func write(_ packet: HCIPacket) -> Bool {
    writeBuffer.removeAll(keepingCapacity: true)
    writeBuffer.append(packet.kind.rawValue)
    packet.append(to: &writeBuffer)
    let written = writeBuffer.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
    if written >= 0 { return true }
    if errno == EAGAIN || errno == EINTR { return false }
    endLater(errno)
    return true
  }

  private func read() {
    for _ in 0..<Self.turn {
      guard readSource != nil else { return }
      let count = readBuffer.withUnsafeMutableBytes { Glibc.read(descriptor.number, $0.baseAddress, $0.count) }
      if count <= 0 {
        let error = count == 0 ? 0 : errno
        if error == EINTR { continue }
        if error == EAGAIN { return }
        return finish(error)
      }
      if let kind = HCIPacketKind(rawValue: readBuffer[0]) {
        receive(HCIPacket(kind: kind, octets: Array(readBuffer[1..<count])))
      }
    }
    // With so many waiting there may have been no room for others: events that end commands and free buffers, parts of data. Nothing else says
    // so, and the host would wait for them.
    if kernel_bluetooth_dropped_packets(descriptor.number) > 0 { return finish(ENOBUFS) }
    let bound = LoopBound(Weak(self))
    queue.async { bound.value.channel?.read() }
  }

  /// Not inside the call of `send`, whose caller does not expect the channel to be closed there.
  private func endLater(_ error: Int32) {
    let bound = LoopBound(Weak(self))
    queue.async { bound.value.channel?.finish(error) }
  }

  /// Whether the error means that the adapter was removed.
  static func isRemoval(_ error: Int32) -> Bool { [0, EPIPE, ENODEV, EBADFD].contains(error) }

  private func finish(_ error: Int32) {
    guard readSource != nil else { return }
    close()
    end(error)
  }

  private struct Weak {
    weak var channel: UserChannel?
    init(_ channel: UserChannel) { self.channel = channel }
  }
}

/// An error of the system, by its number.
struct SystemError: Error, Equatable {
  let number: Int32
}
