import BLECore
import BLECrypto
import BLEText

/// Keys in a file of their own: a JSON object of names with 32 hexadecimal digits each.
///
/// A mistake has a position and never what stands there: it could be a key at the wrong place.
enum KeyFile {
  struct Entry {
    let name: String
    let key: SecretKey
    let position: TextPosition
  }

  /// In octets.
  static let longest = 131_072
  private static let keyLength = 16

  static func read(_ source: SecretSource, most: Int) throws(SecretError) -> [Entry] {
    let (octets, path) = try source.contents(limit: longest)
    return try parse(octets, path, most: most)
  }

  /// - Parameter path: for errors.
  static func parse(_ octets: some Sequence<UInt8>, _ path: String, most: Int) throws(SecretError) -> [Entry] {
    let json: PositionedJSON
    do throws(PositionedError) {
      json = try PositionedJSONReader.read(octets: octets)
    } catch {
      throw mistake(path, error.position, "expected JSON, with each name once")
    }
    guard case .object(let members) = json.content else {
      throw mistake(path, json.position, "expected an object of names with keys")
    }
    if members.count > most { throw mistake(path, json.position, "there are more than \(most) keys") }
    var entries: [Entry] = []
    for member in members {
      guard case .string(let digits) = member.value.content, let octets = [UInt8](hexadecimal: digits),
        octets.count == keyLength
      else { throw mistake(path, member.value.position, "expected a key: 32 hexadecimal digits in quotes") }
      let key = SecretKey(mostSignificantFirst: octets)
      if key.isZero { throw mistake(path, member.value.position, "a key of zeros is none") }
      entries.append(Entry(name: member.key, key: key, position: member.position))
    }
    return entries
  }

  static func mistake(_ path: String, _ position: TextPosition, _ message: String) -> SecretError {
    SecretError("\(path.inert):\(position.line):\(position.column): \(message)")
  }
}
