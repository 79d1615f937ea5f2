import BLECore
import Foundation
import Synchronization

/// Looks at the world that a worker runs, ten times a second of real time, and ends the process where the world is over its limits.
final class WorkerMonitor: Sendable {
  fileprivate struct Watched {
    let limits: WorldOrder.Limits
    let processorTime: Duration
    let resident: Int
    var loop: VirtualLoop?
    /// How often in a row nothing has moved.
    var looks = 0
    var steps: UInt64 = 0
    var used = Duration.zero
  }

  /// Milliseconds between two looks.
  private static let interval: Int32 = 100

  private let socket: LineSocket
  private let watched = Mutex<Watched?>(nil)

  init(_ socket: LineSocket) { self.socket = socket }

  func start() {
    Thread.detachNewThread { [self] in
      while true {
        // It reports the end of the exploration, and of its process, at once.
        var waiting = pollfd(fd: socket.descriptor, events: 0, revents: 0)
        if poll(&waiting, 1, Self.interval) > 0, waiting.revents != 0 { _exit(0) }
        look()
      }
    }
  }

  func begin(_ limits: WorldOrder.Limits) {
    let new = Watched(limits: limits, processorTime: ProcessUse.processorTime, resident: ProcessUse.resident)
    watched.withLock { $0 = new }
  }

  /// The world that was begun.
  func watch(_ world: World) {
    let loop = world.loop
    watched.withLock { $0?.loop = loop }
  }

  /// - Returns: the processor time of the world; `nil` if this process ends.
  func end() -> Duration? {
    watched.withLock { watched in
      defer { watched = nil }
      return watched.map { ProcessUse.processorTime - $0.processorTime }
    }
  }

  private func look() {
    // Once there is a verdict, the world's own end is too late.
    let report = watched.withLock { watched -> WorldReport? in
      guard let failure = watched?.verdict() else { return nil }
      defer { watched = nil }
      return WorldReport(failure: failure, time: watched?.time ?? .zero, isLast: true)
    }
    guard let report else { return }
    socket.send(report)
    _exit(1)
  }
}

extension WorkerMonitor.Watched {
  fileprivate var time: Duration { .nanoseconds(loop?.now.nanoseconds ?? 0) }

  /// What it does not keep to.
  fileprivate mutating func verdict() -> TrialFailure? {
    let moment = "at \(WorldEvent.words(time)) of the world's time"
    let now = ProcessUse.processorTime - processorTime
    defer { used = now }
    if now > limits.processorTime {
      return .limit(
        "processor time",
        "the body has used \(WorldEvent.words(limits.processorTime)) of processor time without an end, \(moment)")
    }
    if ProcessUse.resident - resident > limits.memory {
      return .limit("memory", "the body fills more than \(limits.memory >> 20) MiB of memory, \(moment)")
    }
    guard let loop, case let standing = loop.standing, standing.steps == steps, !standing.isResting,
      now - used < .milliseconds(2), ProcessUse.othersSleep
    else {
      steps = loop?.standing.steps ?? 0
      looks = 0
      return nil
    }
    looks += 1
    guard looks >= limits.patience else { return nil }
    guard standing.isRunning else {
      return .limit("standstill", "the body waits without end for something that does not happen, \(moment)")
    }
    let queues = loop.queueLabels.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
    return .limit(
      "standstill",
      """
      \(standing.outstanding) callbacks or steps of tasks do not return, \(moment); the queues of the managers are \(queues)
      """)
  }
}
