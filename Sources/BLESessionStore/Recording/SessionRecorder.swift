import BLESession
import CoreBluetooth

/// Records what sessions and scans see into a store: one session of the record, from `begin` to `end`.
///
/// What it is given to watch is not held up by it. What the store has no room for is counted there (`StoreStatistics.dropped`).
public final class SessionRecorder: Sendable {
  /// Where it records.
  public let store: SessionStore
  /// The number of its session in the record.
  public let session: StoredSession.ID
  private let now: @Sendable () -> Date
  private let watches = Watches()
  private let heard = HeardValues()

  private init(_ store: SessionStore, _ session: StoredSession.ID, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.session = session
    self.now = now
  }

  deinit { watches.cancel() }

  /// Begins a session in the record.
  /// - Parameters:
  ///   - store: where it records.
  ///   - title: what it is called there.
  ///   - now: the time of day; tests pass a simulated world's.
  public static func begin(
    in store: SessionStore, title: String, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(StoreError) -> SessionRecorder {
    SessionRecorder(store, try await store.beginSession(title: title, at: now()), now: now)
  }

  /// Ends the session, once everything is written that was seen. Nothing is recorded any more.
  public func end() async throws(StoreError) {
    watches.cancel()
    try await store.endSession(session, at: now())
  }

  /// Records the connections of a device and what happens to them.
  public func record(_ device: DeviceSession) async {
    let diary = ConnectionDiary()
    let (store, session, now) = (store, session, now)
    let observation = await device.observeNews { news in
      for entry in diary.entries(for: news, at: now()) { store.add(entry, to: session) }
    }
    watches.add { observation.cancel() }
  }

  /// Subscribes to a characteristic and records each value, over every loss and return of the device.
  public func recordValues(from path: CharacteristicPath, of device: DeviceSession) async {
    let current = await follow(device)
    let observation = await device.observeValues(from: path) { [heard, weak self] value in
      heard.note(value, from: path)
      self?.add(.value(value, from: path, .notified), device: current.identifier)
    }
    watches.add { observation.cancel() }
  }

  /// Records the strength of a device's signal, while there is a connection.
  public func recordSignal(of device: DeviceSession, every interval: Duration = .seconds(1)) async {
    let current = await follow(device)
    let observation = await device.observeSignal(every: interval) { [weak self] strength in
      self?.add(
        .signal(rssi: strength.rssi, smoothed: strength.smoothed, .connection), device: current.identifier)
    }
    watches.add { observation.cancel() }
  }

  /// Scans, and records who advertises what and how strong it is heard.
  public func recordScan(by central: Central, matching rule: MatchRule = .any) async {
    let known = HeardDevices()
    let observation = await central.observeDiscoveries(matching: rule, repeats: true) { [weak self] discovery in
      guard let self else { return }
      if known.isNews(discovery) {
        add(.sighting(discovery.advertisement), device: discovery.identifier, name: discovery.name)
      }
      if let rssi = discovery.rssi {
        add(.signal(rssi: rssi, smoothed: nil, .advertisement), device: discovery.identifier)
      }
    }
    watches.add { observation.cancel() }
  }

  /// Knows at any moment which device the session has.
  private func follow(_ device: DeviceSession) async -> CurrentDevice {
    let current = CurrentDevice()
    let observation = await device.observeNews { current.note($0.identifier) }
    current.note(await device.identifier)
    watches.add { observation.cancel() }
    return current
  }

  /// Reads a value and records it.
  ///
  /// Of a characteristic that notifies Core Bluetooth does not say whether a value was read or notified: where its values are recorded
  /// anyway, this one is recorded with them, once.
  public func read(_ path: CharacteristicPath, of device: DeviceSession) async throws(SessionError) -> Data {
    let before = heard.count(of: path)
    let value = try await device.read(path)
    // Behind this the session's queue has told of the value everybody who listens.
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

  /// Records something of the program's own, which happens now.
  public func add(
    _ content: StoreEntry.Content, device: UUID? = nil, name: String? = nil, address: String? = nil
  ) {
    store.add(StoreEntry(content, device: device, name: name, address: address, at: now()), to: session)
  }
}
