import BLECore
import Dispatch
import Glibc

/// The connection to another process on the air.
final class SharedAirPeer: AirPeer {
  /// Who it is; `nil` before it has said so.
  var process: UInt64?
  /// How many of its radios listen.
  var listeners: UInt16 = 0
  /// The number that the system has for the process at the other end, whatever that says of itself.
  let number: pid_t
  /// This process made the connection.
  let isOurs: Bool
  private let socket: PacketSocket
  private let source: any DispatchSourceRead
  private let queue: DispatchQueue
  private weak var owner: SharedAir?
  private var isOpen = true
  private var buffer = [UInt8](repeating: 0, count: PacketSocket.packetLimit)
  private var isReading = false
  private var undelivered: [[UInt8]] = []

  /// So many messages are taken before others have their turn.
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
    // The socket must stay until the source has let go of it.
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

  /// Unlike what goes over the air this must arrive: it is sent again before anything else is.
  func send(surely message: AirMessage) {
    undelivered.append(message.octets)
    // Of several that found no room only the last matters, after the one that says who this is.
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
    // A message can lead to reading: what waits is taken by the reading that goes on.
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
    // Dispatch tells of what came and of the end behind it by one event: the rest is not left to another.
    let bound = LoopBound(Unowned(self))
    queue.async { bound.value.object?.read() }
  }
}
