import BLECore
import Glibc

/// Receives what arrives on a socket. On the loop.
protocol SocketReader: AnyObject {
  var descriptor: Int32 { get }
  func isReadable()
}

/// The loop of one thread that waits for sockets and timers by poll(2).
///
/// `@unchecked Sendable`: used by one thread.
final class SocketLoop: StackLoop, @unchecked Sendable {
  private var timers = TimerQueue()
  private var waits: [pollfd] = []
  private var readers: [any SocketReader] = []
  private var origins: UInt32 = 0

  var now: StackInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return StackInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  func watch(_ reader: any SocketReader) {
    readers.append(reader)
    waits.append(pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0))
  }

  func unwatch(_ reader: any SocketReader) {
    guard let index = readers.firstIndex(where: { $0 === reader }) else { return }
    readers.remove(at: index)
    waits.remove(at: index)
  }

  /// Until the condition holds.
  func run(until isOver: () -> Bool) throws {
    while !isOver() {
      var milliseconds: Int32 = -1
      if let deadline = timers.nextDeadline() {
        let now = now
        while let due = timers.popDue(by: now) { due.target.timerFired(tag: due.tag) }
        if isOver() { return }
        milliseconds = Int32(clamping: max(0, deadline.nanoseconds - now.nanoseconds + 999_999) / 1_000_000)
      }
      let count = poll(&waits, nfds_t(waits.count), milliseconds)
      if count < 0, errno != EINTR { throw Failure(description: "the sockets cannot be waited for") }
      guard count > 0 else { continue }
      for index in waits.indices where waits[index].revents != 0 { readers[index].isReadable() }
    }
  }

  @discardableResult
  func schedule(at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int) -> TimerToken {
    timers.schedule(at: deadline, kind, target, tag: tag)
  }

  func cancel(_ token: TimerToken) { timers.cancel(token) }

  func makeOrigin() -> JobOrigin {
    origins += 1
    return JobOrigin(rawValue: origins)
  }

  // Attributes have no jobs of other threads, and no programs' queues.
  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) { job() }
  func deliver(_ delivery: any CallbackDelivery) { delivery.dispatch {} }
  func follow(_ queue: ProgramQueue) {}
  func unfollow(_ queue: ProgramQueue) {}
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}
