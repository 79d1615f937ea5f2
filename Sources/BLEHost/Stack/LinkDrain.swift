import BLEAdapter
import BLECore

/// Waits for the data sent on a link before this side ends the link: a controller drops data that it has not sent, and a peer may
/// handle the disconnection before data that it has received.
///
/// It waits until channels have sent their queued data, and until the peer has answered a request sent after all values. A peer that
/// does not answer delays the end only up to the limit, and one that receives slowly only as long as channels may take.
final class LinkDrain: TimerTarget {
  private let connection: HostConnection
  private var completions: [() -> Void]
  private var timer: TimerToken?
  /// The number of open conditions, including the set-up in `begin`.
  private var open = 1
  /// The number of queued frames when the timer was set.
  private var queuedFrames = 0
  private let latest: StackInstant

  /// Retains the connection until it has finished.
  init(of connection: HostConnection, completion: @escaping () -> Void) {
    self.connection = connection
    completions = [completion]
    latest = connection.loop.now + LinkPolicy.channelDrainLimit
  }

  func add(_ completion: @escaping () -> Void) { completions.append(completion) }

  func begin() {
    if let channels = connection.channels {
      open += 1
      channels.afterFinishingChannels(limit: LinkPolicy.channelDrainLimit) { [weak self] in self?.step() }
    }
    if connection.hasUnprocessedValues {
      open += 1
      setTimer()
      connection.awaitProcessedValues { [weak self] in self?.step() }
    }
    step()
  }

  private func step() {
    open -= 1
    if open == 0 { finish() }
  }

  /// Stops waiting and calls the completions.
  func finish() {
    if let timer { connection.loop.cancel(timer) }
    timer = nil
    if connection.drain === self { connection.drain = nil }
    let completions = completions
    self.completions = []
    for completion in completions { completion() }
  }

  /// Stops waiting without calling the completions.
  func cancel() {
    completions = []
    finish()
  }

  /// The number of frames queued for the controller.
  private var waitingFrames: Int { connection.channels?.queuedFrames ?? 0 }

  private func setTimer() {
    queuedFrames = waitingFrames
    timer = connection.loop.schedule(after: LinkPolicy.lastAnswerLimit, .work, self)
  }

  func timerFired(tag: Int) {
    timer = nil
    // Continue to wait while the peer receives packets.
    if waitingFrames < queuedFrames, connection.loop.now < latest { return setTimer() }
    finish()
  }
}

extension HostConnection {
  /// Whether values were sent, or are queued, that the peer is not known to have processed.
  var hasUnprocessedValues: Bool { bearer.isOpen && (bearer.hasUnansweredValues || pendingWrites > 0) }

  /// Calls `completion` once sent data has arrived, immediately if there is none, or after a time limit.
  func afterDraining(_ completion: @escaping () -> Void) {
    guard isUp else { return completion() }
    if let drain { return drain.add(completion) }
    let drain = LinkDrain(of: self, completion: completion)
    self.drain = drain
    drain.begin()
  }

  /// Calls `completion` when the peer has answered a request sent after all operations so far.
  func awaitProcessedValues(_ completion: @escaping () -> Void) {
    database.run({ (_: Result<Void, OperationError>) in completion() }) { client, done in
      client.bearer.awaitAnswer { done(.success(())) }
    }
  }
}
