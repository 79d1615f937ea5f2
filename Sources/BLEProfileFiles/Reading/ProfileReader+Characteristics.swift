import BLECore
import BLEText

extension ProfileReader {
  func characteristic(_ json: PositionedJSON) -> Profile.Characteristic? {
    guard var object = FileObject(json, "a characteristic", mistakes) else { return nil }
    let uuid = object.required("uuid") { (json) throws(PositionedError) in try json.uuid() }
    let properties = object.required("properties") { (json) -> Set<Profile.Property>? in
      mistakes.words(json, "a property", atLeast: 1)
    }
    // Nothing is compared with properties that contain a mistake.
    let access = properties.map(PropertyAccess.init)
    let permissions = object.optional("permissions") { (json) throws(PositionedError) -> Set<Profile.Permission>? in
      guard let listed: Set<Profile.Permission> = mistakes.words(json, "a permission", atLeast: 0) else { return nil }
      try access?.check(listed, json.position)
      return listed
    }
    let value = object.optional("value") { (json) throws(PositionedError) in try ValueReader.template(json) }
    let behavior = object.optional("on_write") { (json) throws(PositionedError) -> Profile.WriteBehavior? in
      if access?.canWrite == false {
        throw PositionedError(json.position, "\"on_write\" needs the property write or writeWithoutResponse")
      }
      let behavior: Profile.WriteBehavior = try json.word("what a write does")
      if behavior == .echo, access?.canNotify == false {
        throw PositionedError(json.position, "\"echo\" needs the property notify or indicate")
      }
      return behavior
    }
    let source = object.optional("notify") { (json) throws(PositionedError) -> Profile.Notifications? in
      if access?.canNotify == false {
        throw PositionedError(json.position, "\"notify\" needs the property notify or indicate")
      }
      return notifications(json)
    }
    let descriptors = object.optional("descriptors") { (json) -> [Profile.Descriptor]? in
      mistakes.list(json, "a list of descriptors", 0...2, of: descriptor)
    }
    object.finish()
    guard let uuid, let properties, let access else { return nil }
    return Profile.Characteristic(
      uuid: uuid, properties: properties, permissions: permissions ?? access.permissions,
      value: value?.value(number: 1) ?? [], onWrite: behavior ?? .store, notifications: source,
      descriptors: descriptors ?? [])
  }

  private func notifications(_ json: PositionedJSON) -> Profile.Notifications? {
    guard var object = FileObject(json, "notifications", mistakes) else { return nil }
    if let source = object.member("from") {
      let word = mistakes.attempt { () throws(PositionedError) -> NotificationSource in
        try source.word("where notifications come from")
      }
      object.finish()
      return word.map { _ in .input }
    }
    let interval = object.required("every") { (json) throws(PositionedError) in try json.seconds() }
    let templates = object.required("values") { (json) -> [ValueTemplate]? in
      mistakes.list(json, "a list of values", 1...4096) { (json) throws(PositionedError) in
        try ValueReader.template(json)
      }
    }
    object.finish()
    guard let interval, let templates else { return nil }
    return .every(interval, templates)
  }

  private enum NotificationSource: String, CaseIterable { case input }

  private func descriptor(_ json: PositionedJSON) -> Profile.Descriptor? {
    guard var object = FileObject(json, "a descriptor", mistakes) else { return nil }
    let kind = object.required("uuid") { (json) throws(PositionedError) in try DescriptorKind(json) }
    let value = object.required("value") { (json) throws(PositionedError) in
      (template: try ValueReader.template(json), position: json.position)
    }
    object.finish()
    guard let kind, let value else { return nil }
    return mistakes.attempt { () throws(PositionedError) in try kind.descriptor(value.template, value.position) }
  }
}

/// What the properties of a characteristic let a peer do.
private struct PropertyAccess {
  let canRead: Bool
  let canWrite: Bool
  let canNotify: Bool

  init(_ properties: Set<Profile.Property>) {
    canRead = properties.contains(.read)
    canWrite = properties.contains(.write) || properties.contains(.writeWithoutResponse)
    canNotify = !properties.isDisjoint(
      with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
  }

  /// The permissions of a characteristic that lists none.
  var permissions: Set<Profile.Permission> {
    var permissions: Set<Profile.Permission> = []
    if canRead { permissions.insert(.readable) }
    if canWrite { permissions.insert(.writeable) }
    return permissions
  }

  /// Properties state which requests a peer may make: permissions that differ would only make these fail.
  func check(_ permissions: Set<Profile.Permission>, _ position: TextPosition) throws(PositionedError) {
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
}

/// The descriptors that a profile may have.
private enum DescriptorKind {
  case userDescription
  case presentationFormat

  init(_ json: PositionedJSON) throws(PositionedError) {
    switch try json.uuid().short {
    case 0x2901: self = .userDescription
    case 0x2904: self = .presentationFormat
    default:
      throw PositionedError(
        json.position, "expected 2901 (user description) or 2904 (presentation format); the stack adds all others")
    }
  }

  func descriptor(_ value: ValueTemplate, _ position: TextPosition) throws(PositionedError) -> Profile.Descriptor {
    switch (self, value) {
    case (.userDescription, .text(let text)): return .userDescription(text)
    case (.userDescription, .octets):
      throw PositionedError(position, "expected {\"utf8\": ...}: a description is text")
    case (.presentationFormat, .octets(let octets)) where octets.count == 7: return .presentationFormat(octets)
    case (.presentationFormat, _):
      throw PositionedError(position, "expected {\"hex\": ...} with 7 octets: a presentation format")
    }
  }
}
