import CoreBluetooth

/// The device that a session connects to.
public struct DeviceTarget: Sendable, Hashable {
  /// The identifier that this host assigned to the device, if known: then no scan is needed.
  public var identifier: UUID?
  /// How the device is recognised in a scan.
  public var rule: MatchRule

  /// Creates a target: by identifier if it is known, otherwise by the rule.
  public init(identifier: UUID? = nil, rule: MatchRule) {
    self.identifier = identifier
    self.rule = rule
  }

  /// Exactly the device with this identifier; a device with the same name is not accepted.
  public static func device(_ identifier: UUID) -> DeviceTarget {
    DeviceTarget(identifier: identifier, rule: .identifier(identifier))
  }

  /// The first device that matches. Once connected, the session stays with that device.
  public static func first(_ rule: MatchRule) -> DeviceTarget { DeviceTarget(rule: rule) }

  /// What identifies a device when it returns.
  public enum Identity: Sendable, Hashable {
    /// The identifier that this host assigned to it.
    case identifier
    /// Its name, if names are unique: the device is accepted even if its identifier has changed.
    case name
    /// The address in its manufacturer specific data: the device is accepted even if its identifier has changed.
    case address(DeviceAddressRule)
  }

  /// A device that was remembered before a restart.
  public static func remembered(_ device: RememberedDevice, by identity: Identity = .identifier) -> DeviceTarget {
    let same = MatchRule.identifier(device.identifier)
    return switch identity {
    case .identifier: .device(device.identifier)
    case .name:
      DeviceTarget(identifier: device.identifier, rule: device.name.map { .either([same, .names([$0])]) } ?? same)
    case .address(let rule):
      DeviceTarget(
        identifier: device.identifier, rule: device.address.map { .either([same, .address(rule, $0)]) } ?? same)
    }
  }
}

/// The UUIDs of a characteristic and its service; the path stays valid when the attributes are discovered again.
public struct CharacteristicPath: Sendable, Hashable {
  /// The UUID of the service; `nil` for any service.
  public var service: CBUUID?
  /// The UUID of the characteristic.
  public var characteristic: CBUUID
  /// The index among characteristics with the same UUIDs, from 0.
  public var instance: Int

  /// Creates a path; without `service` the characteristic may be in any service.
  public init(_ characteristic: CBUUID, in service: CBUUID? = nil, instance: Int = 0) {
    self.service = service
    self.characteristic = characteristic
    self.instance = instance
  }

  /// Creates a path from UUID strings. As everywhere in Core Bluetooth, an invalid UUID string ends the program.
  public init(_ characteristic: String, in service: String? = nil) {
    self.init(CBUUID(string: characteristic), in: service.map { CBUUID(string: $0) })
  }

  package func find(in peripheral: CBPeripheral) -> CBCharacteristic? {
    var left = instance
    for candidate in peripheral.services ?? [] where service == nil || candidate.uuid == service {
      for found in candidate.characteristics ?? [] where found.uuid == characteristic {
        if left == 0 { return found }
        left -= 1
      }
    }
    return nil
  }
}

extension CharacteristicPath: CustomStringConvertible {
  public var description: String {
    (service.map { "\($0.uuidString)/" } ?? "") + characteristic.uuidString + (instance > 0 ? "[\(instance)]" : "")
  }
}
