import BLEAdapter
import BLECore

/// The operations on the attributes of one linked device, executed one after another in the order of their requests, once the daemon has
/// found the attributes. Each completion is called once, never inside the call, and not after `close`.
final class AttributeOperations: TimerTarget {
  typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  private struct Waiting {
    let start: () -> Void
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
  private var isDrainScheduled = false
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

  /// Runs an operation after those before it: `start` receives the completion to call with the result.
  func run<Value>(_ completion: @escaping Completion<Value>, _ start: @escaping (@escaping Completion<Value>) -> Void) {
    let complete: Completion<Value> = { [weak self] result in
      guard let self, !self.isClosed else { return }
      completion(result)
    }
    if isClosed {
      later { completion(.failure(.notConnected)) }
      return
    }
    waiting.append(
      Waiting(
        start: { [weak self] in
          var isDone = false
          start { result in
            // An operation may answer twice.
            if isDone { return }
            isDone = true
            complete(result)
            self?.finish()
          }
        }, fail: { complete(.failure($0)) }))
    // The operation under way drains the queue when it ends.
    if isBusy || isDraining || isDrainScheduled { return }
    isDrainScheduled = true
    later { [weak self] in
      self?.isDrainScheduled = false
      self?.drain()
    }
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
    for operation in failed { operation.fail(.timedOut) }
  }

  private func finish() {
    isBusy = false
    drain()
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
      operation.start()
    }
    isDraining = false
    if next == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      next = 0
    } else if next > 64 {
      waiting.removeSubrange(..<next)
      next = 0
    }
    if isIdle { becameIdle?() }
  }

  private func stopTimer() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }
}
