import BLECore
import BLEWire

/// How values of a vector file are read; `nil` where they are not understood.
extension AdvertisingDataVectors {
  /// A list; `null` stands for an empty one.
  static func listOrNothing<Element>(_ value: JSONValue, _ read: (JSONValue) -> Element?) -> [Element]? {
    value == .null ? [] : value.list(read)
  }

  static func field(_ value: JSONValue) -> String? {
    guard let type = value["type"]?.hexadecimalNumber, let data = octets(value["data"]) else { return nil }
    return "\(numberText(type, digits: 2)) \(data.hexadecimal)"
  }

  static func uuid(_ value: JSONValue) -> BLEUUID? {
    value.string.flatMap { BLEUUID($0) }
  }

  static func manufacturer(_ value: JSONValue) -> String? {
    guard let company = value["company"]?.hexadecimalNumber, let data = octets(value["data"]) else { return nil }
    return "\(numberText(company, digits: 4)) \(data.hexadecimal)"
  }

  static func text(_ manufacturer: ManufacturerData) -> String {
    "\(numberText(manufacturer.companyIdentifier, digits: 4)) \(manufacturer.data.hexadecimal)"
  }

  static func serviceData(_ value: JSONValue) -> String? {
    guard let uuid = value["uuid"].flatMap(uuid), let data = octets(value["data"]) else { return nil }
    return text(AdvertisedServiceData(uuid: uuid, data: data[...]))
  }

  static func text(_ serviceData: AdvertisedServiceData) -> String {
    let uuid = BLEUUID(high: serviceData.uuid.high, low: serviceData.uuid.low)
    return "\(uuid) \(serviceData.data.hexadecimal)"
  }

  /// `{"min": …, "max": …}` (also spelled out) or `[min, max]`, units of 1.25 ms; `null`: none.
  static func interval(_ value: JSONValue) -> [Int]? {
    if value == .null { return [] }
    if let pair = value.list(number), pair.count == 2 { return pair }
    guard let minimum = (value["min"] ?? value["minimum"]).flatMap(number),
      let maximum = (value["max"] ?? value["maximum"]).flatMap(number)
    else { return nil }
    return [minimum, maximum]
  }

  /// One UUID or a list of them, as numbers or text of any width.
  static func shortUUIDs(_ value: JSONValue) -> [BLEUUID]? {
    if let list = value.list(shortUUID) { return list }
    return shortUUID(value).map { [$0] }
  }

  private static func shortUUID(_ value: JSONValue) -> BLEUUID? {
    if let number = number(value) { return UInt16(exactly: number).map { BLEUUID($0) } }
    return uuid(value)
  }

  private static func number(_ value: JSONValue) -> Int? { value.integer ?? value.hexadecimalNumber }

  private static func octets(_ value: JSONValue?) -> [UInt8]? {
    value?.string.flatMap { [UInt8](hexadecimal: $0) }
  }
}
