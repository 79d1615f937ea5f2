import BLESession
import BLEText
import CoreBluetooth

/// Simulates a described device: it advertises, answers the handshake and the commands, keeps its state, and sends notifications.
///
/// ```swift
/// let band = try SimulatedDevice(try DeviceDescription(contentsOf: file))
/// try await band.start()
/// band.sendNotification("heart-rate")
/// ```
///
/// A device out of a log (``DeviceDescription/recording``) is played with its services, values, answers and notifications; its handles are the
/// system's.
///
/// Core Bluetooth can't advertise manufacturer data: the owner of the adapter has to do that, see ``manufacturerData``.
public final class SimulatedDevice: Sendable {
  /// The simulated device.
  public let description: DeviceDescription
  /// The advertised data, including what does not fit.
  public let advertisement: AdvertisingPlan
  private let peripheral: PeripheralSession
  /// `nil` for a recording.
  private let player: SimulationPlayer?
  private let recordingPlayer: RecordingPlayer?
  private let listeners = SimulationListeners()

  /// - Throws: `invalid` if the description has neither a simulation nor a recording, `notSupported` if it needs cryptography.
  public init(
    _ description: DeviceDescription, advertisedName: String? = nil, options: [String: Any]? = nil,
    clock: any SessionClock = SystemSessionClock(), cryptography: (any SessionCryptography)? = nil
  ) throws(SessionError) {
    self.description = description
    if description.simulation == nil, let recording = description.recording {
      let player = RecordingPlayer(recording, clock: clock, listeners)
      (self.player, recordingPlayer) = (nil, player)
      advertisement = AdvertisingPlan(
        localName: advertisedName ?? recording.advertisedName, services: recording.advertisedServices)
      peripheral = PeripheralSession(services: recording.declarations(player), options: options, clock: clock)
      player.play(on: peripheral)
      return
    }
    let player = SimulationPlayer(
      try DeviceSimulation(description, cryptography: cryptography), clock: clock, listeners)
    let plan = description.simulation
    (self.player, recordingPlayer) = (player, nil)
    advertisement = AdvertisingPlan(
      localName: advertisedName ?? plan?.advertisedName, services: plan?.advertisedServices ?? [])
    peripheral = PeripheralSession(services: description.declarations(player), options: options, clock: clock)
    player.play(on: peripheral)
  }

  /// What it advertises besides, which Core Bluetooth does not offer: the company identifier and what follows it; `nil` for nothing.
  public var manufacturerData: Data? {
    description.simulation?.manufacturerData ?? description.recording?.manufacturerData
  }

  /// Publishes the services, advertises, and starts notifications at intervals. Returns when all that is under way.
  /// - Throws: what `PeripheralSession.start` throws.
  public func start() async throws(SessionError) {
    try await peripheral.start(advertising: advertisement)
    player?.startIntervals(description)
  }

  /// Sends a notification to all subscribers, as when a button of the device is pressed.
  /// - Throws: `invalid` where the description has no such notification.
  public func sendNotification(_ notification: String) throws(SessionError) {
    guard description.notification(named: notification) != nil else {
      let suggestion = Suggestion.sentence(for: notification, among: description.notifications.map(\.name))
      throw SessionError(.invalid, "there is no notification \"\(notification.inert)\"\(suggestion)")
    }
    player?.sendNotification(notification)
  }

  /// Sets a field of the state.
  /// - Throws: `invalid` if there is no such field, or if the value is not valid for it.
  public func set(_ field: String, to value: FieldValue) throws(SessionError) {
    guard let player else { throw SessionError(.invalid, "a recording has no state") }
    try player.set(field, value)
  }

  /// The current values of the state's fields.
  public var state: [String: FieldValue] { player?.state ?? [:] }

  /// The events from now on. A slow reader misses the oldest beyond 1,024.
  public func events() -> AsyncStream<SimulationEvent> { listeners.events() }
}

extension DeviceDescription {
  /// The services of the device, from all characteristics in its description.
  fileprivate func declarations(_ player: SimulationPlayer) -> [ServiceDeclaration] {
    var (reads, writes, pushes) = (Set<CharacteristicPath>(), Set<CharacteristicPath>(), Set<CharacteristicPath>())
    var paths: [CharacteristicPath] = []
    func note(_ path: CharacteristicPath, in set: inout Set<CharacteristicPath>) {
      set.insert(path)
      if !paths.contains(path) { paths.append(path) }
    }
    if let conversation {
      note(conversation.commandPath, in: &writes)
      note(conversation.answerPath, in: &pushes)
    }
    for command in commands {
      switch command.kind {
      case .conversation: break
      case .read(let path, _): note(path, in: &reads)
      case .write(let path, _): note(path, in: &writes)
      }
    }
    for notification in notifications { if let path = notification.path { note(path, in: &pushes) } }
    var services: [ServiceDeclaration] = []
    for path in paths {
      guard let service = path.service else { continue }
      let read: CharacteristicDeclaration.Reader = { access in player.read(access, path) }
      let write: CharacteristicDeclaration.Writer = { access, value in player.write(access, value, path) }
      let declaration = CharacteristicDeclaration.dynamic(
        path.characteristic, read: reads.contains(path) ? read : nil, write: writes.contains(path) ? write : nil,
        takesCommands: writes.contains(path), push: pushes.contains(path) ? .notify : nil)
      if let index = services.firstIndex(where: { $0.uuid == service }) {
        services[index].characteristics.append(declaration)
      } else {
        services.append(ServiceDeclaration(service, [declaration]))
      }
    }
    return services
  }
}
