import BLECore

/// The description of a peripheral that `ble serve` runs.
package struct Profile: Equatable, Sendable {
  /// The advertised local name.
  package var name: String?
  /// The advertised services.
  package var advertisedServices: [BLEUUID]
  package var services: [Service]
  /// The security required of a pairing, and this side's IO capability.
  package var security: SecurityRequirements?
  /// The L2CAP channel that is published beside the services.
  package var channel: Channel?

  package init(
    name: String?, advertisedServices: [BLEUUID], services: [Service], security: SecurityRequirements? = nil,
    channel: Channel? = nil
  ) {
    self.name = name
    self.advertisedServices = advertisedServices
    self.services = services
    self.security = security
    self.channel = channel
  }

  /// An L2CAP channel. The system chooses its PSM.
  package struct Channel: Equatable, Sendable {
    package let needsEncryption: Bool

    package init(needsEncryption: Bool) { self.needsEncryption = needsEncryption }
  }

  package struct Service: Equatable, Sendable {
    package let uuid: BLEUUID
    package let isPrimary: Bool
    package let characteristics: [Characteristic]

    package init(uuid: BLEUUID, isPrimary: Bool, characteristics: [Characteristic]) {
      self.uuid = uuid
      self.isPrimary = isPrimary
      self.characteristics = characteristics
    }
  }

  package struct Characteristic: Equatable, Sendable {
    package let uuid: BLEUUID
    package let properties: Set<Property>
    package let permissions: Set<Permission>
    /// The initial value.
    package let value: [UInt8]
    /// The effect of a write.
    package let onWrite: WriteBehavior
    package let notifications: Notifications?
    package let descriptors: [Descriptor]

    package init(
      uuid: BLEUUID, properties: Set<Property>, permissions: Set<Permission>, value: [UInt8], onWrite: WriteBehavior,
      notifications: Notifications?, descriptors: [Descriptor]
    ) {
      self.uuid = uuid
      self.properties = properties
      self.permissions = permissions
      self.value = value
      self.onWrite = onWrite
      self.notifications = notifications
      self.descriptors = descriptors
    }
  }

  /// With Apple's names.
  package enum Property: String, CaseIterable, Sendable {
    case read, write, writeWithoutResponse, notify, indicate, notifyEncryptionRequired, indicateEncryptionRequired
  }

  /// With Apple's names.
  package enum Permission: String, CaseIterable, Sendable {
    case readable, writeable, readEncryptionRequired, writeEncryptionRequired
  }

  package enum WriteBehavior: String, CaseIterable, Sendable {
    /// The written value becomes the value.
    case store
    /// The same, and subscribers are notified of it.
    case echo
    /// The write is accepted, and its value discarded.
    case ignore
  }

  /// The source of a characteristic's notifications.
  package enum Notifications: Equatable, Sendable {
    /// These values in turn, one at each interval (in seconds), while there is a subscriber.
    case every(Double, [ValueTemplate])
    /// Typed lines: each is a value.
    case input
  }

  package enum Descriptor: Equatable, Sendable {
    /// Characteristic User Description, 2901.
    case userDescription(String)
    /// Characteristic Presentation Format, 2904: seven octets.
    case presentationFormat([UInt8])
  }
}

/// A value that may contain a counter: in text, `{n}` stands for the number of the notification, from 1.
package enum ValueTemplate: Equatable, Sendable {
  case text(String)
  case octets([UInt8])

  package func value(number: Int) -> [UInt8] {
    switch self {
    case .text(let text): Array(text.replacing("{n}", with: String(number)).utf8)
    case .octets(let octets): octets
    }
  }
}
