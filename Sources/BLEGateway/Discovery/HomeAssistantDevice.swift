import BLEDeviceFiles
import BLESession
import Foundation

/// What Home Assistant is given to know of a device.
package struct HomeAssistantDevice: Sendable {
  /// Its name in topics. It names the device in Home Assistant too, whichever gateway holds it.
  package var device: String
  /// Its name for people; `nil`: that in topics.
  package var label: String?
  /// `C0:FF:EE:01:02:03`; `nil` where it is not known.
  package var address: String?
  /// The room of its gateway; `nil` where it has none.
  package var room: String?
  /// The device file; `nil` if there is none.
  package var description: DeviceDescription?
  /// Characteristics whose values are published. Those of which the Bluetooth SIG says that they are one number become sensors.
  package var characteristics: [CharacteristicPath] = []
  /// Where commands are taken; `nil`: nowhere.
  package var commandTopic: String?
  /// The commands of the device file that are allowed there.
  package var commands: [String] = []
  /// Whether the strength of its connection is published.
  package var hasSignal = false

  /// A device of which nothing is known.
  package init(device: String) { self.device = device }

  /// A device of the configuration.
  package init(_ plan: GatewayConfiguration.Device) {
    device = plan.name
    description = plan.description
    characteristics = plan.readings
    if case .characteristics(let paths) = plan.values {
      characteristics += paths.filter { !characteristics.contains($0) }
    }
    hasSignal = plan.signalInterval != nil
    commandTopic = plan.commands?.topic
    commands = plan.commands?.names ?? []
  }
}
