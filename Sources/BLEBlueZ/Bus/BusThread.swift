import Dispatch
import Glibc
import Synchronization

/// Waits for a bus's descriptor on a thread of its own, and calls back on the loop's queue without leaving that thread.
///
/// A source of Dispatch has its manager's thread wait, a worker's thread called, and the manager called back to wait again: three changes of
/// threads for a signal that is read in one call. Here the thread that waits takes the queue for as long as it reads.
final class BusThread {
  /// The descriptor that this waits for. It waits for a duplicate: libsystemd closes its own when it likes.
  let original: Int32
  private let wait: BusWait

  /// `nil` where the system has no descriptor or no thread left. `ready` is called on `queue`.
  init?(of descriptor: Int32, on queue: DispatchQueue, _ ready: @escaping @Sendable () -> Void) {
    guard let wait = BusWait(for: descriptor, on: queue, ready), wait.start() else { return nil }
    original = descriptor
    self.wait = wait
  }

  deinit { wait.end() }

  /// Whether to tell when it can be written as well.
  func watchWrites(_ isWanted: Bool) { wait.watchWrites(isWanted) }
}

/// What the thread holds, for as long as it runs.
private final class BusWait: Sendable {
  private let descriptor: BusDescriptor
  private let queue: DispatchQueue
  private let ready: @Sendable () -> Void
  private let wantsWrites = Atomic(false)
  private let isOver = Atomic(false)
  /// An octet that is written into `bell` ends the wait.
  private let bell: BusDescriptor
  private let bellHeard: BusDescriptor

  init?(for descriptor: Int32, on queue: DispatchQueue, _ ready: @escaping @Sendable () -> Void) {
    guard let duplicate = BusDescriptor(duplicating: descriptor) else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.descriptor = duplicate
    bellHeard = BusDescriptor(taking: ends[0])
    bell = BusDescriptor(taking: ends[1])
    self.queue = queue
    self.ready = ready
  }

  func start() -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Signals are for the program's own threads: one begins with those blocked that are blocked in the thread that starts it.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<BusWait>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, retained.toOpaque())
    if result != 0 { retained.release() }
    return result == 0
  }

  /// Nothing is called any more, once what is being called has returned.
  func end() {
    isOver.store(true, ordering: .releasing)
    ring()
  }

  func watchWrites(_ isWanted: Bool) {
    if wantsWrites.exchange(isWanted, ordering: .acquiringAndReleasing) == isWanted { return }
    ring()
  }

  private func ring() {
    var octet: UInt8 = 0
    // Where there is no room it has been rung already.
    _ = write(bell.borrowed, &octet, 1)
  }

  private func run() {
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { waits in
      while !isOver.load(ordering: .acquiring) {
        let events = POLLIN | (wantsWrites.load(ordering: .acquiring) ? POLLOUT : 0)
        waits.initializeElement(at: 0, to: pollfd(fd: descriptor.borrowed, events: Int16(events), revents: 0))
        waits.initializeElement(at: 1, to: pollfd(fd: bellHeard.borrowed, events: Int16(POLLIN), revents: 0))
        guard poll(waits.baseAddress, 2, -1) > 0 else { continue }
        if waits[1].revents != 0 {
          var octets = (UInt64(0), UInt64(0))
          _ = read(bellHeard.borrowed, &octets, 16)
        }
        if waits[0].revents != 0 { call() }
      }
    }
  }

  private func call() {
    queue.sync {
      if !isOver.load(ordering: .acquiring) { ready() }
    }
  }
}
