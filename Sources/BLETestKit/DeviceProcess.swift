import BLECore
import BLEHost

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
  private let life = ProcessLife()
  private let latency: CallbackLatency?

  /// - Parameter latency: how late callbacks are; `nil`: they come at the instant of their cause.
  init(_ loop: VirtualLoop, latency: CallbackLatency? = nil) {
    self.loop = loop
    self.latency = latency
    number = loop.makeProcess()
  }

  /// On the loop.
  func die() { life.finish() }

  var now: StackInstant { loop.now }
  var isVirtual: Bool { loop.isVirtual }

  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) {
    loop.submit(from: origin, during: life, job)
  }

  func makeOrigin() -> JobOrigin { loop.makeOrigin() }

  func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken { loop.schedule(at: deadline, kind, target, tag: tag) }

  func cancel(_ token: TimerToken) { loop.cancel(token) }

  func deliver(_ delivery: any CallbackDelivery) {
    guard !life.hasEnded else { return }
    guard let delay = latency?.next(), delivery.isIndependent else { return loop.deliver(delivery, in: number) }
    // What a manager hears until then goes into the same delivery.
    loop.schedule(after: delay, .work) { [self] in
      if !life.hasEnded { loop.deliver(delivery, in: number) }
    }
  }

  func follow(_ queue: ProgramQueue) { loop.follow(queue, of: number) }

  func unfollow(_ queue: ProgramQueue) { loop.unfollow(queue, of: number) }
}

/// How late the callbacks of one process are, in a world of an exploration.
final class CallbackLatency: Sendable {
  private static let longest: UInt64 = 50_000

  private let chance: LoopBound<SeededEntropy>

  init(_ chance: SeededEntropy) { self.chance = LoopBound(chance) }

  /// Of the next callback, at least 1 microsecond. On the loop.
  func next() -> StackDuration { .microseconds(1 + Int64(chance.value.uniform(0..<Self.longest))) }
}
