import BLESession
import BLEText
import CoreBluetooth

/// A described device, played: it advertises, answers the handshake and the commands, keeps its state, and says things unasked.
///
/// ```swift
/// let band = try SimulatedDevice(try DeviceDescription(contentsOf: file))
/// try await band.start()
/// band.sendNotification("heart-rate")
/// ```
///
/// What advertisements cannot carry in Core Bluetooth, manufacturer data, is left to whoever has the adapter: see
/// ``DeviceSimulationPlan/manufacturerData``.
public final class SimulatedDevice: Sendable {
  /// What it is.
  public let description: DeviceDescription
  /// What it advertises, with what will not fit.
  public let advertisement: AdvertisingPlan
  private let peripheral: PeripheralSession
  private let player: SimulationPlayer

  /// - Throws: `invalid` where the description does not say how the device behaves, `notSupported` where it needs cryptography.
  public init(
    _ description: DeviceDescription, advertisedName: String? = nil, options: [String: Any]? = nil,
    clock: any SessionClock = SystemSessionClock(), cryptography: (any SessionCryptography)? = nil
  ) throws(SessionError) {
    let player = SimulationPlayer(try DeviceSimulation(description, cryptography: cryptography), clock: clock)
    let plan = description.simulation
    self.description = description
    self.player = player
    advertisement = AdvertisingPlan(
      localName: advertisedName ?? plan?.advertisedName, services: plan?.advertisedServices ?? [])
    peripheral = PeripheralSession(services: description.declarations(player), options: options, clock: clock)
    player.play(on: peripheral)
  }

  /// Publishes, advertises and begins with what is said at intervals. Returns when all that is under way.
  /// - Throws: what `PeripheralSession.start` throws.
  public func start() async throws(SessionError) {
    try await peripheral.start(advertising: advertisement)
    player.startIntervals(description)
  }

  /// Says a notification to whoever listens, as when somebody pressed a button.
  /// - Throws: `invalid` where the description has no such notification.
  public func sendNotification(_ notification: String) throws(SessionError) {
    guard description.notification(named: notification) != nil else {
      let suggestion = Suggestion.sentence(for: notification, among: description.notifications.map(\.name))
      throw SessionError(.invalid, "there is no notification \"\(notification.inert)\"\(suggestion)")
    }
    player.sendNotification(notification)
  }

  /// Gives a field of the state another value.
  /// - Throws: `invalid` where there is no such field, or the value does not go into it.
  public func set(_ field: String, to value: FieldValue) throws(SessionError) { try player.set(field, value) }

  /// What the fields of the state hold now.
  public var state: [String: FieldValue] { player.state }

  /// What happens from now on. Whoever is slow misses the oldest of 1,024 events.
  public func events() -> AsyncStream<SimulationEvent> { player.events() }
}

extension DeviceDescription {
  /// The services that the device has: all that its description speaks of.
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
