import BLESession
import CoreBluetooth

/// The topics of one gateway: `PREFIX/GATEWAY/...`.
package struct GatewayTopics: Sendable, Equatable {
  package let prefix: String
  package let gateway: String

  package init(prefix: String, gateway: String) {
    self.prefix = prefix
    self.gateway = gateway
  }

  /// What all topics of the gateway begin with, without the last slash.
  package var root: String { "\(prefix)/\(gateway)" }

  /// `online` or `offline`, retained; the broker publishes `offline` when the gateway is gone.
  package var status: String { root + "/status" }
  /// What the gateway is and does, retained.
  package var description: String { root + "/description" }
  /// What happens to the gateway itself.
  package var events: String { root + "/event" }
  /// Where answers to commands may be asked for.
  package var replies: String { root + "/reply/" }

  package func status(of device: String) -> String { "\(root)/device/\(device)/status" }
  package func advertisement(of device: String) -> String { "\(root)/device/\(device)/advertisement" }
  package func event(of device: String) -> String { "\(root)/device/\(device)/event" }
  package func signal(of device: String) -> String { "\(root)/device/\(device)/rssi" }
  /// `name`: of a notification, or a characteristic as `SERVICE-CHARACTERISTIC`.
  package func value(of device: String, _ name: String) -> String { "\(root)/device/\(device)/value/\(name)" }
  /// What the topics of all values of a device begin with.
  package func values(of device: String) -> String { "\(root)/device/\(device)/value/" }
  package func command(for device: String) -> String { "\(root)/device/\(device)/command" }
  package func answer(of device: String) -> String { "\(root)/device/\(device)/answer" }

  /// In which room a device is, by what all gateways hear.
  package func presence(of device: String) -> String { "\(root)/presence/\(device)" }
  /// Advertisements of a device as all gateways have heard them.
  package func merged(of device: String) -> String { "\(root)/merged/\(device)" }

  /// A characteristic as one level of a topic: `SERVICE-CHARACTERISTIC`.
  package static func level(_ path: CharacteristicPath) -> String {
    (path.service.map { $0.uuidString + "-" } ?? "") + path.characteristic.uuidString
  }

  /// A text as one level of a topic: what cannot stand there is replaced by `_`.
  package static func level(_ text: String) -> String {
    let level = String(
      text.unicodeScalars.prefix(64).map { GatewayInstance.isName(String($0)) ? Character($0) : "_" })
    return level.isEmpty ? "_" : level
  }
}
