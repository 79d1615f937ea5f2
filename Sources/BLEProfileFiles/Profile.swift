import BLECore

/// What a peripheral is, as data: what `ble serve` plays.
package struct Profile: Equatable, Sendable {
  /// The local name that is advertised.
  package var name: String?
  /// The services that are advertised.
  package var advertisedServices: [BLEUUID]
  package var services: [Service]
  /// What it insists on when it is paired with, and what it can show and type.
  package var security: SecurityRequirements?

  package struct Service: Equatable, Sendable {
    package let uuid: BLEUUID
    package let isPrimary: Bool
    package let characteristics: [Characteristic]
  }

  package struct Characteristic: Equatable, Sendable {
    package let uuid: BLEUUID
    package let properties: Set<Property>
    package let permissions: Set<Permission>
    /// The value at the start.
    package let value: [UInt8]
    /// What a write does.
    package let onWrite: WriteBehavior
    package let notifications: Notifications?
    package let descriptors: [Descriptor]
  }

  /// By Apple's names.
  package enum Property: String, CaseIterable, Sendable {
    case read, write, writeWithoutResponse, notify, indicate, notifyEncryptionRequired, indicateEncryptionRequired
  }

  /// By Apple's names.
  package enum Permission: String, CaseIterable, Sendable {
    case readable, writeable, readEncryptionRequired, writeEncryptionRequired
  }

  package enum WriteBehavior: String, CaseIterable, Sendable {
    /// The written value is the new value.
    case store
    /// The same, and subscribers are notified of it.
    case echo
    /// Accepted and forgotten.
    case ignore
  }

  /// What makes a characteristic notify its subscribers.
  package enum Notifications: Equatable, Sendable {
    /// These values in turn, one at each interval (in seconds), as long as somebody is subscribed.
    case every(Double, [ValueTemplate])
    /// What is typed: a line, a value.
    case input
  }

  package enum Descriptor: Equatable, Sendable {
    /// Characteristic User Description, 2901.
    case userDescription(String)
    /// Characteristic Presentation Format, 2904: seven octets.
    case presentationFormat([UInt8])
  }
}

/// A value that may count: in text, `{n}` stands for the number of the notification, from 1.
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
