import BLECore
import BLEHCI
import BLEWire
import Dispatch
import Glibc

/// Told what comes over an ``H4Stream``. On the loop.
protocol H4StreamOwner: AnyObject {
  func stream(_ stream: H4Stream, didReceive packet: HCIPacket)
  /// The other end is gone or cannot be understood; the stream is closed already.
  func stream(_ stream: H4Stream, didEnd error: TransportError)
}

/// HCI packets over an open file: a socket or a terminal. Everything on the loop's queue; nothing makes the loop wait.
final class H4Stream {
  /// How many octets wait for the other end at most; one that does not read for so long is given up.
  static let writeLimit = 1 << 20
  private static let readSize = 16_384
  /// So often is read before others have their turn on the loop.
  private static let turn = 16

  let name: String
  weak var owner: (any H4StreamOwner)?

  private let queue: DispatchQueue
  private var descriptor: FileDescriptor?
  private let isSocket: Bool
  private var parser: H4Parser
  private var readSource: (any DispatchSourceRead)?
  /// There only while something waits.
  private var writeSource: (any DispatchSourceWrite)?
  private var readBuffer = [UInt8](repeating: 0, count: readSize)
  private var unsent: [UInt8] = []
  /// How much of `unsent` has gone.
  private var sentCount = 0

  /// - Parameter direction: which way the packets go that are received.
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
    // The file stays open until the source has let go of it.
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    readSource = source
    source.activate()
  }

  /// What is not sent yet is lost; the owner is not told.
  func close() {
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
    guard unsent.count - sentCount + packet.octets.count < Self.writeLimit else {
      return endLater(TransportError(.closed, "\(name): the other end has stopped reading: restart it"))
    }
    unsent.append(packet.kind.rawValue)
    unsent.append(contentsOf: packet.octets)
    if writeSource == nil { write() }
  }

  private func write() {
    guard let descriptor else { return }
    while sentCount < unsent.count {
      let result = unsent.withUnsafeBytes { octets -> Int in
        guard let start = octets.baseAddress else { return 0 }
        let count = octets.count - sentCount
        // A peer that has gone must not end this process by a signal.
        return isSocket
          ? Glibc.send(descriptor.number, start + sentCount, count, Int32(MSG_NOSIGNAL))
          : Glibc.write(descriptor.number, start + sentCount, count)
      }
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

  /// Not inside the caller of `send`, who does not expect to lose the stream there.
  private func endLater(_ error: TransportError) {
    let bound = LoopBound(Weak(self))
    queue.async { bound.value.stream?.end(error) }
  }

  /// Everything that is there: where the other end closes behind its last octets, Dispatch tells of both by one event.
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
        // The owner may have closed the stream on account of an earlier packet.
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
  /// The other end is gone; 0 means that it has closed.
  fileprivate static func lost(_ name: String, _ error: Int32) -> TransportError {
    // A terminal whose other end is closed, and a device that was unplugged, say EIO.
    let reason = error == 0 || error == EIO ? "the other end has closed" : systemText(error)
    return TransportError(.closed, "\(name): \(reason)")
  }
}
