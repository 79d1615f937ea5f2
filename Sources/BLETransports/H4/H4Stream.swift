import BLECore
import BLEHCI
import BLEWire
import Dispatch
import Glibc

/// Receives the events of an ``H4Stream``. On the loop.
protocol H4StreamOwner: AnyObject {
  func stream(_ stream: H4Stream, didReceive packet: HCIPacket)
  /// Called when the other end has closed or violated the protocol; the stream is already closed.
  func stream(_ stream: H4Stream, didEnd error: TransportError)
}

/// HCI packets over an open file: a socket or a terminal. Everything on the loop's queue; nothing blocks the loop.
final class H4Stream {
  /// The maximum number of octets that wait to be written; if more wait, the stream is closed.
  static let writeLimit = 1 << 20
  private static let readSize = 16_384
  /// The number of reads before other work of the loop.
  private static let turn = 16

  let name: String
  weak var owner: (any H4StreamOwner)?

  private let queue: DispatchQueue
  private var descriptor: FileDescriptor?
  private let isSocket: Bool
  private var parser: H4Parser
  private var readSource: (any DispatchSourceRead)?
  /// Set only while octets wait.
  private var writeSource: (any DispatchSourceWrite)?
  private var readBuffer = [UInt8](repeating: 0, count: readSize)
  private var unsent: [UInt8] = []
  /// The number of octets of `unsent` that were written.
  private var sentCount = 0
  /// A block that writes waits on the queue.
  private var isBlockWaiting = false

  /// - Parameter direction: the direction of the received packets.
  init(
    name: String, _ descriptor: FileDescriptor, receiving direction: HCIDirection, isSocket: Bool,
    on queue: DispatchQueue
  ) {
    self.name = name
    self.descriptor = descriptor
    self.isSocket = isSocket
    self.queue = queue
    parser = H4Parser(direction)
  }

  deinit { close() }

  func start() {
    guard let descriptor, readSource == nil else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound(Weak(self))
    source.setEventHandler { bound.value.stream?.read() }
    // The file must not be closed before the source is cancelled.
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    readSource = source
    source.activate()
  }

  /// Octets for which there is no room now are lost; the owner is not notified.
  func close() {
    if isBlockWaiting, let descriptor { _ = writeOnce(descriptor) }
    readSource?.cancel()
    readSource = nil
    writeSource?.cancel()
    writeSource = nil
    descriptor = nil
    unsent = []
    sentCount = 0
  }

  func send(_ packet: HCIPacket) {
    guard descriptor != nil else { return }
    guard unsent.count - sentCount + packet.octetCount < Self.writeLimit else {
      return endLater(TransportError(.closed, "\(name): the other end has stopped reading: restart it"))
    }
    unsent.append(packet.kind.rawValue)
    packet.append(to: &unsent)
    guard writeSource == nil else { return }
    if unsent.count >= Self.readSize { return write() }
    if isBlockWaiting { return }
    // Behind the current job: all packets that it sends take one call of the system.
    isBlockWaiting = true
    let bound = LoopBound(Weak(self))
    queue.async { bound.value.stream?.writeWaiting() }
  }

  private func writeWaiting() {
    isBlockWaiting = false
    if writeSource == nil { write() }
  }

  /// Writes what the system takes at once. Returns the number of octets; negative with `errno`.
  private func writeOnce(_ descriptor: FileDescriptor) -> Int {
    unsent.withUnsafeBytes { octets -> Int in
      guard let start = octets.baseAddress else { return 0 }
      let count = octets.count - sentCount
      // A closed peer must not end this process by a signal.
      return isSocket
        ? Glibc.send(descriptor.number, start + sentCount, count, Int32(MSG_NOSIGNAL))
        : Glibc.write(descriptor.number, start + sentCount, count)
    }
  }

  private func write() {
    guard let descriptor else { return }
    while sentCount < unsent.count {
      let result = writeOnce(descriptor)
      if result >= 0 {
        sentCount += result
        continue
      }
      let error = errno
      if error == EINTR { continue }
      if error == EAGAIN { return waitForRoom(descriptor) }
      return endLater(.lost(name, error))
    }
    unsent.removeAll(keepingCapacity: unsent.count <= Self.readSize)
    sentCount = 0
    writeSource?.cancel()
    writeSource = nil
  }

  private func waitForRoom(_ descriptor: FileDescriptor) {
    unsent.removeFirst(sentCount)
    sentCount = 0
    guard writeSource == nil else { return }
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound(Weak(self))
    source.setEventHandler { bound.value.stream?.write() }
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    writeSource = source
    source.activate()
  }

  /// Not inside the call of `send`, whose caller does not expect the stream to be closed there.
  private func endLater(_ error: TransportError) {
    let bound = LoopBound(Weak(self))
    queue.async { bound.value.stream?.end(error) }
  }

  /// Reads everything available: if the other end closes after its last octets, Dispatch reports both with one event.
  private func read() {
    for _ in 0..<Self.turn {
      guard let descriptor else { return }
      let count = readBuffer.withUnsafeMutableBytes { Glibc.read(descriptor.number, $0.baseAddress, $0.count) }
      if count < 0 {
        let error = errno
        if error == EINTR { continue }
        if error == EAGAIN { return }
        return end(.lost(name, error))
      }
      if count == 0 { return end(.lost(name, 0)) }
      take(readBuffer[..<count])
    }
    let bound = LoopBound(Weak(self))
    queue.async { bound.value.stream?.read() }
  }

  private func take(_ octets: ArraySlice<UInt8>) {
    do throws(H4Parser.Desynchronized) {
      try parser.feed(octets) { packet in
        // The owner may have closed the stream because of an earlier packet.
        if descriptor != nil { owner?.stream(self, didReceive: packet) }
      }
    } catch {
      end(TransportError(.malformed, "\(name): the other end does not speak H4: \(error)"))
    }
  }

  private func end(_ error: TransportError) {
    guard descriptor != nil else { return }
    close()
    owner?.stream(self, didEnd: error)
  }

  private struct Weak {
    weak var stream: H4Stream?
    init(_ stream: H4Stream) { self.stream = stream }
  }
}

extension TransportError {
  /// The other end has closed; 0 is an orderly close.
  fileprivate static func lost(_ name: String, _ error: Int32) -> TransportError {
    // A terminal whose other end was closed, and an unplugged device, report EIO.
    let reason = error == 0 || error == EIO ? "the other end has closed" : systemText(error)
    return TransportError(.closed, "\(name): \(reason)")
  }
}
