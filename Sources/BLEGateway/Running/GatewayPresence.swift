import BLESession
import Foundation

/// Publishes in which rooms devices are, and advertisements that are merged, by what all gateways of the prefix say.
///
/// Its time stands still while there is no link to the broker: nothing can be heard then, and nothing is missed.
final class GatewayPresence: Sendable {
  private struct State {
    var table: PresenceTable
    var timer: (any SessionTimer)?
    var planned: Duration?
    /// How long there was no link.
    var lost = Duration.zero
    /// Since when there is none; `nil`: there is one.
    var lostSince: Duration?
  }

  private let state: Guarded<State>
  private let clock: any SessionClock
  private let messages: GatewayMessages
  private let now: @Sendable () -> Date
  private let tracked: Set<String>
  private let add: @Sendable (OutboxDraft) -> Void
  private static let queue = DispatchQueue(label: "BLEGateway.presence", qos: .utility)

  /// Returns `nil` if the configuration wants none of it.
  init?(
    _ configuration: GatewayConfiguration, clock: any SessionClock, _ messages: GatewayMessages,
    now: @escaping @Sendable () -> Date, add: @escaping @Sendable (OutboxDraft) -> Void
  ) {
    guard configuration.presence != nil || configuration.merging != nil else { return nil }
    (self.clock, self.messages, self.now, self.add) = (clock, messages, now, add)
    tracked = Set(configuration.presence?.tracked.keys.map { $0 } ?? [])
    state = Guarded(State(table: PresenceTable(configuration), lostSince: clock.now))
  }

  /// How many devices are somewhere, how many messages were none of a gateway, and how many have waited too long to count.
  var figures: (devices: Int, ignored: Int, late: Int) {
    state.with { ($0.table.board.count, $0.table.ignored, $0.table.late) }
  }

  /// There is a link to the broker.
  func connected(_ line: GatewayLine) {
    for filter in state.with({ $0.table.filters }) { line.follow(filter) }
    advance { state in
      if let since = state.lostSince { state.lost += clock.now - since }
      state.lostSince = nil
      return state.table.connected(at: clock.now - state.lost)
    }
  }

  func disconnected() {
    state.with { state in
      state.lostSince = state.lostSince ?? clock.now
      state.timer?.cancel()
      (state.timer, state.planned) = (nil, nil)
    }
  }

  func take(_ message: BrokerMessage) {
    let time = now()
    advance { state in state.table.take(message, at: clock.now - state.lost, time) }
  }

  private func advance(_ body: (inout State) -> [PresenceTable.Outcome]) {
    // One after another also into the outbox: two rooms of a device would otherwise be published in the wrong order.
    state.with { state in
      for outcome in body(&state) { publish(outcome) }
      plan(&state)
    }
  }

  private func plan(_ state: inout State) {
    guard state.lostSince == nil, let wake = state.table.wake, wake != state.planned else { return }
    state.timer?.cancel()
    state.planned = wake
    state.timer = clock.schedule(after: max(.zero, wake + state.lost - clock.now), on: Self.queue) { [weak self] in
      self?.timePassed(wake)
    }
  }

  private func timePassed(_ planned: Duration) {
    advance { state in
      guard state.lostSince == nil, state.planned == planned else { return [] }
      state.planned = nil
      return state.table.advance(to: max(planned, clock.now - state.lost))
    }
  }

  private func publish(_ outcome: PresenceTable.Outcome) {
    switch outcome {
    case .merged(let advertisement): add(messages.merged(advertisement))
    case .moved(let change):
      // The broker would keep a message for each device that has ever passed by.
      let isKept = change.room != nil || tracked.contains(change.device)
      add(messages.presence(change, isRetained: isKept))
      if !isKept { add(messages.noPresence(of: change.device)) }
    }
  }
}
