import BLECore

/// Says in words what a packet holds: its fields by name, octets as hexadecimal digits, numbers with their assigned names.
///
/// Made for one line of a log or a capture. Keys stay `<redacted>`. Characters that would steer a terminal are spelled out,
/// for much of what is printed was chosen by strangers.
public enum PacketText {
  /// Octets of one field that are printed; for longer ones their count follows.
  private static let octetLimit = 40

  /// The packet's fields, without its name. Empty where it has none.
  public static func of(_ packet: Any) -> String {
    let mirror = Mirror(reflecting: packet)
    if special(packet) != nil || packet is any CustomStringConvertible || rawValue(mirror) != nil {
      return value(packet)
    }
    return mirror.displayStyle == .struct ? fields(mirror) : value(packet)
  }

  /// Octets as hexadecimal digits, cut where they are many.
  public static func of(octets: ArraySlice<UInt8>) -> String {
    if octets.isEmpty { return "-" }
    if octets.count <= octetLimit { return octets.hexadecimal }
    return "\(octets.prefix(octetLimit).hexadecimal)… (\(octets.count) octets)"
  }

  /// The structures of advertising data, with their meaning.
  public static func of(advertisingData data: AdvertisingData) -> String {
    var parts = data.map { value(AdvertisingField($0)) }
    if case .malformed(let offset) = data.ending { parts.append("malformed from offset \(offset)") }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }

  /// The text with everything that is not a plain character spelled out.
  public static func inert(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func value(_ value: Any) -> String {
    if let text = special(value) { return text }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { self.value($0.value) } ?? "-"
    case .collection, .set: return "[\(mirror.children.map { self.value($0.value) }.joined(separator: ", "))]"
    case .tuple: return "(\(mirror.children.map(member).joined(separator: ", ")))"
    default: break
    }
    if let text = value as? any CustomStringConvertible { return text.description }
    if let raw = rawValue(mirror) { return raw }
    switch mirror.displayStyle {
    case .struct:
      // A wrapper around octets is no more than they are.
      if mirror.children.count == 1, let child = mirror.children.first, child.label == "octets" {
        return self.value(child.value)
      }
      return "{\(fields(mirror))}"
    case .enum:
      guard let child = mirror.children.first else { return words("\(value)") }
      return "\(words(child.label ?? "")) \(self.value(child.value))"
    default: return "\(value)"
    }
  }

  private static func fields(_ mirror: Mirror) -> String {
    let carriesAdvertising = advertisingCarriers.contains { $0 == mirror.subjectType }
    return mirror.children.map { child in
      let label = child.label ?? ""
      if carriesAdvertising, label == "data" {
        let octets = child.value as? ArraySlice<UInt8> ?? (child.value as? [UInt8]).map { $0[...] } ?? []
        return "data: \(of(advertisingData: AdvertisingData(octets)))"
      }
      return "\(words(label)): \(value(child.value))"
    }.joined(separator: ", ")
  }

  /// Packets whose `data` is advertising data.
  private static let advertisingCarriers: [any Any.Type] = [
    LESetAdvertisingData.self, LESetScanResponseData.self, LESetExtendedAdvertisingData.self,
    LESetExtendedScanResponseData.self, LegacyAdvertisement.self,
  ]

  /// One value of a tuple, with its label where it has one.
  private static func member(_ child: Mirror.Child) -> String {
    guard let label = child.label, !label.hasPrefix(".") else { return value(child.value) }
    return "\(words(label)): \(value(child.value))"
  }

  /// What has a form of its own.
  private static func special(_ value: Any) -> String? {
    switch value {
    case let octets as ArraySlice<UInt8>: of(octets: octets)
    case let octets as [UInt8]: of(octets: octets[...])
    case let uuid as BLEUUID: AssignedNumbers.name(uuid).map { "\(uuid) (\($0))" } ?? uuid.description
    case let uuids as AdvertisedUUIDs: "[\(uuids.map { self.value($0) }.joined(separator: ", "))]"
    case let name as AdvertisedName: "\"\(inert(name.text))\"\(name.isComplete ? "" : " (shortened)")"
    case let data as ManufacturerData:
      "\(AssignedNumbers.company(data.companyIdentifier) ?? numberText(data.companyIdentifier, digits: 4)) "
        + of(octets: data.data)
    case let data as AdvertisedServiceData: "\(self.value(data.uuid)) \(of(octets: data.data))"
    case let data as AdvertisingData: of(advertisingData: data)
    case let packets as HCICompletedPackets:
      packets.map { "\($0.count) of \($0.connectionHandle)" }.joined(separator: ", ")
    default: nil
    }
  }

  /// Types that are nothing but a number.
  private static func rawValue(_ mirror: Mirror) -> String? {
    guard mirror.displayStyle == .struct, mirror.children.count == 1, let child = mirror.children.first,
      child.label == "rawValue", let number = child.value as? any BinaryInteger
    else { return nil }
    return numberText(number, digits: 2)
  }

  /// `attributeHandle` as `attribute handle`.
  private static func words(_ name: String) -> String {
    var text = ""
    var previous: Character = " "
    for (index, character) in zip(name.indices, name) {
      if character.isUppercase, previous.isLowercase {
        text += " "
        let next = name.index(after: index)
        let startsWord = next < name.endIndex && name[next].isLowercase
        text += startsWord ? character.lowercased() : String(character)
      } else {
        text.append(character)
      }
      previous = character
    }
    return text
  }
}
