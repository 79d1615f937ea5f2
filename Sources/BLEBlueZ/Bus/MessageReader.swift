import CSystemBus
import Glibc

/// Reads the values of a message from outside, within limits.
struct MessageReader {
  private let message: OpaquePointer
  private var elementsLeft: Int
  private var octetsLeft: Int
  private let depth: Int

  init(_ message: OpaquePointer, limits: BusLimits) {
    self.message = message
    elementsLeft = limits.elements
    octetsLeft = limits.octets
    depth = min(limits.depth, BusLimits.deepest)
  }

  /// All arguments of the message.
  static func arguments(of message: OpaquePointer, limits: BusLimits) throws(BusError) -> [BusValue] {
    var reader = MessageReader(message, limits: limits)
    return try reader.values(depth: 0)
  }

  /// The arguments of PropertiesChanged, read in one pass; `nil` where their types differ.
  /// - Parameter interfaces: the names of the interfaces of the signals before.
  static func propertyChanges(
    of message: OpaquePointer, limits: BusLimits, _ interfaces: inout RecentTexts
  ) throws(BusError) -> PropertyChanges? {
    guard sd_bus_message_has_signature(message, "sa{sv}as") > 0 else { return nil }
    var reader = MessageReader(message, limits: limits)
    let interface = interfaces.text(try reader.characters(CChar(UInt8(ascii: "s"))))
    return PropertyChanges(
      interface: interface, values: try reader.namedValues(), invalidated: try reader.names())
  }

  /// `a{sv}`
  private mutating func namedValues() throws(BusError) -> ReportedProperties {
    var values: [ReportedProperties.Property] = []
    try check(sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "{sv}"))
    while try check(sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), "sv")) > 0 {
      try takeElement()
      let name = try text(CChar(UInt8(ascii: "s")))
      values.append(ReportedProperties.Property(name: name, value: try contentOfVariant(depth: 3)))
      try check(sd_bus_message_exit_container(message))
    }
    try check(sd_bus_message_exit_container(message))
    return ReportedProperties(values)
  }

  /// What the next value, a variant, contains.
  private mutating func contentOfVariant(depth: Int) throws(BusError) -> BusValue {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    try check(sd_bus_message_peek_type(message, &type, &contents))
    try takeElement()
    guard type == CChar(UInt8(ascii: "v")), depth <= self.depth else {
      throw Self.refusal("A dictionary of the message has an incomplete entry.")
    }
    try check(sd_bus_message_enter_container(message, type, contents))
    guard let content = try next(depth: depth) else { throw Self.refusal("A variant of the message is empty.") }
    try check(sd_bus_message_exit_container(message))
    return content
  }

  /// `as`
  private mutating func names() throws(BusError) -> [String] {
    var names: [String] = []
    try check(sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "s"))
    var found: UnsafePointer<CChar>?
    while try check(sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &found)) > 0, let name = found {
      try takeElement()
      try take(octets: strlen(name))
      names.append(String(cString: name))
    }
    try check(sd_bus_message_exit_container(message))
    return names
  }

  private mutating func takeElement() throws(BusError) {
    elementsLeft -= 1
    if elementsLeft < 0 { throw Self.refusal("The message has too many values.") }
  }

  private static func refusal(_ text: String) -> BusError { BusError(BusError.inconsistent, text) }

  @discardableResult
  private func check(_ result: Int32) throws(BusError) -> Int32 {
    if result < 0 { throw BusError(number: result, doing: "Reading a message") }
    return result
  }

  /// The remaining values of the current container.
  private mutating func values(depth: Int) throws(BusError) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try next(depth: depth) { values.append(value) }
    return values
  }

  /// `nil` at the end of the container.
  private mutating func next(depth: Int) throws(BusError) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    if try check(sd_bus_message_peek_type(message, &type, &contents)) == 0 { return nil }
    try takeElement()
    switch UInt8(bitPattern: type) {
    case UInt8(ascii: "b"): return .boolean(try basic(type, Int32(0)) != 0)
    case UInt8(ascii: "y"): return .octet(try basic(type, UInt8(0)))
    case UInt8(ascii: "n"): return .int16(try basic(type, Int16(0)))
    case UInt8(ascii: "q"): return .uint16(try basic(type, UInt16(0)))
    case UInt8(ascii: "i"): return .int32(try basic(type, Int32(0)))
    case UInt8(ascii: "u"): return .uint32(try basic(type, UInt32(0)))
    case UInt8(ascii: "x"): return .int64(try basic(type, Int64(0)))
    case UInt8(ascii: "t"): return .uint64(try basic(type, UInt64(0)))
    case UInt8(ascii: "d"): return .double(try basic(type, Double(0)))
    case UInt8(ascii: "s"): return .string(try text(type))
    case UInt8(ascii: "o"): return .objectPath(try text(type))
    case UInt8(ascii: "g"): return .signature(try text(type))
    case UInt8(ascii: "h"):
      // The message closes its own descriptor.
      guard let descriptor = BusDescriptor(duplicating: try basic(type, Int32(-1))) else {
        throw BusError(number: -errno, doing: "Taking a descriptor out of a message")
      }
      return .fileDescriptor(descriptor)
    case UInt8(ascii: "a") where contents.map({ strcmp($0, "y") == 0 }) ?? false: return .octets(try octets())
    case UInt8(ascii: "a"), UInt8(ascii: "v"), UInt8(ascii: "r"):
      guard let contents, depth < self.depth else {
        throw Self.refusal("The message is nested more than \(self.depth) deep.")
      }
      return try container(type, String(cString: contents), depth: depth + 1)
    default:
      throw Self.refusal("The message has a value of an unknown type.")
    }
  }

  private func basic<Value: BitwiseCopyable>(_ type: CChar, _ start: Value) throws(BusError) -> Value {
    var value = start
    try check(sd_bus_message_read_basic(message, type, &value))
    return value
  }

  private mutating func text(_ type: CChar) throws(BusError) -> String { String(cString: try characters(type)) }

  /// The characters of a string, ended by zero, valid as long as the message.
  private mutating func characters(_ type: CChar) throws(BusError) -> UnsafePointer<CChar> {
    let found = try basic(type, UnsafePointer<CChar>?.none)
    guard let found else { throw Self.refusal("A string of the message is missing.") }
    try take(octets: strlen(found))
    return found
  }

  private mutating func take(octets count: Int) throws(BusError) {
    octetsLeft -= count
    if octetsLeft < 0 { throw Self.refusal("The message is too long.") }
  }

  private mutating func container(_ type: CChar, _ contents: String, depth: Int) throws(BusError) -> BusValue {
    try check(sd_bus_message_enter_container(message, type, contents))
    let value: BusValue
    if type == CChar(UInt8(ascii: "v")) {
      guard let inner = try next(depth: depth) else { throw Self.refusal("A variant of the message is empty.") }
      value = .variant(inner)
    } else if type == CChar(UInt8(ascii: "r")) {
      value = .structure(try values(depth: depth))
    } else if contents.utf8.first == UInt8(ascii: "{") {
      value = try dictionary(String(contents.dropFirst().dropLast()), depth: depth)
    } else {
      value = .array(of: contents, try values(depth: depth))
    }
    try check(sd_bus_message_exit_container(message))
    return value
  }

  private mutating func dictionary(_ entry: String, depth: Int) throws(BusError) -> BusValue {
    var entries: [BusValue: BusValue] = [:]
    while try check(sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), entry)) > 0 {
      guard let key = try next(depth: depth), let value = try next(depth: depth) else {
        throw Self.refusal("A dictionary of the message has an incomplete entry.")
      }
      entries[key] = value
      try check(sd_bus_message_exit_container(message))
    }
    return .dictionary(entries, key: String(entry.prefix(1)), value: String(entry.dropFirst()))
  }

  private mutating func octets() throws(BusError) -> [UInt8] {
    var start: UnsafeRawPointer?
    var count = 0
    try check(sd_bus_message_read_array(message, CChar(UInt8(ascii: "y")), &start, &count))
    try take(octets: count)
    guard let start, count > 0 else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}
