import BLEAdapter
import BLECore

/// The wait for what was sent on a link before this side ends it: a peer may work off the end of a link before the data that came
/// in front of it, and a controller drops what it has not sent.
///
/// Channels have sent what they had, and the peer has answered a request behind all values. A peer that never answers holds
/// nothing up for longer than the limit, and one that takes packets slowly for no longer than channels are given.
final class LinkFarewell: TimerTarget {
  private let connection: HostConnection
  private var completions: [() -> Void]
  private var timer: TimerToken?
  /// What is waited for; this object's own setting up is one of them.
  private var open = 1
  /// Frames that waited for the controller when the timer was set.
  private var queuedFrames = 0
  private let latest: StackInstant

  /// Keeps the connection until it is over.
  init(of connection: HostConnection, completion: @escaping () -> Void) {
    self.connection = connection
    completions = [completion]
    latest = connection.loop.now + LinkPolicy.channelFarewellLimit
  }

  func add(_ completion: @escaping () -> Void) { completions.append(completion) }

  func begin() {
    if let channels = connection.channels {
      open += 1
      channels.afterFinishingChannels(limit: LinkPolicy.channelFarewellLimit) { [weak self] in self?.step() }
    }
    if connection.owesValues {
      open += 1
      setTimer()
      connection.awaitTakenValues { [weak self] in self?.step() }
    }
    step()
  }

  private func step() {
    open -= 1
    if open == 0 { finish() }
  }

  /// Nothing is waited for any more.
  func finish() {
    if let timer { connection.loop.cancel(timer) }
    timer = nil
    if connection.farewell === self { connection.farewell = nil }
    let completions = completions
    self.completions = []
    for completion in completions { completion() }
  }

  /// The stack is gone: there is nobody left to be told.
  func cancel() {
    completions = []
    finish()
  }

  /// Frames of the link that wait for the controller.
  private var waitingFrames: Int { connection.channels?.queuedFrames ?? 0 }

  private func setTimer() {
    queuedFrames = waitingFrames
    timer = connection.loop.schedule(after: LinkPolicy.lastAnswerLimit, .work, self)
  }

  func timerFired(tag: Int) {
    timer = nil
    // As long as the peer takes packets there is something to wait for.
    if waitingFrames < queuedFrames, connection.loop.now < latest { return setTimer() }
    finish()
  }
}

extension HostConnection {
  /// Something was sent, or is about to be, that the peer has not shown to have taken.
  var owesValues: Bool { bearer.isOpen && (bearer.hasUnansweredValues || writesUnderWay > 0) }

  /// Calls `completion` once what was sent has arrived, at once where there is nothing to wait for, and in any case after a while.
  func afterFarewell(_ completion: @escaping () -> Void) {
    guard isUp else { return completion() }
    if let farewell { return farewell.add(completion) }
    let farewell = LinkFarewell(of: self, completion: completion)
    self.farewell = farewell
    farewell.begin()
  }

  /// Calls `completion` when the peer has answered behind all that programs asked for so far.
  func awaitTakenValues(_ completion: @escaping () -> Void) {
    database.run({ (_: Result<Void, OperationError>) in completion() }) { client, done in
      client.bearer.awaitAnswer { done(.success(())) }
    }
  }
}
