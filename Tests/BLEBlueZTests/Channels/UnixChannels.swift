import BLEAdapter
import BLECore
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import BLEBlueZ

/// Channels over Unix sockets instead of the kernel's Bluetooth sockets: files of a folder, one for each number.
final class UnixChannels: ChannelSockets {
  static let own = DeviceAddress(0x0011_2233_4455, kind: .public)
  /// The peers that open channels to this side.
  static let central = DeviceAddress(0xC000_0000_0001, kind: .random)
  static let sendLimit = 1_000

  private struct State {
    var refusal: Int32?
    var isHeld = false
    var nextNumber: UInt16 = 0x80
    var asked: [String] = []
  }

  let stopsPeers: Bool
  private let folder: URL
  private let state = Mutex(State())

  init(stopsPeers: Bool = true) throws {
    self.stopsPeers = stopsPeers
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("channels-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// From now on no socket can be made, with this error.
  func refuse(_ error: Int32) { state.withLock { $0.refusal = error } }
  /// From now on channels that are opened stay in that state.
  func hold() { state.withLock { $0.isHeld = true } }
  /// The source, target and required security of each requested channel.
  var asked: [String] { state.withLock { $0.asked } }

  private func path(_ number: UInt16) -> String { folder.appendingPathComponent("\(number)").path }

  private func note(_ text: String) throws(SocketError) {
    let refusal: Int32? = state.withLock { state in
      state.asked.append(text)
      return state.refusal
    }
    if let refusal { throw SocketError(number: refusal) }
  }

  // MARK: This side

  func connect(
    from own: DeviceAddress, to peer: DeviceAddress, _ multiplexer: ProtocolServiceMultiplexer
  ) throws(SocketError) -> BusDescriptor {
    try note("\(own) \(own.kind) to \(peer) \(peer.kind)")
    let socket = BusDescriptor(taking: Self.makeSocket(SOCK_NONBLOCK.rawValue))
    let result = Self.with(path(multiplexer.rawValue)) { Glibc.connect(socket.borrowed, $0, $1) }
    guard result == 0 else { throw SocketError(number: errno == ENOENT ? ECONNREFUSED : errno) }
    if state.withLock({ $0.isHeld }) {
      // A full socket cannot be written, like one that is not connected yet.
      while Glibc.send(socket.borrowed, "held", 4, Int32(MSG_NOSIGNAL)) >= 0 {}
    }
    return socket
  }

  func listen(
    on own: DeviceAddress, demand: SecurityDemand
  ) throws(SocketError) -> (socket: BusDescriptor, multiplexer: ProtocolServiceMultiplexer) {
    try note("\(own) \(demand)")
    let number = state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
    return (Self.listen(at: path(number), SOCK_NONBLOCK.rawValue), ProtocolServiceMultiplexer(number))
  }

  func accept(from listener: BusDescriptor) throws(SocketError) -> (socket: BusDescriptor, peer: DeviceAddress)? {
    let number = Glibc.accept(listener.borrowed, nil, nil)
    if number < 0 { return nil }
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    return (BusDescriptor(taking: number), Self.central)
  }

  func sendLimit(of socket: BusDescriptor) -> Int { Self.sendLimit }
  func hasSent(_ socket: BusDescriptor) -> Bool { true }

  // MARK: The other side

  /// Publishes a number there.
  func farListener(_ multiplexer: ProtocolServiceMultiplexer) -> BusDescriptor {
    let listener = Self.listen(at: path(multiplexer.rawValue))
    listener.limitWaiting()
    return listener
  }

  /// Opens a channel to a number published by this side; `nil` where it is not.
  func openFar(_ multiplexer: ProtocolServiceMultiplexer) -> FarEnd? {
    let socket = BusDescriptor(taking: Self.makeSocket())
    let result = Self.with(path(multiplexer.rawValue)) { Glibc.connect(socket.borrowed, $0, $1) }
    return result == 0 ? FarEnd(socket) : nil
  }

  private static func makeSocket(_ flags: UInt32 = 0) -> Int32 {
    socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | flags), 0)
  }

  private static func listen(at path: String, _ flags: UInt32 = 0) -> BusDescriptor {
    let socket = BusDescriptor(taking: makeSocket(flags))
    #expect(with(path) { bind(socket.borrowed, $0, $1) } == 0)
    #expect(Glibc.listen(socket.borrowed, 8) == 0)
    return socket
  }

  private static func with(_ path: String, _ use: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafeBytes(of: &address) { octets in
      use(octets.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(octets.count))
    }
  }
}

/// The other end of a channel: a blocking socket, on a thread of its own.
final class FarEnd: Sendable {
  private let socket: BusDescriptor
  private static let queue = DispatchQueue(label: "far end", attributes: .concurrent)

  init(_ socket: BusDescriptor) {
    self.socket = socket
    socket.limitWaiting()
  }

  static func accepted(by listener: BusDescriptor) async -> FarEnd {
    await run { FarEnd(BusDescriptor(taking: Glibc.accept(listener.borrowed, nil, nil))) }
  }

  private static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
  }

  /// Sends SDUs, each of an array; false where one was not accepted.
  func send(_ units: [[UInt8]]) async -> Bool { await Self.run { self.sendAtOnce(units) } }

  /// The same on the thread of the caller, which may be the loop: as much as the kernel buffers for a reader.
  func sendAtOnce(_ units: [[UInt8]]) -> Bool {
    units.allSatisfy { Glibc.send(socket.borrowed, $0, $0.count, Int32(MSG_NOSIGNAL)) == $0.count }
  }

  /// The next SDUs, until there are this many octets, or no more.
  func read(_ count: Int) async -> [[UInt8]] {
    await Self.run { [self] in
      var units: [[UInt8]] = []
      var sum = 0
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while sum < count {
        let length = recv(socket.borrowed, &buffer, buffer.count, 0)
        if length <= 0 { break }
        units.append(Array(buffer[..<length]))
        sum += length
      }
      return units
    }
  }

  func close() { socket.closeNow() }
}

extension BusDescriptor {
  /// A test that waits longer than this fails: it is a guard, and no measurement.
  fileprivate func limitWaiting() {
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(borrowed, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }
}
