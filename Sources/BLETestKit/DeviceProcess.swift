import BLECore
import BLEHost
import Synchronization

/// One process on a device: its stack, and its part of the world's loop.
struct DeviceProcess: Sendable {
  /// The number of processes before it.
  let launch: UInt64
  let stack: HostStack
  let loop: ProcessLoop
}

/// The world's loop for one process. After `die()` the jobs of its programs are discarded, and callbacks are not delivered.
final class ProcessLoop: StackLoop {
  private let loop: VirtualLoop
  private let number: ProcessNumber
  private let isDead = Atomic(false)

  init(_ loop: VirtualLoop) {
    self.loop = loop
    number = loop.makeProcess()
  }

  /// On the loop.
  func die() { isDead.store(true, ordering: .relaxed) }

  var now: StackInstant { loop.now }
  var isVirtual: Bool { loop.isVirtual }

  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) {
    loop.submit(from: origin) { [self] in
      if !isDead.load(ordering: .relaxed) { job() }
    }
  }

  func makeOrigin() -> JobOrigin { loop.makeOrigin() }

  func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken { loop.schedule(at: deadline, kind, target, tag: tag) }

  func cancel(_ token: TimerToken) { loop.cancel(token) }

  func deliver(_ delivery: any CallbackDelivery) {
    if !isDead.load(ordering: .relaxed) { loop.deliver(delivery, in: number) }
  }

  func follow(_ queue: ProgramQueue) { loop.follow(queue, of: number) }

  func unfollow(_ queue: ProgramQueue) { loop.unfollow(queue, of: number) }
}
