import Foundation
import Synchronization

/// Runs worlds in a worker, and in another one when the first has ended.
///
/// `@unchecked Sendable`: the worker is used on the serial queue only; its socket, and whether this is over, are behind a lock.
final class WorkerLane: WorldRunner, @unchecked Sendable {
  private let call: ExploreCall
  /// A worker that has grown by more octets than this is replaced between two worlds.
  private let growthLimit: Int
  private let queue = DispatchQueue(label: "worlds of a worker")
  private var worker: WorkerProcess?
  private var residentAtStart = 0
  private let running = Mutex(Running())

  private struct Running {
    /// That of the worker.
    var socket: LineSocket?
    /// The exploration is cancelled, or has ended.
    var isOver = false
  }

  init(for call: ExploreCall, growthLimit: Int) {
    self.call = call
    self.growthLimit = growthLimit
  }

  /// Starts its worker.
  /// - Returns: why that is not possible.
  func start() async -> String? {
    await WorkerTurns.shared.begin()
    defer { WorkerTurns.shared.end() }
    return await onQueue { self.start(describingTraps: false) }
  }

  func run(_ order: WorldOrder) async -> WorldReport {
    await WorkerTurns.shared.begin()
    defer { WorkerTurns.shared.end() }
    return await withTaskCancellationHandler {
      await onQueue { self.report(on: order) }
    } onCancel: {
      // The worker ends when it reads the end, whatever its world does; the queue waits for that.
      stop()
    }
  }

  func end() async {
    stop()
    await onQueue { self.replaceWorker(with: nil) }
  }

  private func stop() {
    running.withLock { running in
      running.isOver = true
      running.socket?.shutDown()
    }
  }

  private var isOver: Bool { running.withLock { $0.isOver } }

  private func onQueue<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
  }

  // MARK: On the queue

  private func replaceWorker(with next: WorkerProcess?) {
    worker = next
    let isOver = running.withLock { running in
      running.socket = next?.socket
      return running.isOver
    }
    if isOver { next?.socket.shutDown() }
  }

  private func start(describingTraps: Bool) -> String? {
    do {
      let worker = try WorkerProcess.start(for: call, describesTraps: describingTraps)
      replaceWorker(with: worker)
      switch worker.begin(WorkerAssignment(call: call, earlier: ExploreCalls.ended(before: call))) {
      case .report(let ready):
        residentAtStart = ready.resident
        return nil
      case .death(let death):
        replaceWorker(with: nil)
        return """
          the test does not come to this call when it is started again in a process of its own, which \(death.ending)\
          \(death.lastWords.suffix(12).map { "\n  \($0)" }.joined())
          """
      }
    } catch {
      return "\(error)"
    }
  }

  private func report(on order: WorldOrder) -> WorldReport {
    // The world that is kept is run by a worker of its own, which describes traps.
    if order.capture != nil { replaceWorker(with: nil) }
    var hasBeenKilled = false
    while !isOver {
      if worker == nil, let reason = start(describingTraps: order.capture != nil) {
        return WorldReport(failure: .limit("worker", "its process cannot be started: \(reason)"))
      }
      guard let worker else { break }
      switch worker.run(order) {
      case .report(let report):
        if report.isLast || report.resident > residentAtStart + growthLimit { replaceWorker(with: nil) }
        return report
      case .death(let death):
        replaceWorker(with: nil)
        if death.cameFromOutside, !hasBeenKilled {
          hasBeenKilled = true
          continue
        }
        var report = WorldReport(failure: TrialFailure(death))
        report.capturePath = order.capture.flatMap { WorldCapture.existingPath(forTest: $0, seed: order.seed) }
        return report
      }
    }
    return WorldReport(failure: .limit("worker", "the exploration is over"))
  }
}
