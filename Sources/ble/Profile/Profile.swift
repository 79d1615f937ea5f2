import BLECore

/// What a peripheral is, as data: what `ble serve` plays.
struct Profile: Equatable, Sendable {
  /// The local name that is advertised.
  var name: String?
  /// The services that are advertised.
  var advertisedServices: [BLEUUID]
  var services: [Service]
  /// What it insists on when it is paired with, and what it can show and type.
  var security: SecurityRequirements?

  struct Service: Equatable, Sendable {
    let uuid: BLEUUID
    let isPrimary: Bool
    let characteristics: [Characteristic]
  }

  struct Characteristic: Equatable, Sendable {
    let uuid: BLEUUID
    let properties: Set<Property>
    let permissions: Set<Permission>
    /// The value at the start.
    let value: [UInt8]
    /// What a write does.
    let onWrite: WriteBehavior
    let notifications: Notifications?
    let descriptors: [Descriptor]
  }

  /// By Apple's names.
  enum Property: String, CaseIterable, Sendable {
    case read, write, writeWithoutResponse, notify, indicate, notifyEncryptionRequired, indicateEncryptionRequired
  }

  /// By Apple's names.
  enum Permission: String, CaseIterable, Sendable {
    case readable, writeable, readEncryptionRequired, writeEncryptionRequired
  }

  enum WriteBehavior: String, CaseIterable, Sendable {
    /// The written value is the new value.
    case store
    /// The same, and subscribers are notified of it.
    case echo
    /// Accepted and forgotten.
    case ignore
  }

  /// What makes a characteristic notify its subscribers.
  enum Notifications: Equatable, Sendable {
    /// These values in turn, one at each interval (in seconds), as long as somebody is subscribed.
    case every(Double, [ValueTemplate])
    /// What is typed: a line, a value.
    case input
  }

  enum Descriptor: Equatable, Sendable {
    /// Characteristic User Description, 2901.
    case userDescription(String)
    /// Characteristic Presentation Format, 2904: seven octets.
    case presentationFormat([UInt8])
  }
}

/// A value that may count: in text, `{n}` stands for the number of the notification, from 1.
enum ValueTemplate: Equatable, Sendable {
  case text(String)
  case octets([UInt8])

  func value(number: Int) -> [UInt8] {
    switch self {
    case .text(let text): Array(text.replacing("{n}", with: String(number)).utf8)
    case .octets(let octets): octets
    }
  }
}
