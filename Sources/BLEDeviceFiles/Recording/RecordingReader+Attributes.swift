import BLESession
import BLEText
import CoreBluetooth

/// Attributes and values of a recording.
extension RecordingReader {
  func attributes(_ json: PositionedJSON) -> [RecordedAttribute] {
    let found = mistakes.attempt { () throws(PositionedError) in
      try json.list("a list of attributes", 0...Self.mostEntries) { (json) in (json.position, self.attribute(json)) }
    }
    var last: UInt16 = 0
    return (found ?? []).compactMap { position, attribute in
      guard let attribute else { return nil }
      if attribute.handle <= last {
        mistakes.note(
          PositionedError(position, "expected the attributes by ascending handle: \(attribute.handle) follows \(last)"))
      }
      last = max(last, attribute.handle)
      return attribute
    }
  }

  private func attribute(_ json: PositionedJSON) -> RecordedAttribute? {
    guard var object = FileObject(json, "an attribute", mistakes) else { return nil }
    let handle = object.required("handle", Self.handle)
    let kind = kind(&object)
    let value = object.optional("value") { (json) in self.value(json) }
    let follows: Set<RecordedAttribute.Source>? = object.optional("follows") { (json) in
      mistakes.words(json, "what a value follows", atLeast: 1)
    }
    let readRefusal = object.optional("read_refused") { (json) in self.refusal(json) }
    let writeRefusal = object.optional("write_refused") { (json) in self.refusal(json) }
    object.finish()
    guard let handle, let kind else { return nil }
    if case .service(_, let end, _) = kind, end < handle {
      mistakes.note(PositionedError(json.position, "a service ends with its own handle or a higher one"))
    }
    var attribute = RecordedAttribute(handle: handle, kind: kind, value: value)
    attribute.follows = follows ?? []
    attribute.readRefusal = readRefusal
    attribute.writeRefusal = writeRefusal
    return attribute
  }

  private func kind(_ object: inout FileObject) -> RecordedAttribute.Kind? {
    if let service = object.member("service") {
      let isPrimary = object.optional("primary") { (json) throws(PositionedError) in try json.boolean() } ?? true
      let end = object.required("end", Self.handle)
      guard let uuid = uuid(service), let end else { return nil }
      return .service(uuid, end: end, isPrimary: isPrimary)
    }
    if let characteristic = object.member("characteristic") {
      let value = object.required("value_handle", Self.handle)
      let properties: Set<PropertyWord>? = object.optional("properties") { (json) in
        mistakes.words(json, "a property", atLeast: 0)
      }
      guard let uuid = uuid(characteristic), let value else { return nil }
      let bits = (properties ?? []).reduce(UInt8(0)) { $0 | $1.bit }
      return .characteristic(uuid, valueHandle: value, properties: bits)
    }
    if let start = object.optional("includes", Self.handle) {
      let end = object.required("end", Self.handle)
      let uuid = object.member("uuid")
      return end.map { .included(start: start, end: $0, uuid: uuid.flatMap { self.uuid($0) }) }
    }
    let type = object.member("type")
    return .value(type: type.flatMap { self.uuid($0) })
  }

  private func uuid(_ json: PositionedJSON) -> CBUUID? {
    mistakes.attempt { () throws(PositionedError) in try json.uuid() }
  }

  private func refusal(_ json: PositionedJSON) -> RecordedRefusal? {
    guard var object = FileObject(json, "a refusal", mistakes) else { return nil }
    let code = object.required("code") { (json) throws(PositionedError) in
      UInt8(try json.integer(0...255, "an error code"))
    }
    let ends = flag(&object, "until_encrypted")
    object.finish()
    return code.map { RecordedRefusal(code: $0, endsWithEncryption: ends) }
  }

  // MARK: Values

  /// `"4B4C"`, `{"sequence": ["01", "02"]}` or `{"parts": ["4B", {"written": 1}]}`.
  func value(_ json: PositionedJSON) -> RecordedValue? {
    if case .string = json.content {
      return mistakes.attempt { () throws(PositionedError) in .constant(try Self.octets(json)) }
    }
    guard var object = FileObject(json, "a value that is no string", mistakes) else { return nil }
    let sequence = object.optional("sequence") { (json) throws(PositionedError) in
      try json.list("a list of values", 1...Self.mostEntries, of: Self.octets)
    }
    let parts =
      sequence == nil
      ? object.required("parts") { (json) throws(PositionedError) in
        try json.list("a list of parts", 1...64) { (json) in self.part(json) }
      } : nil
    object.finish()
    return sequence.map { .sequence($0) } ?? parts.map { .parts($0.compactMap(\.self)) }
  }

  private func part(_ json: PositionedJSON) -> RecordedValue.Part? {
    if case .string = json.content {
      return mistakes.attempt { () throws(PositionedError) in .constant(try Self.octets(json)) }
    }
    guard var object = FileObject(json, "a part of a value", mistakes) else { return nil }
    defer { object.finish() }
    if let written = object.member("written") {
      let count = object.optional("octets") { (json) throws(PositionedError) in
        try json.integer(1...RecordedValue.longest, "a number of octets")
      }
      return mistakes.attempt { () throws(PositionedError) in
        .written(offset: try written.integer(0...RecordedValue.longest, "a place in the write"), count: count)
      }
    }
    let counter = object.member("counter")
    let clock = counter == nil ? object.required("clock") { $0 } : nil
    let width = object.optional("octets") { (json) throws(PositionedError) in
      try json.integer(1...4, "the width of a number")
    }
    let order: ByteOrder? = object.optional("order") { (json) throws(PositionedError) in try json.word("an order") }
    if let counter {
      let step = object.optional("step", Self.number) ?? 1
      return mistakes.attempt { () throws(PositionedError) in
        .counter(start: try Self.number(counter), step: step, width: width ?? 1, order: order ?? .littleEndian)
      }
    }
    let unit = object.required("unit", Self.time)
    let phase = object.optional("phase", Self.time) ?? 0
    guard let clock, let unit else { return nil }
    if unit < 1 { mistakes.note(PositionedError(json.position, "\"unit\" is 0.000001 s or more")) }
    return mistakes.attempt { () throws(PositionedError) in
      .clock(start: try Self.number(clock), unit: unit, phase: phase, width: width ?? 1, order: order ?? .littleEndian)
    }
  }

  private static func number(_ json: PositionedJSON) throws(PositionedError) -> UInt64 {
    UInt64(try json.integer(0...0xFFFF_FFFF, "a number of at most four octets"))
  }
}

/// The properties of a characteristic (Core, Vol 3 Part G 3.3.1.1), the least significant bit first.
enum PropertyWord: String, CaseIterable {
  case broadcast, read
  case writeWithoutResponse = "write_without_response"
  case write, notify, indicate
  case signedWrite = "signed_write"
  case extended

  var bit: UInt8 { 1 << UInt8(Self.allCases.firstIndex(of: self) ?? 0) }
}
