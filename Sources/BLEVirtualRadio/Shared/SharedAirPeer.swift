import BLECore
import Dispatch
import Glibc

/// The connection to another process on the air.
final class SharedAirPeer: AirPeer {
  /// The identity of the process; `nil` before its first message.
  var process: UInt64?
  /// The number of its listening radios.
  var listeners: UInt16 = 0
  /// The process identifier of the other end from the system, whatever the process itself reports.
  let number: pid_t
  /// Whether this process made the connection.
  let isOurs: Bool
  private let socket: PacketSocket
  private let source: any DispatchSourceRead
  private let queue: DispatchQueue
  private weak var owner: SharedAir?
  private var isOpen = true
  private var buffer = [UInt8](repeating: 0, count: PacketSocket.packetLimit)
  private var isReading = false
  private var undelivered: [[UInt8]] = []

  /// The number of messages that are processed before other work of the loop.
  private static let turn = 128

  init(_ socket: PacketSocket, isOurs: Bool, queue: DispatchQueue, owner: SharedAir) {
    self.socket = socket
    number = socket.peerProcess
    self.isOurs = isOurs
    self.queue = queue
    self.owner = owner
    source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    let bound = LoopBound(Unowned(self))
    source.setEventHandler { bound.value.object?.read() }
    // The socket must not be released before the source is cancelled.
    let kept = LoopBound(socket)
    source.setCancelHandler { _ = kept.value }
    source.activate()
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    source.cancel()
  }

  func send(_ message: AirMessage) { send(octets: message.octets) }

  func send(octets: [UInt8]) {
    if isOpen, sendUndelivered() { socket.send(octets) }
  }

  /// Unlike packets on the air this message must arrive: it is sent again before any other.
  func send(surely message: AirMessage) {
    undelivered.append(message.octets)
    // Of several undelivered messages only the last matters, after the one that identifies this process.
    if undelivered.count > 2 { undelivered.remove(at: 1) }
    _ = sendUndelivered()
  }

  private func sendUndelivered() -> Bool {
    while isOpen, let first = undelivered.first {
      guard socket.send(first) else { return false }
      undelivered.removeFirst()
    }
    return true
  }

  func read() {
    // A message can cause another read: waiting messages are processed by the read that is running.
    if isReading { return }
    isReading = true
    defer { isReading = false }
    _ = sendUndelivered()
    for _ in 0..<Self.turn {
      guard isOpen else { return }
      switch socket.receive(into: &buffer) {
      case .packet(let octets): owner?.receive(octets, from: self)
      case .nothing: return
      case .closed:
        owner?.remove(self)
        return
      }
    }
    // Dispatch reports received data and a close behind it with one event: the rest is not left to another event.
    let bound = LoopBound(Unowned(self))
    queue.async { bound.value.object?.read() }
  }
}
