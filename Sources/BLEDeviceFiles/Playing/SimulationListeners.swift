import BLESession
import Foundation

/// Those who follow the events of a simulated device.
final class SimulationListeners: Sendable {
  private let listeners = Guarded<[Int: AsyncStream<SimulationEvent>.Continuation]>([:])

  func events() -> AsyncStream<SimulationEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
      let number = listeners.with { listeners in
        let number = (listeners.keys.max() ?? 0) + 1
        listeners[number] = continuation
        return number
      }
      continuation.onTermination = { [weak self] _ in self?.listeners.with { $0[number] = nil } }
    }
  }

  func report(_ event: SimulationEvent) {
    let all = listeners.with { Array($0.values) }
    for listener in all { listener.yield(event) }
  }
}
