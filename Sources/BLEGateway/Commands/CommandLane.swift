import BLESession
import Foundation

/// The commands of one device, one after another.
final class CommandLane: Sendable {
  struct Job: Sendable {
    var action: CommandRequest.Action
    var deadline: Date
    var finish: @Sendable (CommandOutcome) -> Void
  }

  private struct State {
    var isReady = false
    var isStopped = false
    var isHeld = true
    var waiting = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let clock: any SessionClock
  private let now: @Sendable () -> Date
  private let jobs: AsyncStream<Job>
  private let continuation: AsyncStream<Job>.Continuation
  private let state = Guarded(State())

  private static let mostWaiting = 32
  private static let queue = DispatchQueue(label: "BLEGateway.commands", qos: .utility)

  init(clock: any SessionClock, now: @escaping @Sendable () -> Date) {
    self.clock = clock
    self.now = now
    (jobs, continuation) = AsyncStream.makeStream()
  }

  func start(on device: GatewayDevice) {
    Task { [weak device, jobs] in
      for await job in jobs {
        guard let lane = device?.lane else { break }
        lane.state.with { $0.waiting -= 1 }
        job.finish(await lane.outcome(of: job, on: device))
      }
    }
  }

  /// Commands that have not begun are answered as failed.
  func stop() {
    let waiters = state.with { state in
      defer { state.waiters = [] }
      state.isStopped = true
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
    continuation.finish()
  }

  func setReady(_ isReady: Bool) {
    let waiters = state.with { state in
      state.isReady = isReady
      guard isReady else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Whether this gateway keeps the device. Commands that have not begun when it does not any more are answered so.
  var isHeld: Bool { state.with { $0.isHeld } }

  func setHeld(_ isHeld: Bool) {
    let waiters = state.with { state in
      state.isHeld = isHeld
      if isHeld { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns whether there was room for it.
  func add(_ job: Job) -> Bool {
    let isTaken = state.with { state in
      guard !state.isStopped, state.waiting < Self.mostWaiting else { return false }
      state.waiting += 1
      return true
    }
    if isTaken { continuation.yield(job) }
    return isTaken
  }

  private func outcome(of job: Job, on device: GatewayDevice?) async -> CommandOutcome {
    let hasBegun = Guarded(false)
    let rest = job.deadline.timeIntervalSince(now())
    guard rest > 0 else { return CommandOutcome(.expired) }
    let outcome = await within(.milliseconds(Int64(min(rest, 86_400) * 1_000))) { [weak device] in
      await self.becomeReady()
      guard self.isHeld else { return CommandOutcome.notHeld }
      guard let device, !self.state.with({ $0.isStopped }) else {
        return CommandOutcome(.failed, message: "the gateway is being stopped")
      }
      hasBegun.with { $0 = true }
      return await device.perform(job.action)
    }
    if let outcome { return outcome }
    return hasBegun.with { $0 }
      ? CommandOutcome(.timedOut, message: "the device did not answer before the deadline; it may have done it")
      : CommandOutcome(.expired, message: "the device was not connected before the deadline")
  }

  private func becomeReady() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isNow = state.with { state in
        if state.isReady || state.isStopped || !state.isHeld { return true }
        state.waiters.append(continuation)
        return false
      }
      if isNow { continuation.resume() }
    }
  }

  /// The result of `work`; `nil` if it has none after this time, when it is cancelled.
  private func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let result = FirstResult<Value?>()
    let task = Task { result.give(await work()) }
    let timer = clock.schedule(after: limit, on: Self.queue) {
      if result.give(nil) { task.cancel() }
    }
    let value = await result.value()
    timer.cancel()
    return value
  }
}
