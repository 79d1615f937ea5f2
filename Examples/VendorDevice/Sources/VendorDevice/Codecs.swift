/// Octets as text and back.
enum Hexadecimal {
  /// Digits of either case, with or without colons, dashes or spaces between them; `nil` for anything else and for an odd
  /// number of digits.
  static func octets(_ text: String) -> [UInt8]? {
    let digits = text.filter { !":- ".contains($0) }
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0.isHexDigit }) else { return nil }
    let values = digits.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  static func text(_ octets: some Sequence<UInt8>) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

enum XOR {
  /// Each octet mixed with one of the key, which is repeated to the length of the data. Doing it twice gives the octets back.
  static func mix(_ octets: [UInt8], with key: [UInt8]) -> [UInt8] {
    if key.isEmpty { return octets }
    return octets.enumerated().map { index, octet in octet ^ key[index % key.count] }
  }
}

/// CRC-8/MAXIM: polynomial 31, reflected, from nought. Its check value is A1, for the digits 1 to 9.
enum CRC8 {
  static func of(_ octets: some Sequence<UInt8>) -> UInt8 {
    octets.reduce(0) { sum, octet in
      (0..<8).reduce(sum ^ octet) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8C : value >> 1 }
    }
  }
}

/// One packet of the vendor's protocol: A5, the number of octets that follow, and these mixed with the key: sequence number,
/// command, payload, and the CRC of the three.
struct Frame: Equatable {
  static let mark: UInt8 = 0xA5
  /// Set in the command of an answer.
  static let answerBit: UInt8 = 0x80
  static let payloadLimit = 14

  var sequence: UInt8
  var command: UInt8
  var payload: [UInt8]

  enum Failure: Error, Equatable {
    case tooShort, unmarked, wrongLength, wrongChecksum
  }

  init(sequence: UInt8, command: UInt8, payload: [UInt8]) {
    self.sequence = sequence
    self.command = command
    self.payload = payload
  }

  init(octets: [UInt8], key: [UInt8]) throws {
    guard octets.count >= 5 else { throw Failure.tooShort }
    guard octets[0] == Self.mark else { throw Failure.unmarked }
    guard Int(octets[1]) == octets.count - 2 else { throw Failure.wrongLength }
    let body = XOR.mix(Array(octets.dropFirst(2)), with: key)
    guard CRC8.of(body.dropLast()) == body[body.count - 1] else { throw Failure.wrongChecksum }
    self.init(sequence: body[0], command: body[1], payload: Array(body[2..<(body.count - 1)]))
  }

  func octets(key: [UInt8]) -> [UInt8] {
    let body = [sequence, command] + payload.prefix(Self.payloadLimit)
    let mixed = XOR.mix(body + [CRC8.of(body)], with: key)
    return [Self.mark, UInt8(mixed.count)] + mixed
  }
}
