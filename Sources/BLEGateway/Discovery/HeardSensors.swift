import BLECore
import BLEReports
import BLESession

/// A sensor that only advertises, as it is announced to Home Assistant.
package struct HeardSensor: Sendable, Equatable {
  /// A measurement by its name, which says which one of its kind it is.
  package struct Entry: Sendable, Hashable {
    package var name: String
    package var kind: MeasurementKind

    package init(name: String, kind: MeasurementKind) { (self.name, self.kind) = (name, kind) }
  }

  /// Its name in topics.
  package var device: String
  /// `C0:FF:EE:01:02:03`; `nil` for one that has not one address.
  package var address: String?
  package var measurements: [Entry] = []
  /// After so many seconds without a message its values are not known any more; `nil`: they stay.
  package var expiry: Int?

  package init(device: String) { self.device = device }

  /// `nil` for an advertisement without measurements.
  init?(_ heard: Sighting, as device: String, _ policy: GatewayConfiguration.Listening) {
    let measurements = heard.measurements.filter { HomeAssistantDiscovery.isShown($0.kind) }
    if measurements.isEmpty { return nil }
    self.device = device
    self.measurements = measurements.map { Entry(name: $0.name, kind: $0.kind) }
    if let address = heard.address, address.description.filter(\.isHexDigit) == device {
      self.address = address.description
    }
    expiry = Self.expiry(policy)
  }

  /// Three in a row are missing, and no advertisement has to arrive to the second.
  static func expiry(_ policy: GatewayConfiguration.Listening) -> Int? {
    policy.interval.map { max(60, Int(3 * $0.seconds.rounded(.up))) }
  }

  /// By what it was announced: whether it is under other rules, or with other keys, can be told from it.
  struct Origin: Sendable {
    /// As it was heard last.
    var discovery: Discovery
    var address: DeviceAddress?
    /// Whether its measurements were encrypted, and there was a key.
    var isSealed: Bool
    var policy: GatewayConfiguration.Listening
  }
}

/// The sensors that are announced to Home Assistant. Strangers can be among them, so that there is a limit.
final class HeardSensors: Sendable {
  enum Outcome: Sendable, Equatable {
    case known
    /// It was not heard before, or has measured something else.
    case new
    /// There are too many, for the first time.
    case tooMany
  }

  static let most = 100
  static let mostMeasurements = 32

  private struct State {
    var sensors: [String: HeardSensor] = [:]
    /// Of those in `sensors`.
    var origins: [String: HeardSensor.Origin] = [:]
    /// Those that an earlier process has announced: they count, heard or not.
    var remembered: Set<String> = []
    var isFull = false

    mutating func note(_ heard: HeardSensor) -> Outcome {
      guard var sensor = sensors[heard.device] else {
        let strangers = sensors.keys.count { !remembered.contains($0) }
        guard remembered.contains(heard.device) || remembered.count + strangers < HeardSensors.most else {
          defer { isFull = true }
          return isFull ? .known : .tooMany
        }
        var sensor = heard
        sensor.measurements = Array(sensor.measurements.prefix(HeardSensors.mostMeasurements))
        sensors[heard.device] = sensor
        return .new
      }
      let left = HeardSensors.mostMeasurements - sensor.measurements.count
      let new = heard.measurements.filter { entry in !sensor.measurements.contains { $0.name == entry.name } }
        .prefix(left)
      if new.isEmpty { return .known }
      sensor.measurements += new
      sensors[heard.device] = sensor
      return .new
    }
  }

  private let state = Guarded(State())

  subscript(device: String) -> HeardSensor? { state.with { $0.sensors[device] } }

  /// In the order of their names.
  var all: [HeardSensor] { state.with { $0.sensors.values.sorted { $0.device < $1.device } } }

  func note(_ sensor: HeardSensor, by origin: HeardSensor.Origin? = nil) -> Outcome {
    state.with { state in
      let outcome = state.note(sensor)
      if state.sensors[sensor.device] != nil, let origin { state.origins[sensor.device] = origin }
      return outcome
    }
  }

  /// Begins.
  /// - Parameter remembered: the devices that an earlier process has announced.
  func begin(remembering remembered: Set<String>) { state.with { $0 = State(remembered: remembered) } }

  /// Goes by other rules and keys from now on. Sensors that none of these listeners announces any more are forgotten, so that their announcements
  /// are taken back; those that were not heard by this process stay, as nothing is known of them but their names.
  /// - Parameter remembered: the devices that were announced before.
  func change(to listeners: [AdvertisementListener], remembering remembered: Set<String>) {
    state.with { state in
      // What a reload before has dropped is in the file until the link's queue has come to it.
      var new = State(remembered: remembered.filter { state.remembered.contains($0) || state.sensors[$0] != nil })
      for (device, sensor) in state.sensors {
        let origin = state.origins[device]
        guard let origin, let listener = listeners.first(where: { $0.announces(device, origin) }) else {
          new.remembered.remove(device)
          continue
        }
        new.sensors[device] = sensor
        new.sensors[device]?.expiry = HeardSensor.expiry(listener.policy)
        new.origins[device] = origin
        new.origins[device]?.policy = listener.policy
      }
      state = new
    }
  }

  /// Whether the device's announcement stays.
  func isAnnounced(_ device: String) -> Bool {
    state.with { $0.remembered.contains(device) || $0.sensors[device] != nil }
  }
}
