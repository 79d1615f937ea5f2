import CSystemBus

/// Appends values to an outgoing message.
struct MessageWriter {
  let message: OpaquePointer

  func append(_ values: [BusValue]) throws(BusError) {
    for value in values { try append(value, depth: 0) }
  }

  private func check(_ result: Int32) throws(BusError) {
    if result < 0 { throw BusError(number: result, doing: "Writing a message") }
  }

  private func append(_ value: BusValue, depth: Int) throws(BusError) {
    switch value {
    case .boolean(let flag): try basic("b", Int32(flag ? 1 : 0))
    case .octet(let number): try basic("y", number)
    case .int16(let number): try basic("n", number)
    case .uint16(let number): try basic("q", number)
    case .int32(let number): try basic("i", number)
    case .uint32(let number): try basic("u", number)
    case .int64(let number): try basic("x", number)
    case .uint64(let number): try basic("t", number)
    case .double(let number): try basic("d", number)
    case .string(let text): try string("s", text)
    case .objectPath(let path): try string("o", path)
    case .signature(let signature): try string("g", signature)
    case .fileDescriptor(let descriptor): try basic("h", descriptor.borrowed)
    case .octets(let octets):
      let result = octets.withUnsafeBytes { octets in
        sd_bus_message_append_array(message, CChar(UInt8(ascii: "y")), octets.baseAddress, octets.count)
      }
      try check(result)
    case .array(let element, let values):
      try container("a", element, depth) { () throws(BusError) in
        for value in values { try append(value, depth: depth + 1) }
      }
    case .dictionary(let entries, let key, let value):
      try container("a", "{" + key + value + "}", depth) { () throws(BusError) in
        for entry in entries {
          try container("e", key + value, depth) { () throws(BusError) in
            try append(entry.key, depth: depth + 1)
            try append(entry.value, depth: depth + 1)
          }
        }
      }
    case .structure(let fields):
      guard let type = value.type else { throw tooDeep }
      try container("r", String(type.dropFirst().dropLast()), depth) { () throws(BusError) in
        for field in fields { try append(field, depth: depth + 1) }
      }
    case .variant(let inner):
      guard let type = inner.type else { throw tooDeep }
      try container("v", type, depth) { () throws(BusError) in try append(inner, depth: depth + 1) }
    }
  }

  private var tooDeep: BusError {
    BusError(BusError.invalidArguments, "The value is nested more than \(BusLimits.deepest) deep.")
  }

  private func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) throws(BusError) {
    var value = value
    try check(sd_bus_message_append_basic(message, CChar(truncatingIfNeeded: type.value), &value))
  }

  private func string(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
    // The bus ends strings with a zero octet, so the rest would be dropped silently.
    if text.utf8.contains(0) { throw BusError(BusError.invalidArguments, "A string contains a zero octet.") }
    let result = text.withCString { text in
      sd_bus_message_append_basic(message, CChar(truncatingIfNeeded: type.value), text)
    }
    try check(result)
  }

  private func container(
    _ type: Unicode.Scalar, _ contents: String, _ depth: Int, _ fill: () throws(BusError) -> Void
  ) throws(BusError) {
    if depth >= BusLimits.deepest { throw tooDeep }
    let result = contents.withCString { contents in
      sd_bus_message_open_container(message, CChar(truncatingIfNeeded: type.value), contents)
    }
    try check(result)
    try fill()
    try check(sd_bus_message_close_container(message))
  }
}
