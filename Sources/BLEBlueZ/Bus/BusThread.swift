import Dispatch
import Glibc
import Synchronization

/// Waits for a bus's descriptor on its own thread, and calls back on the loop's queue from that same thread.
///
/// With a Dispatch source the manager thread waits, a worker thread is called, and the manager is called to wait again: three thread
/// switches for a signal that is read in one call. Here the waiting thread itself occupies the queue while it reads.
final class BusThread {
  /// The descriptor this waits for, by way of a duplicate: libsystemd may close its own at any time.
  let original: Int32
  private let wait: BusWait

  /// `nil` where the process has no descriptor or no thread left. `ready` is called on `queue`.
  init?(
    of descriptor: Int32, on queue: DispatchQueue, by polling: BusPolling = BusPolling(),
    _ ready: @escaping @Sendable () -> Void
  ) {
    guard let wait = BusWait(for: descriptor, on: queue, by: polling, ready), wait.start() else { return nil }
    original = descriptor
    self.wait = wait
  }

  deinit { wait.end() }

  /// Sets whether `ready` is also called when the descriptor can be written.
  func watchWrites(_ isWanted: Bool) { wait.watchWrites(isWanted) }
}

/// How the thread waits; tests substitute a system that refuses.
struct BusPolling: Sendable {
  var poll: @Sendable (UnsafeMutablePointer<pollfd>?, nfds_t) -> Int32 = { Glibc.poll($0, $1, -1) }
  /// Called between two waits of which the first has failed.
  var pause: @Sendable () -> Void = { usleep(100_000) }
}

/// The state that the thread retains while it runs.
private final class BusWait: Sendable {
  private let descriptor: BusDescriptor
  private let queue: DispatchQueue
  private let polling: BusPolling
  private let ready: @Sendable () -> Void
  private let wantsWrites = Atomic(false)
  private let isOver = Atomic(false)
  /// An octet written into `wakeWriter` ends the current `poll`.
  private let wakeWriter: BusDescriptor
  private let wakeReader: BusDescriptor

  init?(
    for descriptor: Int32, on queue: DispatchQueue, by polling: BusPolling, _ ready: @escaping @Sendable () -> Void
  ) {
    guard let duplicate = BusDescriptor(duplicating: descriptor) else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.descriptor = duplicate
    wakeReader = BusDescriptor(taking: ends[0])
    wakeWriter = BusDescriptor(taking: ends[1])
    self.queue = queue
    self.polling = polling
    self.ready = ready
  }

  func start() -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Signals are for the program's own threads: a new thread inherits the mask of the thread that creates it, so block all here.
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

  /// `ready` is not called after this, except for a call that is running already.
  func end() {
    isOver.store(true, ordering: .releasing)
    wake()
  }

  func watchWrites(_ isWanted: Bool) {
    if wantsWrites.exchange(isWanted, ordering: .acquiringAndReleasing) == isWanted { return }
    wake()
  }

  private func wake() {
    var octet: UInt8 = 0
    // A full pipe wakes the thread already.
    _ = write(wakeWriter.borrowed, &octet, 1)
  }

  private func run() {
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { waits in
      while !isOver.load(ordering: .acquiring) {
        let events = POLLIN | (wantsWrites.load(ordering: .acquiring) ? POLLOUT : 0)
        waits.initializeElement(at: 0, to: pollfd(fd: descriptor.borrowed, events: Int16(events), revents: 0))
        waits.initializeElement(at: 1, to: pollfd(fd: wakeReader.borrowed, events: Int16(POLLIN), revents: 0))
        let count = polling.poll(waits.baseAddress, 2)
        if count < 0, errno != EINTR {
          // The system may refuse for long (no memory, a limit of descriptors below two): the bus is looked at from time to time.
          polling.pause()
          call()
        }
        guard count > 0 else { continue }
        if waits[1].revents != 0 {
          var octets = (UInt64(0), UInt64(0))
          _ = read(wakeReader.borrowed, &octets, 16)
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
