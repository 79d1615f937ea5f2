import Foundation

/// Lines of JSON over a socket between a test and its workers.
///
/// `@unchecked Sendable`: lines are received by one thread at a time, and what is sent goes out in one call under the lock.
final class LineSocket: @unchecked Sendable {
  /// A longer line is the end of the conversation.
  private static let limit = 1 << 24

  let descriptor: Int32
  private var received: [UInt8] = []
  /// The other side has sent something else than what was expected.
  private var isBroken = false
  private let sending = NSLock()

  /// The socket is closed with this object.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// - Returns: whether it was sent.
  @discardableResult
  func send(_ message: some Encodable) -> Bool {
    guard var line = try? JSONEncoder().encode(message) else { return false }
    line.append(UInt8(ascii: "\n"))
    return sending.withLock {
      line.withUnsafeBytes { (octets: UnsafeRawBufferPointer) -> Bool in
        var sent = 0
        while sent < octets.count {
          let rest = UnsafeRawBufferPointer(rebasing: octets[sent...])
          let count = Foundation.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return false }
          sent += count
        }
        return true
      }
    }
  }

  /// Ends the conversation: both sides read its end. From any thread.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits for a line. `nil`: the other side has gone, or sends something else.
  func receive<Message: Decodable>(_ type: Message.Type) -> Message? {
    while true {
      if let message = next(type) { return message }
      guard read() else { return nil }
    }
  }

  /// The next line that was read; `nil` if there is none, or it is not such a message.
  func next<Message: Decodable>(_ type: Message.Type) -> Message? {
    guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = Data(received[..<end])
    received.removeSubrange(...end)
    do {
      return try JSONDecoder().decode(type, from: line)
    } catch {
      isBroken = true
      return nil
    }
  }

  /// Waits for octets.
  /// - Returns: false at the end.
  func read() -> Bool {
    if isBroken { return false }
    var octets = [UInt8](repeating: 0, count: 1 << 16)
    var count = -1
    repeat { count = Foundation.read(descriptor, &octets, octets.count) } while count < 0 && errno == EINTR
    guard count > 0, received.count < Self.limit else { return false }
    received += octets[..<count]
    return true
  }
}
