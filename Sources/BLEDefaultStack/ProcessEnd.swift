import BLEAdapter
import BLECore
import BLECrypto
import Dispatch
import Glibc
import Synchronization

/// What has to be done before the process has ended: links are closed, pending data is written.
///
/// For signals without a handler a handler is installed that does the same and then lets the signal's default action follow. A
/// program that installs its own, before or after, keeps it; a second signal ends the process at once.
enum ProcessEnd {
  private struct State {
    var stacks: [MadeStack] = []
    var signals: (any DispatchSourceRead)?
  }

  private static let state = Mutex(State())
  /// The time limit for the last packets to the peers.
  private static let limit = DispatchTimeInterval.seconds(3)
  /// The pipe to which the signal handler writes the signal's number.
  private static let pipeEnd = Atomic<Int32>(-1)
  private static let signals = [SIGTERM, SIGINT, SIGHUP]

  static func watch(_ stack: MadeStack) {
    state.withLock { state in
      if state.stacks.isEmpty {
        // Links that are closed then may be encrypted.
        LibraryLifetime.untilTheEnd()
        atexit { ProcessEnd.finish() }
        state.signals = watchSignals()
      }
      state.stacks.append(stack)
    }
  }

  /// Shuts down all stacks, in parallel, and waits for a limited time.
  private static func finish() {
    let stacks = state.withLock { state in
      defer { state.stacks = [] }
      return state.stacks
    }
    ProgramDesk.close()
    for stack in stacks { stack.rules?.finish() }
    let group = DispatchGroup()
    for stack in stacks {
      group.enter()
      stack.stack.shutDown {
        stack.recording?.value.flush()
        group.leave()
      }
    }
    _ = group.wait(timeout: .now() + limit)
    for stack in stacks { stack.stack.flush() }
  }

  private static func watchSignals() -> (any DispatchSourceRead)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    pipeEnd.store(ends[1], ordering: .relaxed)
    let source = DispatchSource.makeReadSource(
      fileDescriptor: ends[0], queue: DispatchQueue(label: "swift-corebluetooth.signals"))
    source.setEventHandler { [input = ends[0]] in
      var number: UInt8 = 0
      guard read(input, &number, 1) == 1 else { return }
      finish()
      // The handler is removed by now: the default action follows.
      kill(getpid(), Int32(number))
    }
    source.activate()
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { continue }
      action.__sigaction_handler.sa_handler = { number in
        // Only what is allowed in a signal handler: one write.
        var octet = UInt8(truncatingIfNeeded: number)
        _ = write(ProcessEnd.pipeEnd.load(ordering: .relaxed), &octet, 1)
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
      sigaction(number, &action, nil)
    }
    return source
  }
}
