import CoreBluetooth

/// Which device a session keeps.
public struct DeviceTarget: Sendable, Hashable {
  /// What this host calls it, where that is known: then nothing needs to be scanned for.
  public var identifier: UUID?
  /// How it is recognised in a scan.
  public var rule: MatchRule

  /// A device by identifier where it is known, by a rule where it is not.
  public init(identifier: UUID? = nil, rule: MatchRule) {
    self.identifier = identifier
    self.rule = rule
  }

  /// Exactly that device: another one of the same name is not taken for it.
  public static func device(_ identifier: UUID) -> DeviceTarget {
    DeviceTarget(identifier: identifier, rule: .identifier(identifier))
  }

  /// The first one that matches. Once connected, the session stays with that one.
  public static func first(_ rule: MatchRule) -> DeviceTarget { DeviceTarget(rule: rule) }

  /// What is the same about a device that comes back.
  public enum Identity: Sendable, Hashable {
    /// What this host calls it.
    case identifier
    /// Its name, where names are unique: a device whose identifier has changed is taken, too.
    case name
    /// The address in its manufacturer data: a device whose identifier has changed is taken, too.
    case address(DeviceAddressRule)
  }

  /// A device from before a restart.
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

/// Where a characteristic is, by UUIDs: it stays right when the device's attributes are discovered anew.
public struct CharacteristicPath: Sendable, Hashable {
  /// `nil` for whatever service has the characteristic.
  public var service: CBUUID?
  /// The UUID of the characteristic.
  public var characteristic: CBUUID
  /// Which one, where there are several: 0 is the first.
  public var instance: Int

  /// One characteristic, in whatever service or in this one.
  public init(_ characteristic: CBUUID, in service: CBUUID? = nil, instance: Int = 0) {
    self.service = service
    self.characteristic = characteristic
    self.instance = instance
  }

  /// By the UUIDs' text. As everywhere in Core Bluetooth, a text that is no UUID is a programmer's mistake and ends the program.
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
