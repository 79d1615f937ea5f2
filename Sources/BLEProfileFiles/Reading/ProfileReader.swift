import BLECore
import BLEText

/// Parses a profile file. Mistakes are recorded with their positions, and reading continues, so that one pass finds all of them.
package struct ProfileReader {
  let mistakes: MistakeList

  /// In octets. Limits the memory that a crafted file can take.
  package static let largestFile = 1_048_576
  package static let mostServices = 64
  package static let mostCharacteristics = 256
  /// The maximum length in octets of the Device Name (Core, Vol 3 Part C 12.1).
  private static let longestName = 248

  package static func read(_ text: String) throws(FileMistakes) -> Profile {
    let json: PositionedJSON
    do {
      json = try PositionedJSONReader.read(text)
    } catch {
      throw FileMistakes(error)
    }
    return try read(json)
  }

  package static func read(_ json: PositionedJSON) throws(FileMistakes) -> Profile {
    let mistakes = MistakeList()
    guard let profile = ProfileReader(mistakes: mistakes).profile(json), mistakes.count == 0 else {
      throw FileMistakes(mistakes)
    }
    return profile
  }

  /// `nil`, as in the other functions, if mistakes leave essential parts missing.
  private func profile(_ json: PositionedJSON) -> Profile? {
    guard var file = FileObject(json, "the profile", mistakes) else { return nil }
    let name = file.optional("name") { (json) throws(PositionedError) -> String? in
      try json.text(longest: Self.longestName, "the local name")
    }
    let services = file.required("services") { (json) -> [Profile.Service]? in
      mistakes.list(json, "a list of services", 1...Self.mostServices, of: service)
    }
    let advertised = file.optional("advertise") { (json) -> [BLEUUID]? in
      mistakes.list(json, "a list of UUIDs", 0...Self.mostServices) { (json) throws(PositionedError) in try json.uuid()
      }
    }
    let security = file.optional("security") { (json) -> SecurityRequirements? in requirements(json) }
    let channel = file.optional("channel") { (json) -> Profile.Channel? in declaredChannel(json) }
    file.finish()
    guard let services else { return nil }
    var primary: [BLEUUID] = []
    for service in services where service.isPrimary && !primary.contains(service.uuid) { primary.append(service.uuid) }
    return Profile(
      name: name, advertisedServices: advertised ?? primary, services: services, security: security,
      channel: channel)
  }

  private func declaredChannel(_ json: PositionedJSON) -> Profile.Channel? {
    guard var object = FileObject(json, "a channel", mistakes) else { return nil }
    let needsEncryption = object.optional("encryption") { (json) throws(PositionedError) in try json.boolean() }
    object.finish()
    return Profile.Channel(needsEncryption: needsEncryption ?? false)
  }

  private func service(_ json: PositionedJSON) -> Profile.Service? {
    guard var object = FileObject(json, "a service", mistakes) else { return nil }
    let uuid = object.required("uuid") { (json) throws(PositionedError) -> BLEUUID? in
      let uuid = try json.uuid()
      // Generic Access and Generic Attribute belong to the stack.
      if let short = uuid.short, short == 0x1800 || short == 0x1801 {
        throw PositionedError(json.position, "the service \(uuid) belongs to the stack: expected another UUID")
      }
      return uuid
    }
    let isPrimary = object.optional("primary") { (json) throws(PositionedError) in try json.boolean() } ?? true
    let characteristics = object.required("characteristics") { (json) -> [Profile.Characteristic]? in
      mistakes.list(json, "a list of characteristics", 0...Self.mostCharacteristics, of: characteristic)
    }
    object.finish()
    guard let uuid, let characteristics else { return nil }
    return Profile.Service(uuid: uuid, isPrimary: isPrimary, characteristics: characteristics)
  }
}
