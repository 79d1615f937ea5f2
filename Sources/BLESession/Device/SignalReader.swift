import CoreBluetooth

/// Reads the RSSI of a link. This is no request of the Attribute Protocol, and systems answer it at most once a second, so it is separate
/// from the operations and does not delay them. All waiting callers get the same answer.
final class SignalReader {
  private let queue: DispatchQueue
  private let clock: any SessionClock
  private let answerTime: Duration
  private var waiting: [Reply<Int>] = []
  private var isAsked = false
  private var guardTimer: (any SessionTimer)?
  /// The peripheral that is measured; `nil` while the session is not ready.
  private var peripheral: CBPeripheral?

  init(queue: DispatchQueue, clock: any SessionClock, answerTime: Duration) {
    self.queue = queue
    self.clock = clock
    self.answerTime = answerTime
  }

  func add(_ reply: Reply<Int>) {
    // Callers that have cancelled are not retained until the device is back.
    waiting.removeAll(where: \.isOver)
    waiting.append(reply)
    ask()
  }

  func open(_ peripheral: CBPeripheral) {
    self.peripheral = peripheral
    ask()
  }

  private func ask() {
    waiting.removeAll(where: \.isOver)
    guard let peripheral, !isAsked, !waiting.isEmpty else { return }
    isAsked = true
    peripheral.readRSSI()
    guardTimer = clock.call(after: answerTime, on: queue) { [weak self] in
      self?.end(.failure(SessionError(.timedOut, "the RSSI was not reported in time")))
    }
  }

  func didRead(_ rssi: Int, _ error: (any Error)?) {
    guard isAsked else { return }
    end(
      error.map { .failure(SessionError(.refused, "the RSSI could not be read", underlying: $0)) }
        ?? .success(rssi))
  }

  /// The link was lost: callers whose request was sent fail, the others keep waiting.
  func close(_ error: SessionError) {
    peripheral = nil
    if isAsked { end(.failure(error)) }
  }

  func failAll(_ error: SessionError) {
    peripheral = nil
    end(.failure(error))
  }

  private func end(_ outcome: Result<Int, SessionError>) {
    isAsked = false
    guardTimer?.cancel()
    let all = waiting
    waiting = []
    for reply in all { reply.give(outcome) }
  }
}
