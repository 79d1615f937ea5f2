import BLECore
import Foundation
import Synchronization

/// This process, if it is a worker: it runs worlds for the exploration of another process.
final class ExplorationWorker: Sendable {
  static let current: ExplorationWorker? = {
    guard environment(WorkerProcess.variable) != nil else { return nil }
    let socket = LineSocket(WorkerProcess.descriptor)
    // Programs that a body starts are not concerned.
    _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
    unsetenv(WorkerProcess.variable)
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    guard let assignment = socket.receive(WorkerAssignment.self) else { exit(1) }
    return ExplorationWorker(socket, assignment)
  }()

  private let socket: LineSocket
  private let assignment: WorkerAssignment
  private let queue = DispatchQueue(label: "orders of an exploration")

  private init(_ socket: LineSocket, _ assignment: WorkerAssignment) {
    self.socket = socket
    self.assignment = assignment
  }

  /// A call of `explore` in this process. That of the assignment does not return: its worlds are run until the exploration ends.
  func take(_ call: ExploreCall?, _ body: @escaping WorldTrial.Body) async throws -> Exploration {
    if call == assignment.call { await serve(body) }
    // Of another case: it ends as fast as it can.
    guard let earlier = assignment.earlier.first(where: { $0.call == call }) else { throw CancellationError() }
    return try earlier.outcome.get()
  }

  private func serve(_ body: @escaping WorldTrial.Body) async -> Never {
    let monitor = WorkerMonitor(socket)
    monitor.start()
    // A limit of the test's time does not concern the exploration's worlds.
    await Task {
      self.socket.send(WorldReport(resident: ProcessUse.resident))
      while let order = await self.nextOrder() {
        monitor.begin(order.limits)
        var report = await WorldTrial.run(order, body, isWatched: true) { monitor.watch($0) }.report
        guard let use = monitor.end() else { break }
        report.processorTime = use
        report.resident = ProcessUse.resident
        report.allocated = ProcessUse.allocated
        report.process = getpid()
        self.socket.send(report)
      }
    }.value
    _exit(0)
  }

  private func nextOrder() async -> WorldOrder? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.socket.receive(WorldOrder.self)) }
    }
  }
}
