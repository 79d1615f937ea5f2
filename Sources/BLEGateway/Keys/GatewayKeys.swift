import BLECore
import BLECrypto

/// The keys that a configuration names, as they are in its files.
package struct GatewayKeyFiles: Equatable {
  /// Of sensors, by their addresses.
  var sensors: [UInt64: SecretKey] = [:]
  /// Identity resolving keys of devices, by the names that these have in topics.
  var identities: [String: SecretKey] = [:]

  static let mostSensors = 1_024
  /// A new address is tried with each.
  static let mostIdentities = 256

  init() {}

  /// Reads the files.
  init(_ configuration: GatewayConfiguration) throws(SecretError) {
    if let source = configuration.sensorKeys {
      sensors = try Self.sensors(try KeyFile.read(source, most: Self.mostSensors), source)
    }
    if let source = configuration.identityKeys {
      identities = try Self.identities(try KeyFile.read(source, most: Self.mostIdentities), source)
    }
  }

  /// Reads the files without the keys of a service's credentials, which are there only while the service runs.
  package static func check(_ configuration: GatewayConfiguration) throws(SecretError) {
    var configuration = configuration
    if case .credential? = configuration.sensorKeys { configuration.sensorKeys = nil }
    if case .credential? = configuration.identityKeys { configuration.identityKeys = nil }
    _ = try GatewayKeyFiles(configuration)
  }

  /// Reads octets as both kinds of files.
  /// - Returns: the number of keys.
  package static func checked(_ octets: [UInt8]) throws(SecretError) -> Int {
    let file = SecretSource.file("keys")
    let entries = try KeyFile.parse(octets, file.shown, most: mostSensors)
    if let sensors = try? Self.sensors(entries, file) { return sensors.count }
    return try identities(entries, file).count
  }

  static func sensors(_ entries: [KeyFile.Entry], _ source: SecretSource) throws(SecretError) -> [UInt64: SecretKey] {
    var keys: [UInt64: SecretKey] = [:]
    for entry in entries {
      guard let octets = [UInt8](hexadecimal: entry.name.replacing(":", with: "")), octets.count == 6 else {
        throw KeyFile.mistake(source.shown, entry.position, "expected an address, such as \"54:48:E6:8F:80:A5\"")
      }
      let address = octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if keys.updateValue(entry.key, forKey: address) != nil {
        throw KeyFile.mistake(source.shown, entry.position, "this address has a key already")
      }
    }
    return keys
  }

  static func identities(
    _ entries: [KeyFile.Entry], _ source: SecretSource
  ) throws(SecretError) -> [String: SecretKey] {
    var keys: [String: SecretKey] = [:]
    for entry in entries {
      guard GatewayInstance.isName(entry.name) else {
        throw KeyFile.mistake(
          source.shown, entry.position, "expected a device's name: 1 to 64 letters, digits, -, _, . and :")
      }
      if keys.values.contains(entry.key) {
        throw KeyFile.mistake(source.shown, entry.position, "another device has this key already")
      }
      keys[entry.name] = entry.key
    }
    return keys
  }
}

/// What a gateway does with the keys of its configuration.
final class GatewayKeys: Sendable {
  let sensors = SensorKeys()
  let identities = IdentityKeys()

  /// No keys.
  init() {}

  init(_ files: GatewayKeyFiles) { replace(files) }

  /// From now on. What is known of sensors whose key stays is kept.
  func replace(_ files: GatewayKeyFiles) {
    sensors.replace(files.sensors)
    identities.replace(files.identities)
  }
}
