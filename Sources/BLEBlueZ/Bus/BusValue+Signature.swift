extension BusValue {
  /// The signature of this value's type; `nil` where it is nested deeper than the bus allows.
  var type: String? { type(within: BusLimits.deepest) }

  private func type(within depth: Int) -> String? {
    guard depth > 0 else { return nil }
    switch self {
    case .boolean: return "b"
    case .octet: return "y"
    case .int16: return "n"
    case .uint16: return "q"
    case .int32: return "i"
    case .uint32: return "u"
    case .int64: return "x"
    case .uint64: return "t"
    case .double: return "d"
    case .string: return "s"
    case .objectPath: return "o"
    case .signature: return "g"
    case .fileDescriptor: return "h"
    case .octets: return "ay"
    case .array(let element, _): return "a" + element
    case .dictionary(_, let key, let value): return "a{" + key + value + "}"
    case .variant: return "v"
    case .structure(let fields):
      var inner = ""
      for field in fields {
        guard let type = field.type(within: depth - 1) else { return nil }
        inner += type
      }
      return "(" + inner + ")"
    }
  }
}
