import BLECore
import BLEPairing
import BLEProfileFiles

/// A device of `ble web --demo`.
struct DemoDevice: Sendable {
  let name: String
  /// What it is, in a few words.
  let kind: String
  /// In metres from the explorer.
  let position: (x: Double, y: Double)
  /// Its services; a beacon has none.
  let profile: Profile
  /// The company identifier and what follows it, if it advertises that.
  var manufacturerData: [UInt8]?
  /// The passkey on its label; one without is paired by comparison, or without a question of its own.
  var passkey: String?
  var capability = PairingCapability.noInputNoOutput
  /// Whether it has an L2CAP channel that sends back what comes.
  var hasChannel = false

  static let all: [DemoDevice] = [
    DemoDevice(name: "Owenli", kind: "two services of a maker's own", position: (1.5, -1), profile: .owenli),
    DemoDevice(name: "Battery", kind: "a battery that runs empty", position: (-2, -2.5), profile: .battery),
    DemoDevice(
      name: "My dear", kind: "the other side of a chat, which repeats what is said", position: (3, 2),
      profile: Profile.chat.repeating),
    DemoDevice(
      name: "温度计", kind: "a thermometer in a room", position: (-4, 1),
      profile: Profile(
        name: "温度计", advertising: 0x181A,
        [
          (
            0x181A,
            [
              .notifying(
                0x2A6E, every: 2, [0x34, 0x08], [0x3E, 0x08], [0x48, 0x08], [0x3E, 0x08], named: "Room temperature"),
              .notifying(0x2A6F, every: 5, [0x94, 0x11], [0xF8, 0x11]),
            ]
          ), Profile.maker("Example Instruments", model: "T-1"),
          (0x180F, [.notifying(0x2A19, every: 60, [87], [86], [85])]),
        ])),
    DemoDevice(
      name: "Heart rate", kind: "a chest belt", position: (0.5, 1.2),
      profile: Profile(
        name: "Heart rate", advertising: 0x180D,
        [
          (
            0x180D,
            [
              .notifying(0x2A37, every: 1, [0x06, 64], [0x06, 67], [0x06, 71], [0x06, 70], [0x06, 66]),
              .reading(0x2A38, [1]), .writing(0x2A39, []),
            ]
          ), Profile.maker("Example Sports", model: "HR-2"),
        ])),
    DemoDevice(
      name: "Lamp", kind: "switched and dimmed by writes", position: (5, -3),
      profile: Profile(
        name: "Lamp", advertising: 0xFF10,
        [
          (
            0xFF10,
            [
              .writing(0xFF12, [0], named: "on"), .writing(0xFF13, [128], named: "brightness"),
              .protected(0xFF14, [255, 180, 90], named: "colour"),
            ]
          )
        ]),
      capability: .displayYesNo),
    DemoDevice(
      name: "Echo", kind: "sends back what is written, and what comes by its channel", position: (-6, -4),
      profile: Profile(
        name: "Echo", advertising: 0xFFE0,
        [
          (
            0xFFE0,
            [
              Profile.Characteristic(
                uuid: BLEUUID(0xFFE1), properties: [.read, .write, .writeWithoutResponse, .notify],
                permissions: [.readable, .writeable],
                value: [], onWrite: .echo, notifications: nil, descriptors: [])
            ]
          )
        ]),
      hasChannel: true),
    DemoDevice(
      name: "Counter", kind: "20 notifications a second", position: (8, 4),
      profile: Profile(
        name: "Counter", advertising: 0xFF30,
        [
          (
            0xFF30,
            [.notifying(0xFF31, every: 0.05, [UInt8](repeating: 0, count: 20), [UInt8](0..<20), [UInt8](20..<40))]
          )
        ])),
    DemoDevice(
      name: "Locker", kind: "pairs by the passkey on its label, 246 810", position: (-9, 5),
      profile: Profile(name: "Locker", advertising: 0xFF20, [(0xFF20, [.protected(0xFF21, Array("secret".utf8))])]),
      passkey: "246810", capability: .displayOnly),
    DemoDevice(
      name: "Beacon", kind: "advertises, and does nothing else", position: (12, -8),
      profile: Profile(name: "Beacon", advertisedServices: [], services: []),
      // An iBeacon: Apple's company identifier, type and length, its UUID, major 1, minor 10, and -59 dBm at 1 m.
      manufacturerData: [
        0x4C, 0x00, 0x02, 0x15, 0x8B, 0x0C, 0xA7, 0x50, 0xE7, 0xA7, 0x4E, 0x14, 0xBD, 0x99, 0x09, 0x54, 0x77, 0xCB,
        0x3E, 0x77, 0x00, 0x01, 0x00, 0x0A, 0xC5,
      ]),
  ]
}

extension Profile {
  /// With what is written sent back to those who have subscribed.
  fileprivate var repeating: Profile {
    var profile = self
    profile.services = services.map { service in
      Service(
        uuid: service.uuid, isPrimary: service.isPrimary,
        characteristics: service.characteristics.map { one in
          Characteristic(
            uuid: one.uuid, properties: one.properties, permissions: one.permissions, value: one.value, onWrite: .echo,
            notifications: nil, descriptors: one.descriptors)
        })
    }
    return profile
  }

  fileprivate typealias Part = (service: UInt16, characteristics: [Characteristic])

  fileprivate init(name: String, advertising service: UInt16, _ parts: [Part]) {
    self.init(
      name: name, advertisedServices: [BLEUUID(service)],
      services: parts.map { Service(uuid: BLEUUID($0.service), isPrimary: true, characteristics: $0.characteristics) })
  }

  /// The Device Information Service.
  fileprivate static func maker(_ name: String, model: String) -> Part {
    (0x180A, [.reading(0x2A29, Array(name.utf8)), .reading(0x2A24, Array(model.utf8))])
  }
}

extension Profile.Characteristic {
  fileprivate static func reading(_ uuid: UInt16, _ value: [UInt8]) -> Self {
    Self(
      uuid: BLEUUID(uuid), properties: [.read], permissions: [.readable], value: value, onWrite: .ignore,
      notifications: nil, descriptors: [])
  }

  fileprivate static func writing(_ uuid: UInt16, _ value: [UInt8], named name: String? = nil) -> Self {
    Self(
      uuid: BLEUUID(uuid), properties: [.read, .write], permissions: [.readable, .writeable], value: value,
      onWrite: .store,
      notifications: nil, descriptors: name.map { [.userDescription($0)] } ?? [])
  }

  /// Can be used on an encrypted link only.
  fileprivate static func protected(_ uuid: UInt16, _ value: [UInt8], named name: String? = nil) -> Self {
    Self(
      uuid: BLEUUID(uuid), properties: [.read, .write],
      permissions: [.readEncryptionRequired, .writeEncryptionRequired],
      value: value, onWrite: .store, notifications: nil, descriptors: name.map { [.userDescription($0)] } ?? [])
  }

  fileprivate static func notifying(
    _ uuid: UInt16, every seconds: Double, _ values: [UInt8]..., named name: String? = nil
  ) -> Self {
    Self(
      uuid: BLEUUID(uuid), properties: [.read, .notify], permissions: [.readable], value: values.first ?? [],
      onWrite: .ignore,
      notifications: .every(seconds, values.map(ValueTemplate.octets)),
      descriptors: name.map { [.userDescription($0)] } ?? [])
  }
}
