/// One D-Bus value, with the type information needed to send it (D-Bus specification, "Type system").
enum BusValue: Hashable, Sendable {
  case boolean(Bool)
  case octet(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  case fileDescriptor(BusDescriptor)
  /// An array of octets (`ay`), the type of all attribute values.
  case octets([UInt8])
  /// Any other array; `of` is the signature of its elements.
  case array(of: String, [BusValue])
  /// `a{…}`; of entries with the same key the last one counts.
  case dictionary([BusValue: BusValue], key: String, value: String)
  case structure([BusValue])
  indirect case variant(BusValue)
}

/// Accessors for a value from outside: `nil` where it has another type. All unwrap variants.
extension BusValue {
  /// This value without the variants around it.
  var content: BusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// A string, not a path.
  var text: String? {
    if case .string(let text) = content { text } else { nil }
  }

  /// The path of an object.
  var path: String? {
    if case .objectPath(let path) = content { path } else { nil }
  }

  var flag: Bool? {
    if case .boolean(let flag) = content { flag } else { nil }
  }

  var octetsValue: [UInt8]? {
    if case .octets(let octets) = content { octets } else { nil }
  }

  var unsigned8: UInt8? {
    if case .octet(let number) = content { number } else { nil }
  }

  var signed16: Int16? {
    if case .int16(let number) = content { number } else { nil }
  }

  var unsigned16: UInt16? {
    if case .uint16(let number) = content { number } else { nil }
  }

  var signed32: Int32? {
    if case .int32(let number) = content { number } else { nil }
  }

  var unsigned32: UInt32? {
    if case .uint32(let number) = content { number } else { nil }
  }

  var unsigned64: UInt64? {
    if case .uint64(let number) = content { number } else { nil }
  }

  /// The elements of an array, other than an array of octets.
  var list: [BusValue]? {
    if case .array(_, let elements) = content { elements } else { nil }
  }

  /// The fields of a structure.
  var fields: [BusValue]? {
    if case .structure(let fields) = content { fields } else { nil }
  }

  /// The strings of an `as` array.
  var texts: [String]? {
    guard case .array("s", let elements) = content else { return nil }
    return elements.compactMap(\.text)
  }

  var entries: [BusValue: BusValue]? {
    if case .dictionary(let entries, _, _) = content { entries } else { nil }
  }

  /// A dictionary whose keys are strings (`a{sv}`, `a{sa{sv}}`).
  var properties: [String: BusValue]? {
    guard case .dictionary(let entries, "s", _) = content else { return nil }
    var properties = [String: BusValue](minimumCapacity: entries.count)
    for (key, value) in entries {
      if case .string(let name) = key { properties[name] = value }
    }
    return properties
  }

  /// A dictionary whose keys are paths (`a{oa{sa{sv}}}`).
  var objects: [String: BusValue]? {
    guard case .dictionary(let entries, "o", _) = content else { return nil }
    var objects = [String: BusValue](minimumCapacity: entries.count)
    for (key, value) in entries {
      if case .objectPath(let path) = key { objects[path] = value }
    }
    return objects
  }

  /// A descriptor, which can be taken from the value once.
  var descriptor: BusDescriptor? {
    if case .fileDescriptor(let descriptor) = content { descriptor } else { nil }
  }
}

/// Shorthand for the most frequent arguments.
extension BusValue {
  /// `a{sv}`: each value that is not a variant is wrapped in one.
  static func options(_ values: [String: BusValue]) -> BusValue {
    var entries = [BusValue: BusValue](minimumCapacity: values.count)
    for (key, value) in values {
      if case .variant = value { entries[.string(key)] = value } else { entries[.string(key)] = .variant(value) }
    }
    return .dictionary(entries, key: "s", value: "v")
  }

  /// `as`
  static func texts(_ values: [String]) -> BusValue { .array(of: "s", values.map(BusValue.string)) }
}
