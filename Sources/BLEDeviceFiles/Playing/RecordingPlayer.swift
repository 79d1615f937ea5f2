import BLESession
import CoreBluetooth

/// Plays a recording on a peripheral's session, with the times of its answers and streams.
final class RecordingPlayer: Sendable {
  private struct State: Sendable {
    var playback: RecordingPlayback
    /// When the first central was noticed; the recording's times count from there.
    var origin: Duration?
    /// The value whose parts a central reads.
    var partial: [UUID: (handle: UInt16, value: Data)] = [:]
    /// Which central is subscribed to what. One of them plays; others hear the same.
    var subscribers: [UInt16: Set<UUID>] = [:]
    var number = 0
  }

  /// The limit of centrals whose partial reads are remembered.
  private static let mostPartners = 64

  private let state: Guarded<State>
  private let handles: [CharacteristicPath: UInt16]
  private let paths: [UInt16: CharacteristicPath]
  private let clock: any SessionClock
  private let queue = DispatchQueue(label: "BLESession.Recording")
  private let peripheral = Guarded<Weak<PeripheralSession>?>(nil)
  private let listeners: SimulationListeners

  init(_ recording: RecordedDevice, clock: any SessionClock, _ listeners: SimulationListeners) {
    state = Guarded(State(playback: RecordingPlayback(recording)))
    self.clock = clock
    self.listeners = listeners
    var handles: [CharacteristicPath: UInt16] = [:]
    for service in recording.publishedServices {
      for entry in service.characteristics { handles[entry.path] = entry.valueHandle }
    }
    self.handles = handles
    paths = Dictionary(handles.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func play(on session: PeripheralSession) {
    peripheral.with { $0 = Weak(session) }
    session.observe { [weak self] in self?.happened($0) }
  }

  private func happened(_ event: PeripheralEvent) {
    switch event {
    case .subscribed(let central, let path):
      listeners.report(.subscribed(central.identifier, path))
      subscribe(central.identifier, path, isOn: true)
    case .unsubscribed(let central, let path):
      listeners.report(.unsubscribed(central, path))
      subscribe(central, path, isOn: false)
    case .advertising: listeners.report(.advertising)
    case .state(.poweredOn), .state(.unknown): break
    case .state: listeners.report(.unavailable)
    case .failed(let error): listeners.report(.failed(error))
    case .read, .wrote: break
    }
  }

  private func subscribe(_ central: UUID, _ path: CharacteristicPath, isOn: Bool) {
    guard let handle = handles[path] else { return }
    change { state, now in
      let wasSubscribed = state.subscribers[handle]?.isEmpty == false
      if isOn {
        state.subscribers[handle, default: []].insert(central)
      } else {
        state.subscribers[handle]?.remove(central)
      }
      let isSubscribed = state.subscribers[handle]?.isEmpty == false
      if isSubscribed != wasSubscribed {
        state.playback.subscribed(handle, configuration: isSubscribed ? 3 : 0, at: now)
      }
    }
  }

  func read(_ access: AttributeAccess, _ handle: UInt16) -> CharacteristicDeclaration.ReadAnswer {
    let value = change { state, now -> Data? in
      if access.offset > 0, let partial = state.partial[access.central], partial.handle == handle {
        return partial.value
      }
      let value = state.playback.read(handle, at: now)
      if state.partial.count >= Self.mostPartners { state.partial = [:] }
      state.partial[access.central] = value.map { (handle, $0) }
      return value
    }
    if access.offset == 0, let path = paths[handle] { listeners.report(.read(access.central, path, value ?? Data())) }
    return .value(value ?? Data())
  }

  func write(_ access: AttributeAccess, _ value: Data, _ handle: UInt16) -> CBATTError.Code {
    guard access.offset == 0 else { return .invalidOffset }
    change { state, now in state.playback.wrote(handle, value, at: now) }
    if let path = paths[handle] { listeners.report(.wrote(access.central, path, value)) }
    return .success
  }

  // MARK: Time

  /// Changes the state at its time, and waits for what becomes due.
  @discardableResult
  private func change<Result>(_ body: (inout State, Int64) -> Result) -> Result {
    let now = clock.now
    let result = state.with { state in
      if state.origin == nil {
        state.origin = now
        state.playback.connected(at: 0)
      }
      return body(&state, Self.microseconds(now - (state.origin ?? now)))
    }
    wait()
    return result
  }

  private static func microseconds(_ time: Duration) -> Int64 {
    time.components.seconds &* 1_000_000 &+ time.components.attoseconds / 1_000_000_000_000
  }

  private func wait() {
    let now = clock.now
    let next = state.with { state -> (Duration, Int)? in
      state.number &+= 1
      guard let due = state.playback.nextDue, let origin = state.origin else { return nil }
      return (max(.zero, origin + .microseconds(due) - now), state.number)
    }
    guard let (delay, number) = next else { return }
    _ = clock.schedule(after: delay, on: queue) { [weak self] in self?.speak(number) }
  }

  /// Says what is due, unless something else has changed the state since the timer was set, and set another.
  private func speak(_ number: Int) {
    let now = clock.now
    let due = state.with { state -> [RecordingPlayback.Saying]? in
      guard state.number == number, let origin = state.origin else { return nil }
      var due: [RecordingPlayback.Saying] = []
      while due.count < 1_024, let saying = state.playback.next(at: Self.microseconds(now - origin)) {
        due.append(saying)
      }
      return due
    }
    guard let due else { return }
    let session = peripheral.with { $0?.value }
    for saying in due {
      guard let path = paths[saying.handle] else { continue }
      session?.core.perform { $0.pushInParts(saying.octets, path, nil) }
    }
    if session != nil { wait() }
  }
}
