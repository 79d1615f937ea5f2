import BLESession
import Foundation

/// Waits on a thread of its own until a socket can be read or written, once for each request.
///
/// Not by sources of Dispatch: where sources are made and cancelled often, libdispatch's table of what epoll watches is corrupted on Linux
/// (swift-corelibs-libdispatch, issue 949), which ended about one in five runs of tests that bring links up and down.
///
/// `@unchecked Sendable`: everything that changes is behind its lock.
final class SocketWait: @unchecked Sendable {
  private struct State {
    var wanted: Int16 = 0
    var isOver = false
  }

  private let socket: Int32
  /// The thread reads from the first, and wakes up when something is written to the second.
  private let alarm: (Int32, Int32)
  private let state = Guarded(State())

  static let readable = Int16(POLLIN)
  static let writable = Int16(POLLOUT)
  private static let ends = Int16(POLLHUP | POLLERR | POLLNVAL)

  /// Owns the socket from here on, and closes it after `end`. `nil`: the process has no descriptor left; the socket is closed then.
  init?(owning socket: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      close(socket)
      return nil
    }
    for descriptor in ends {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
    self.socket = socket
    alarm = (ends[0], ends[1])
  }

  /// Begins. Has to be called, as the thread closes the descriptors.
  /// - Parameter ready: called on the thread with what was wanted and is possible; it is not waited for again until it is wanted again.
  func start(_ ready: @escaping @Sendable (Int16) -> Void) {
    Thread.detachNewThread { [self] in
      run(ready)
      shutdown(socket, Int32(SHUT_RDWR))
      for descriptor in [socket, alarm.0, alarm.1] { close(descriptor) }
    }
  }

  func want(_ events: Int16) {
    state.with { state in
      state.wanted |= events
      wake(state)
    }
  }

  func end() {
    state.with { state in
      if state.isOver { return }
      wake(state)
      state.isOver = true
    }
  }

  /// Not when it is over: the numbers may be those of other files by then.
  private func wake(_ state: State) {
    if state.isOver { return }
    var octet: UInt8 = 0
    _ = write(alarm.1, &octet, 1)
  }

  private func run(_ ready: (Int16) -> Void) {
    var waits = [pollfd(), pollfd(fd: alarm.0, events: Self.readable, revents: 0)]
    var octets = [UInt8](repeating: 0, count: 64)
    while true {
      let state = state.with { $0 }
      if state.isOver { return }
      // A hang-up is reported for each descriptor that is there, wanted or not.
      waits[0] = pollfd(fd: state.wanted == 0 ? -1 : socket, events: state.wanted, revents: 0)
      guard poll(&waits, 2, -1) > 0 else { continue }
      if waits[1].revents != 0 { while read(alarm.0, &octets, octets.count) > 0 {} }
      let happened = waits[0].revents
      let possible = happened & Self.ends != 0 ? state.wanted : happened & state.wanted
      guard possible != 0 else { continue }
      self.state.with { $0.wanted &= ~possible }
      ready(possible)
    }
  }
}
