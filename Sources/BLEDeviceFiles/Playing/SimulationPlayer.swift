import BLESession
import CoreBluetooth

/// Runs a simulation on a peripheral's session, with its delays.
final class SimulationPlayer: Sendable {
  private let simulation: Guarded<DeviceSimulation>
  private let clock: any SessionClock
  private let queue = DispatchQueue(label: "BLESession.Simulation")
  private let peripheral = Guarded<Weak<PeripheralSession>?>(nil)
  private let listeners: SimulationListeners

  init(_ simulation: DeviceSimulation, clock: any SessionClock, _ listeners: SimulationListeners) {
    self.simulation = Guarded(simulation)
    self.clock = clock
    self.listeners = listeners
  }

  func play(on session: PeripheralSession) {
    peripheral.with { $0 = Weak(session) }
    session.observe { [weak self] in self?.happened($0) }
  }

  private func happened(_ event: PeripheralEvent) {
    switch event {
    case .subscribed(let central, let path):
      let answers = simulation.with { $0.description.conversation?.answerPath }
      if path == answers { simulation.with { $0.begin(with: central.identifier) } }
      report(.subscribed(central.identifier, path))
    case .unsubscribed(let central, let path): report(.unsubscribed(central, path))
    case .advertising: report(.advertising)
    case .state(.poweredOn), .state(.unknown): break
    case .state: report(.unavailable)
    case .failed(let error): report(.failed(error))
    case .read, .wrote: break
    }
  }

  func read(_ access: AttributeAccess, _ path: CharacteristicPath) -> CharacteristicDeclaration.ReadAnswer {
    guard let value = simulation.with({ $0.value(at: path) }) else { return .refused(.readNotPermitted) }
    if access.offset == 0 { report(.read(access.central, path, value)) }
    return .value(value)
  }

  func write(_ access: AttributeAccess, _ value: Data, _ path: CharacteristicPath) -> CBATTError.Code {
    guard access.offset == 0 else { return .invalidOffset }
    perform(simulation.with { $0.received(value, at: path, from: access.central, at: clock.now) })
    return .success
  }

  func sendNotification(_ notification: String) {
    perform(simulation.with { $0.say(notification) })
    report(.said(notification))
  }

  func set(_ field: String, _ value: FieldValue) throws(SessionError) {
    let outcome = simulation.with { simulation -> SessionError? in
      do throws(SessionError) { try simulation.set(field, value) } catch { return error }
      return nil
    }
    if let outcome { throw outcome }
  }

  var state: [String: FieldValue] { simulation.with { $0.state } }

  /// Starts the notifications at intervals, which last as long as the peripheral.
  func startIntervals(_ description: DeviceDescription) {
    for entry in description.notifications {
      guard let interval = entry.interval else { continue }
      again(entry.name, every: interval)
    }
  }

  private func again(_ name: String, every interval: Double) {
    _ = clock.schedule(after: .seconds(interval), on: queue) { [weak self] in
      guard let self, peripheral.with({ $0?.value }) != nil else { return }
      perform(simulation.with { $0.say(name) })
      again(name, every: interval)
    }
  }

  private func perform(_ moves: [DeviceSimulation.Move]) {
    for move in moves {
      switch move {
      case .report(let event): report(event)
      case .say(let value, let path, let central, let delay):
        guard delay > 0 else {
          push(value, path, central)
          continue
        }
        _ = clock.schedule(after: .seconds(delay), on: queue) { [weak self] in self?.push(value, path, central) }
      }
    }
  }

  private func push(_ value: Data, _ path: CharacteristicPath, _ central: UUID?) {
    let session = peripheral.with { $0?.value }
    session?.core.perform { $0.pushInParts(value, path, central.map { [$0] }) }
  }

  private func report(_ event: SimulationEvent) { listeners.report(event) }
}
