import BLEDeviceFiles
import BLEReports
import BLESession
import BLESessionStore
import CoreBluetooth
import Foundation

/// What a gateway does, as its configuration file says (`Docs/gateway.md`).
package struct GatewayConfiguration: Sendable {
  /// The name of the format, in the member `format` of a file.
  package static let formatName = "ble-gateway/1"
  /// The largest file in octets.
  package static let largestFile = 1 << 20

  /// The gateway's name, in topics and keys.
  package var name: String
  /// What all topics begin with.
  package var prefix = "ble"
  package var broker: BrokerSettings
  /// Where messages wait for the broker.
  package var outbox: String
  package var limits = OutboxLimits()
  package var devices: [Device]
  package var listening: [Listening]
  /// Keys of sensors that encrypt what they advertise; `nil`: there are none.
  package var sensorKeys: SecretSource?
  /// Identity resolving keys of devices with private addresses; `nil`: there are none.
  package var identityKeys: SecretSource?
  /// `nil`: all devices are kept by this gateway alone.
  package var fleet: Fleet?
  /// Where what all gateways of the prefix publish is stored; `nil`: it is not.
  package var collection: String?
  /// What of it is kept.
  package var retention = Retention()

  /// `nil`: where devices are is not published.
  package var presence: Presence?
  /// How long advertisements of other gateways are waited for; `nil`: they are not merged.
  package var merging: Duration?
  /// The rooms of gateways, by their names. A gateway that is not among them is a room of its own name.
  package var rooms: [String: String] = [:]

  /// `nil`: nothing is announced to Home Assistant.
  package var homeAssistant: HomeAssistantSettings?

  /// Where metrics are served on the loopback address, 0 for any free port; `nil`: nowhere.
  package var metricsPort: UInt16?

  package var topics: GatewayTopics { GatewayTopics(prefix: prefix, gateway: name) }

  /// A device that is kept connected.
  package struct Device: Sendable {
    /// Its name in topics.
    package var name: String
    /// Which one it is, unless the device file says so.
    package var rule: MatchRule
    package var identifier: UUID?
    package var description: DeviceDescription?
    /// The octets of the device file that `description` was read from.
    package var deviceFile: Data?
    package var values = Values.everything
    /// Read again and again.
    package var readings: [CharacteristicPath] = []
    package var readInterval = Duration.seconds(60)
    /// `nil`: the strength of its connection is not published.
    package var signalInterval: Duration?
    package var commands: Commands?
  }

  /// Which notified values of a device are published.
  package enum Values: Sendable, Equatable {
    /// All that notify.
    case everything
    case characteristics([CharacteristicPath])
  }

  /// What may be asked of a device, and where.
  package struct Commands: Sendable, Equatable {
    package var topic: String
    /// Commands of the device file.
    package var names: [String]
    /// Characteristics that may be written.
    package var writes: [CharacteristicPath]
  }

  /// Advertisements that are published.
  package struct Listening: Sendable, Equatable {
    package var rule: MatchRule
    /// What the topics of its devices have.
    package var topic = Topic.address
    /// Which bits of an iBeacon's numbers its topic has.
    package var masks = BeaconFrame.Masks()
    /// Only those that have measurements which this version reads.
    package var onlySensors = false
    /// In dBm: weaker ones are as if they were not heard. `nil`: none is too weak.
    package var weakest: Int?
    /// One is published when it differs from the last one of its device in more than its strength.
    package var onChange = true
    /// The shortest time between two of a device.
    package var leastInterval = Duration.seconds(1)
    /// One is published after this time, changed or not; `nil`: only changed ones.
    package var interval: Duration?
    /// How many devices are followed; beyond it, the one that was heard longest ago is forgotten.
    package var devices = 1_024
    /// Whether the sensors among them are announced to Home Assistant.
    package var isAnnounced = false

    package enum Topic: String, Sendable, CaseIterable {
      /// The address, or the name that belongs to it by a key.
      case address
      /// What a beacon says that it is; for everything else the address.
      case beacon
    }
  }
}
