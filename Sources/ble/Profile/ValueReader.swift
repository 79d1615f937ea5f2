import BLECore
import BLESession

/// Reads values of attributes: `{"utf8": "text"}`, `{"hex": "01FF"}` or `{"uint8": 100}`.
enum ValueReader {
  static func template(_ json: PositionedJSON) throws(PositionedError) -> ValueTemplate {
    guard case .object(let members) = json.content, members.count == 1, let member = members.first else {
      throw PositionedError(
        json.position, "expected a value such as {\"utf8\": \"text\"} or {\"hex\": \"01FF\"}, found \(json.kind)")
    }
    switch member.key {
    case "utf8": return .text(try member.value.text(longest: ValueFormat.longest, "a value"))
    case "hex":
      let text = try member.value.text(longest: 4 * ValueFormat.longest, "a value")
      do {
        return .octets(try ValueFormat.hex.octets(of: text))
      } catch {
        throw PositionedError(member.value.position, error.reason)
      }
    case "uint8":
      guard case .number(let number) = member.value.content, let octet = UInt8(exactly: number) else {
        throw PositionedError(member.value.position, "expected a whole number of 0 to 255")
      }
      return .octets([octet])
    default:
      let suggestion = Suggestion.sentence(for: member.key, among: ["utf8", "hex", "uint8"])
      throw PositionedError(
        member.position, "\"\(member.key.inert)\" is no kind of value: expected utf8, hex or uint8\(suggestion)")
    }
  }
}

extension PositionedJSON {
  static func uuid(_ json: PositionedJSON) throws(PositionedError) -> BLEUUID { try json.uuid() }

  func uuid() throws(PositionedError) -> BLEUUID {
    guard case .string(let text) = content else { throw expected("a UUID as a string") }
    guard let uuid = BLEUUID(text) else {
      throw PositionedError(
        position, "'\(text.inert)' is no UUID: expected 4, 8 or 36 hexadecimal characters such as 180F")
    }
    return uuid
  }
}
