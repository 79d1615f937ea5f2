import CoreBluetooth

/// Asks for the strength of a device's signal. That is no request of the Attribute Protocol, and systems answer it as slowly as once
/// a second: it goes beside the operations and keeps none of them waiting. All who wait get the same answer.
final class SignalReader {
  private let queue: DispatchQueue
  private let clock: any SessionClock
  private let answerTime: Duration
  private var waiting: [Reply<Int>] = []
  private var isAsked = false
  private var guardTimer: (any SessionTimer)?
  /// The link that is measured; `nil` while the session is not ready.
  private var peripheral: CBPeripheral?

  init(queue: DispatchQueue, clock: any SessionClock, answerTime: Duration) {
    self.queue = queue
    self.clock = clock
    self.answerTime = answerTime
  }

  func add(_ reply: Reply<Int>) {
    // Whoever has lost interest is not kept until the device is back.
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
      self?.end(.failure(SessionError(.timedOut, "the signal's strength was not told in time")))
    }
  }

  func didRead(_ rssi: Int, _ error: (any Error)?) {
    guard isAsked else { return }
    end(
      error.map { .failure(SessionError(.refused, "the signal's strength is not known", underlying: $0)) }
        ?? .success(rssi))
  }

  /// The link is gone: what was asked for fails, what was not goes on waiting.
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
