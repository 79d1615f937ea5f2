import BLECore

/// JSON that can stand in an element of a page: no character in it can end the element.
struct PageData {
  private(set) var octets: [UInt8] = []

  mutating func append(raw text: StaticString) {
    text.withUTF8Buffer { octets.append(contentsOf: $0) }
  }

  mutating func append(_ number: Int) { octets.append(contentsOf: String(number).utf8) }

  /// A text as JSON; `<`, `>` and `&` by their numbers, because HTML looks for them before anything reads the JSON.
  mutating func append(_ text: String) {
    octets.append(UInt8(ascii: "\""))
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        octets.append(UInt8(ascii: "\\"))
        octets.append(octet)
      case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0x7F:
        octets.append(contentsOf: "\\u00\(CollectionOfOne(octet).hexadecimal)".utf8)
      default: octets.append(octet)
      }
    }
    octets.append(UInt8(ascii: "\""))
  }

  mutating func append(_ numbers: [Int]) {
    append(numbers) { $0.append($1) }
  }

  mutating func append(_ texts: [String]) {
    append(texts) { $0.append($1) }
  }

  private mutating func append<Element>(_ elements: [Element], _ body: (inout PageData, Element) -> Void) {
    octets.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { octets.append(UInt8(ascii: ",")) }
      body(&self, element)
    }
    octets.append(UInt8(ascii: "]"))
  }

  /// `octets` in base 64 (RFC 4648), which takes two thirds of the room of hexadecimal digits.
  static func base64(_ octets: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (octets.count + 2) / 3 * 4) { target in
      var length = 0
      for start in stride(from: 0, to: octets.count, by: 3) {
        let count = min(3, octets.count - start)
        var word: UInt32 = 0
        for index in 0..<3 { word = word << 8 | (index < count ? UInt32(octets[start + index]) : 0) }
        for index in 0..<4 {
          target[length] = index <= count ? alphabet[Int(word >> (18 - 6 * UInt32(index)) & 0x3F)] : UInt8(ascii: "=")
          length += 1
        }
      }
      return length
    }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// A text in HTML.
  static func html(_ text: String) -> String {
    // By scalars: a combining mark behind it would make another character of a '<'.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "\0": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
