import BLECore
import BLEText

/// Reads values of attributes: `{"utf8": "text"}`, `{"hex": "01FF"}` or `{"uint8": 100}`.
package enum ValueReader {
  /// The maximum length of an attribute value (Core, Vol 3 Part F 3.2.9).
  package static let longest = 512

  /// The octets of pairs of hexadecimal digits, with optional blanks, colons or dashes between them and an optional `0x` in front.
  package static func octets(hexadecimal text: String) -> [UInt8]? {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? String(text.dropFirst(2)) : text
    return [UInt8](hexadecimal: digits.filter { !" :-".contains($0) })
  }

  package static func template(_ json: PositionedJSON) throws(PositionedError) -> ValueTemplate {
    guard case .object(let members) = json.content, members.count == 1, let member = members.first else {
      throw PositionedError(
        json.position, "expected a value such as {\"utf8\": \"text\"} or {\"hex\": \"01FF\"}, found \(json.kind)")
    }
    switch member.key {
    case "utf8": return .text(try member.value.text(longest: longest, "a value"))
    case "hex":
      guard let octets = octets(hexadecimal: try member.value.text(longest: 4 * longest, "a value")) else {
        throw PositionedError(member.value.position, "expected pairs of hexadecimal digits such as 01FF or 01:FF")
      }
      guard octets.count <= longest else {
        throw PositionedError(member.value.position, "a value has at most \(longest) octets, not \(octets.count)")
      }
      return .octets(octets)
    case "uint8":
      guard case .number(let number) = member.value.content, let octet = UInt8(exactly: number) else {
        throw PositionedError(member.value.position, "expected a whole number of 0 to 255")
      }
      return .octets([octet])
    default:
      let suggestion = Suggestion.sentence(for: member.key, among: ["utf8", "hex", "uint8"])
      throw PositionedError(
        member.position, "\"\(member.key.inert)\" is not a kind of value: expected utf8, hex or uint8\(suggestion)")
    }
  }
}

extension PositionedJSON {
  package func uuid() throws(PositionedError) -> BLEUUID {
    guard case .string(let text) = content else { throw expected("a UUID as a string") }
    guard let uuid = BLEUUID(text) else {
      throw PositionedError(
        position, "invalid UUID '\(text.inert)': expected 4, 8 or 36 hexadecimal characters such as 180F")
    }
    return uuid
  }
}
