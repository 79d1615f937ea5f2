import BLECore

extension Profile {
  /// The peripherals that come with the tool, by name.
  package static let builtIn: [(name: String, profile: Profile)] = [
    ("owenli", .owenli), ("chat", .chat), ("battery", .battery),
  ]

  /// Two services: one with a counter that notifies each second and a name to read and write, one with a text to read.
  package static let owenli = Profile(
    name: "Owenli", advertisedServices: [BLEUUID(0xFFF0), BLEUUID(0xFFE0)],
    services: [
      Service(
        uuid: BLEUUID(0xFFF0), isPrimary: true,
        characteristics: [
          Characteristic(
            uuid: BLEUUID(0xFFF1), properties: [.notify], permissions: [], value: [], onWrite: .ignore,
            notifications: .every(1, [.text("send data : {n}")]), descriptors: []),
          Characteristic(
            uuid: BLEUUID(0xFFF2), properties: [.read, .write], permissions: [.readable, .writeable],
            value: Array("Owenli".utf8), onWrite: .store, notifications: nil, descriptors: [.userDescription("name")]),
        ]),
      Service(
        uuid: BLEUUID(0xFFE0), isPrimary: true,
        characteristics: [
          Characteristic(
            uuid: BLEUUID(0xFFE1), properties: [.read], permissions: [.readable],
            value: Array("Hello from Owenli".utf8), onWrite: .ignore, notifications: nil, descriptors: [])
        ]),
    ])

  /// One characteristic for a conversation: a central's write is displayed, typed lines are sent to all subscribers.
  package static let chat = Profile(
    name: "My dear", advertisedServices: [BLEUUID(0xFF11)],
    services: [
      Service(
        uuid: BLEUUID(0xFF11), isPrimary: true,
        characteristics: [
          Characteristic(
            uuid: BLEUUID(0xFF22), properties: [.read, .write, .notify], permissions: [.readable, .writeable],
            value: Array("Hello".utf8), onWrite: .store, notifications: .input, descriptors: [])
        ])
    ])

  /// The Battery Service with a level that falls by one each second, from full to empty, repeatedly.
  package static let battery = Profile(
    name: "Battery", advertisedServices: [BLEUUID(0x180F)],
    services: [
      Service(
        uuid: BLEUUID(0x180F), isPrimary: true,
        characteristics: [
          Characteristic(
            uuid: BLEUUID(0x2A19), properties: [.read, .notify], permissions: [.readable], value: [100],
            onWrite: .ignore,
            notifications: .every(1, (0...100).reversed().map { .octets([UInt8($0)]) }),
            descriptors: [.presentationFormat([0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00])])
        ])
    ])
}
