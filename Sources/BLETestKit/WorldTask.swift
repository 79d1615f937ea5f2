import BLECore
import Dispatch
import Synchronization

extension World {
  /// Starts asynchronous code of a program. It runs while the world runs, and the world's clock waits for it: what it does
  /// between two suspensions happens at one moment of the world, as on a real machine, which is fast compared with radio.
  ///
  /// Applies to the task and what it calls, unless that is bound to another executor.
  public func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> WorldTask<Value> {
    WorldTask(executor: executor, body)
  }

  /// Runs the world until asynchronous code of a program has ended.
  /// - Throws: what `body` throws, or `WaitError` if it does not end within `limit` of the world's time.
  @discardableResult
  public func perform<Value: Sendable>(
    within limit: Duration = .seconds(120), fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = start(body)
    do {
      try await wait(within: limit, fileID: fileID, filePath: filePath, line: line) { task.isOver }
    } catch {
      task.cancel()
      throw error
    }
    return try await task.value
  }
}

/// Asynchronous code that runs in a world.
public final class WorldTask<Value: Sendable>: Sendable {
  private let task: Task<Value, any Error>
  private let ending: Ending

  init(executor: WorldExecutor, _ body: @escaping @Sendable () async throws -> Value) {
    let ending = Ending()
    self.ending = ending
    task = Task(executorPreference: executor) {
      do {
        let value = try await body()
        ending.come(nil)
        return value
      } catch {
        ending.come(error)
        throw error
      }
    }
  }

  /// Whether the code has ended.
  public var isOver: Bool { ending.isOver }

  /// The result; suspends until the code has ended, which needs a running world.
  public var value: Value { get async throws { try await task.value } }

  /// The error that the code has thrown, if it has this type.
  public func error<Failure: Error>(as type: Failure.Type) -> Failure? { ending.error as? Failure }

  /// Cancels the task, as `Task.cancel()` does.
  public func cancel() { task.cancel() }
}

private final class Ending: Sendable {
  private let state = Mutex<(isOver: Bool, error: (any Error)?)>((false, nil))
  var isOver: Bool { state.withLock { $0.isOver } }
  var error: (any Error)? { state.withLock { $0.error } }
  func come(_ error: (any Error)?) { state.withLock { $0 = (true, error) } }
}

/// Runs tasks one step after another, and makes the world's clock wait while a step is enqueued.
///
/// A step is enqueued during the callback that resumed the task: before that callback returns, the world knows that it has more
/// to wait for.
final class WorldExecutor: TaskExecutor {
  private let loop: VirtualLoop
  private let queue = DispatchQueue(label: "world tasks")

  init(loop: VirtualLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.enter()
    queue.async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      loop.leave(mayHaveUsedQueues: true)
    }
  }
}
