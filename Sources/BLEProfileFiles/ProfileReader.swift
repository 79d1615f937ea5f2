import BLECore
import BLEText

/// Parses a profile file. Every error has its position and what was expected.
package enum ProfileReader {
  /// In octets. Limits the memory that a crafted file can take.
  package static let largestFile = 1_048_576
  package static let mostServices = 64
  package static let mostCharacteristics = 256

  package static func read(_ text: String) throws(PositionedError) -> Profile {
    try read(PositionedJSONReader.read(text))
  }

  package static func read(_ json: PositionedJSON) throws(PositionedError) -> Profile {
    var file = try ObjectReader(json, "the profile")
    let name = try file.optional("name")?.text(longest: longestName, "the local name")
    let services = try file.required("services").list("a list of services", 1...mostServices, of: service)
    let advertised = try file.optional("advertise")?.list("a list of UUIDs", 0...mostServices, of: PositionedJSON.uuid)
    let security = try file.optional("security").map(requirements)
    try file.finish()
    var primary: [BLEUUID] = []
    for service in services where service.isPrimary && !primary.contains(service.uuid) { primary.append(service.uuid) }
    return Profile(
      name: name, advertisedServices: advertised ?? primary, services: services, security: security)
  }

  /// The maximum length in octets of the Device Name (Core, Vol 3 Part C 12.1).
  private static let longestName = 248

  private static func service(_ json: PositionedJSON) throws(PositionedError) -> Profile.Service {
    var object = try ObjectReader(json, "a service")
    let name = try object.required("uuid")
    let uuid = try name.uuid()
    // Generic Access and Generic Attribute belong to the stack.
    if let short = uuid.short, short == 0x1800 || short == 0x1801 {
      throw PositionedError(name.position, "the service \(uuid) belongs to the stack: expected another UUID")
    }
    let isPrimary = try object.optional("primary")?.boolean() ?? true
    let characteristics = try object.required("characteristics")
      .list("a list of characteristics", 0...mostCharacteristics, of: characteristic)
    try object.finish()
    return Profile.Service(uuid: uuid, isPrimary: isPrimary, characteristics: characteristics)
  }

  private static func characteristic(_ json: PositionedJSON) throws(PositionedError) -> Profile.Characteristic {
    var object = try ObjectReader(json, "a characteristic")
    let uuid = try object.required("uuid").uuid()
    let properties: Set<Profile.Property> = try object.required("properties").words("a property", atLeast: 1)
    let canRead = properties.contains(.read)
    let canWrite = properties.contains(.write) || properties.contains(.writeWithoutResponse)
    let canNotify = !properties.isDisjoint(
      with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])

    var permissions: Set<Profile.Permission> = []
    if canRead { permissions.insert(.readable) }
    if canWrite { permissions.insert(.writeable) }
    if let listed = try object.optional("permissions") {
      permissions = try listed.words("a permission", atLeast: 0)
      try check(permissions, canRead, canWrite, listed.position)
    }

    let value = try object.optional("value").map(ValueReader.template)?.value(number: 1) ?? []
    let onWrite = try object.optional("on_write")
    if let onWrite, !canWrite {
      throw PositionedError(onWrite.position, "\"on_write\" needs the property write or writeWithoutResponse")
    }
    let behavior: Profile.WriteBehavior = try onWrite?.word("what a write does") ?? .store
    if let onWrite, behavior == .echo, !canNotify {
      throw PositionedError(onWrite.position, "\"echo\" needs the property notify or indicate")
    }
    let notify = try object.optional("notify")
    if let notify, !canNotify {
      throw PositionedError(notify.position, "\"notify\" needs the property notify or indicate")
    }
    let source = try notify.map(notifications)
    let descriptors = try object.optional("descriptors")?.list("a list of descriptors", 0...2, of: descriptor) ?? []
    try object.finish()
    return Profile.Characteristic(
      uuid: uuid, properties: properties, permissions: permissions, value: value, onWrite: behavior,
      notifications: source, descriptors: descriptors)
  }

  /// Properties state which requests a peer may make: permissions that differ would only make these fail.
  private static func check(
    _ permissions: Set<Profile.Permission>, _ canRead: Bool, _ canWrite: Bool, _ position: TextPosition
  ) throws(PositionedError) {
    let mayRead = permissions.contains(.readable) || permissions.contains(.readEncryptionRequired)
    let mayWrite = permissions.contains(.writeable) || permissions.contains(.writeEncryptionRequired)
    if mayRead != canRead {
      throw PositionedError(
        position, "permissions and properties disagree: expected \(canRead ? "a" : "no") permission to read")
    }
    if mayWrite != canWrite {
      throw PositionedError(
        position, "permissions and properties disagree: expected \(canWrite ? "a" : "no") permission to write")
    }
  }

  private static func notifications(_ json: PositionedJSON) throws(PositionedError) -> Profile.Notifications {
    var object = try ObjectReader(json, "notifications")
    if let source = try object.optional("from") {
      let _: NotificationSource = try source.word("where notifications come from")
      try object.finish()
      return .input
    }
    let interval = try object.required("every").seconds()
    let templates = try object.required("values").list("a list of values", 1...4096, of: ValueReader.template)
    try object.finish()
    return .every(interval, templates)
  }

  private enum NotificationSource: String, CaseIterable { case input }

  private static func descriptor(_ json: PositionedJSON) throws(PositionedError) -> Profile.Descriptor {
    var object = try ObjectReader(json, "a descriptor")
    let name = try object.required("uuid")
    let uuid = try name.uuid()
    let value = try object.required("value")
    try object.finish()
    let template = try ValueReader.template(value)
    switch (uuid.short, template) {
    case (0x2901, .text(let text)): return .userDescription(text)
    case (0x2901, .octets): throw PositionedError(value.position, "expected {\"utf8\": ...}: a description is text")
    case (0x2904, .octets(let octets)) where octets.count == 7: return .presentationFormat(octets)
    case (0x2904, _):
      throw PositionedError(value.position, "expected {\"hex\": ...} with 7 octets: a presentation format")
    default:
      throw PositionedError(
        name.position, "expected 2901 (user description) or 2904 (presentation format); the stack adds all others")
    }
  }
}
