import BLESession
import CoreBluetooth

/// Records the observations of sessions and scans in a store: one session of the record, from `begin` to `end`.
///
/// Recording does not block what is observed. Entries for which the store has no room are counted (`StoreStatistics.dropped`).
public final class SessionRecorder: Sendable {
  /// The store that it writes to.
  public let store: SessionStore
  /// The number of its session in the record.
  public let session: StoredSession.ID
  private let now: @Sendable () -> Date
  private let observations = Observations()
  private let heard = HeardValues()

  private init(_ store: SessionStore, _ session: StoredSession.ID, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.session = session
    self.now = now
  }

  deinit { observations.cancel() }

  /// Begins a session in the record.
  /// - Parameters:
  ///   - store: the store to write to.
  ///   - title: the title of the session.
  ///   - now: returns the time of day; tests pass a simulated world's.
  public static func begin(
    in store: SessionStore, title: String, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(StoreError) -> SessionRecorder {
    SessionRecorder(store, try await store.beginSession(title: title, at: now()), now: now)
  }

  /// Ends the session after all previous entries are written. Nothing is recorded after that.
  public func end() async throws(StoreError) {
    observations.cancel()
    try await store.endSession(session, at: now())
  }

  /// Records the connections of a device and their events.
  public func record(_ device: DeviceSession) async {
    let diary = ConnectionDiary()
    let (store, session, now) = (store, session, now)
    let observation = await device.observeNews { news in
      for entry in diary.entries(for: news, at: now()) { store.add(entry, to: session) }
    }
    observations.add { observation.cancel() }
  }

  /// Subscribes to a characteristic and records each value, across all connections of the device.
  public func recordValues(from path: CharacteristicPath, of device: DeviceSession) async {
    let current = await follow(device)
    let observation = await device.observeValues(from: path) { [heard, weak self] value in
      heard.note(value, from: path)
      self?.add(.value(value, from: path, .notified), device: current.identifier)
    }
    observations.add { observation.cancel() }
  }

  /// Records the device's signal strength while it is connected.
  public func recordSignal(of device: DeviceSession, every interval: Duration = .seconds(1)) async {
    let current = await follow(device)
    let observation = await device.observeSignal(every: interval) { [weak self] strength in
      self?.add(
        .signal(rssi: strength.rssi, smoothed: strength.smoothed, .connection), device: current.identifier)
    }
    observations.add { observation.cancel() }
  }

  /// Scans, and records advertisements and their signal strengths.
  public func recordScan(by central: Central, matching rule: MatchRule = .any) async {
    let known = HeardDevices()
    let observation = await central.observeDiscoveries(matching: rule, repeats: true) { [weak self] discovery in
      guard let self else { return }
      if known.isNew(discovery) {
        add(.sighting(discovery.advertisement), device: discovery.identifier, name: discovery.name)
      }
      if let rssi = discovery.rssi {
        add(.signal(rssi: rssi, smoothed: nil, .advertisement), device: discovery.identifier)
      }
    }
    observations.add { observation.cancel() }
  }

  /// Tracks the current device of the session.
  private func follow(_ device: DeviceSession) async -> CurrentDevice {
    let current = CurrentDevice()
    let observation = await device.observeNews { current.note($0.identifier) }
    current.note(await device.identifier)
    observations.add { observation.cancel() }
    return current
  }

  /// Reads a value and records it.
  ///
  /// Core Bluetooth does not say whether a value of a notifying characteristic was read or notified: where its values are recorded anyway,
  /// this one is recorded as one of them, once.
  public func read(_ path: CharacteristicPath, of device: DeviceSession) async throws(SessionError) -> Data {
    let before = heard.count(of: path)
    let value = try await device.read(path)
    // When this returns, the session's queue has delivered the value to all observers.
    let identifier = await device.identifier
    if let identifier, !heard.has(value, from: path, since: before) {
      add(.value(value, from: path, .read), device: identifier)
    }
    return value
  }

  /// Writes a value with response and records it.
  public func write(_ value: Data, to path: CharacteristicPath, of device: DeviceSession) async throws(SessionError) {
    try await device.write(value, to: path)
    if let identifier = await device.identifier { add(.value(value, from: path, .written), device: identifier) }
  }

  /// Records an entry of the program's own, with the current time.
  public func add(
    _ content: StoreEntry.Content, device: UUID? = nil, name: String? = nil, address: String? = nil
  ) {
    store.add(StoreEntry(content, device: device, name: name, address: address, at: now()), to: session)
  }
}
