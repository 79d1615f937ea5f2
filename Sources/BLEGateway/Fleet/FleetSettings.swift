import BLEDeviceFiles
import BLEText

/// Where a fleet is to be looked at.
package struct FleetSettings: Sendable, Equatable {
  package var broker: BrokerSettings
  /// What the topics of all gateways begin with.
  package var prefix = "ble"
  /// The rooms of gateways, by their names.
  package var rooms: [String: String] = [:]

  package init(broker: BrokerSettings) { self.broker = broker }

  /// Reads `broker`, `prefix` and `rooms` of a file; it may be the configuration of a gateway, whose other members do not count here.
  /// - Parameter folder: where files begin that are named without a folder in front.
  package static func read(octets: some Sequence<UInt8>, folder: String) throws(FileMistakes) -> FleetSettings {
    let json: PositionedJSON
    do {
      json = try PositionedJSONReader.read(octets: octets)
    } catch {
      throw FileMistakes(error)
    }
    let reader = GatewayConfigurationReader(folder: folder, stateFolder: folder) { _ in throw CancellationError() }
    guard let settings = reader.fleet(json), reader.mistakes.count == 0 else { throw FileMistakes(reader.mistakes) }
    return settings
  }
}

extension GatewayConfigurationReader {
  fileprivate func fleet(_ json: PositionedJSON) -> FleetSettings? {
    guard var file = FileObject(json, "the configuration", mistakes) else { return nil }
    let format = format(&file)
    let broker = file.required("broker") { (json) -> BrokerSettings? in self.broker(json) }
    guard format != nil, let broker else { return nil }
    var settings = FleetSettings(broker: broker)
    file.set(&settings.prefix, "prefix") { (json) throws(PositionedError) in try json.prefix() }
    file.set(&settings.rooms, "rooms") { (json) throws(PositionedError) in try json.rooms() }
    return settings
  }
}
