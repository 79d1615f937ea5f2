import BLEAdapter
import BLECore

/// The operations on the attributes of one linked device, executed one after another in the order of their requests, once the daemon has
/// found the attributes. Each completion is called once, never inside the call, and not after `close`.
final class AttributeOperations: TimerTarget {
  typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  private struct Waiting {
    let start: (AttributeOperations) -> Void
    let fail: (OperationError) -> Void
  }

  /// How long the daemon may take to find the attributes. A database of a thousand takes seconds, a pairing by a user half a minute.
  static let searchLimit = StackDuration.seconds(120)

  private let loop: any StackLoop
  private let origin: JobOrigin
  private var waiting: [Waiting] = []
  private var next = 0
  private var isBusy = false
  private var isDraining = false
  /// Whether a completion would be called inside the call that has requested its operation.
  private var isInRun = false
  /// The number of the operation under way.
  private var number = 0
  /// Whether the daemon has found the attributes.
  private(set) var isReady = false
  private var isClosed = false
  private var timer: TimerToken?
  /// Called when no operation is queued or under way.
  var becameIdle: (() -> Void)?

  init(loop: any StackLoop) {
    self.loop = loop
    origin = loop.makeOrigin()
  }

  var isIdle: Bool { !isBusy && next == waiting.count }

  /// Sets whether the daemon has found the attributes, or is discovering them again.
  func setReady(_ isReady: Bool) {
    self.isReady = isReady
    drain()
  }

  func close() {
    isClosed = true
    stopTimer()
    waiting = []
    next = 0
    becameIdle = nil
  }

  /// Runs an operation, after those before it: `start` receives the completion to call with the result.
  func run<Value>(_ completion: @escaping Completion<Value>, _ start: @escaping (@escaping Completion<Value>) -> Void) {
    if isClosed {
      later { completion(.failure(.notConnected)) }
      return
    }
    waiting.append(
      Waiting(
        start: { operations in
          let number = operations.number
          start { [weak operations] result in operations?.finish(number, completion, result) }
        }, fail: { completion(.failure($0)) }))
    // The operation under way starts the next one when it ends.
    if isBusy || isDraining { return }
    isInRun = true
    drain()
    isInRun = false
  }

  /// Takes the result of an operation, which may answer twice: the second answer has the number of none.
  private func finish<Value>(
    _ number: Int, _ completion: @escaping Completion<Value>, _ result: Result<Value, OperationError>
  ) {
    guard number == self.number, !isClosed else { return }
    self.number += 1
    isBusy = false
    if isInRun {
      later { [weak self] in if self?.isClosed == false { completion(result) } }
    } else {
      completion(result)
    }
    drain()
  }

  /// Runs `job` after the current one. As a job and not as a timer: the system's timers are set by another thread.
  private func later(_ job: @escaping () -> Void) {
    let bound = LoopBound(job)
    loop.submit(from: origin) { bound.value() }
  }

  func timerFired(tag: Int) {
    timer = nil
    if isReady || isClosed { return }
    let failed = waiting[next...]
    waiting = []
    next = 0
    for operation in failed where !isClosed { operation.fail(.timedOut) }
  }

  /// Starts queued operations. One that completes immediately calls this again, which must not recurse.
  private func drain() {
    if isClosed || isDraining { return }
    if !isReady {
      if next < waiting.count, timer == nil {
        timer = loop.schedule(after: Self.searchLimit, .background, self, tag: 0)
      }
      return
    }
    stopTimer()
    isDraining = true
    while isReady, !isBusy, next < waiting.count {
      let operation = waiting[next]
      next += 1
      isBusy = true
      operation.start(self)
    }
    isDraining = false
    if next == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      next = 0
    } else if next > 64 {
      waiting.removeSubrange(..<next)
      next = 0
    }
    guard isIdle else { return }
    if isInRun { later { [weak self] in if self?.isIdle == true { self?.becameIdle?() } } } else { becameIdle?() }
  }

  private func stopTimer() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }
}
