import BLECore
import BLEFiles
import BLEPairing
import BLEWire
import Foundation

/// Out-of-band data as a file: the LE OOB data block of the Core Specification Supplement (Part A 1.16 to 1.18), as on NFC tags, in
/// hexadecimal digits. Blanks and line breaks are ignored; a line that begins with `#` is a comment.
///
///     # out-of-band data of this device
///     11 22 <confirmation value, 16 octets>
///     11 23 <random value, 16 octets>
///
/// A temporary key of legacy pairing, which both devices have, is `11 10` and 16 octets. The octets of each value are least
/// significant first. Other structures (address, role, name) are ignored.
enum OutOfBandFile {
  /// The largest file, in octets.
  private static let largest = 65_536

  /// How long reading waits for data from a pipe, in milliseconds.
  private static let patience = 2_000

  /// - Parameter mayWait: whether a pipe is read as well, with a time limit.
  static func read(_ path: String, mayWait: Bool = false) throws(ToolError) -> PairingOutOfBandData {
    try data(
      of: InputFile.read(path, "out-of-band data", limit: largest, pipePatience: mayWait ? patience : nil), path)
  }

  /// Whether the path is a pipe, whose data can be read only once. Must be called after reading, because a writer would take this for it.
  static func isPipe(_ path: String) -> Bool { (try? UntrustedFile.beginning(of: path, limit: 1)) == nil }

  static func data(of octets: [UInt8], _ path: String) throws(ToolError) -> PairingOutOfBandData {
    guard let text = String(validating: octets, as: UTF8.self) else { throw mistake(path, "hexadecimal digits") }
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.drop(while: \.isWhitespace).hasPrefix("#") }
    let digits = lines.joined().filter { !$0.isWhitespace }
    guard let block = [UInt8](hexadecimal: digits) else {
      throw mistake(path, "hexadecimal digits, two for each octet, and remarks behind '#'")
    }
    var reader = ByteReader(block, layer: "OOB")
    var (confirm, random, key): ([UInt8]?, [UInt8]?, [UInt8]?)
    while reader.remaining > 0 {
      let field: AdvertisingField
      do throws(DecodeError) {
        field = try AdvertisingField(from: &reader)
      } catch {
        throw mistake(path, "structures of a length, a type and so many octets")
      }
      switch field {
      case .leSecureConnectionsConfirmationValue(let value): confirm = value.reversed()
      case .leSecureConnectionsRandomValue(let value): random = value.reversed()
      case .securityManagerTKValue(let value): key = value.reversed()
      case .malformed: throw mistake(path, "values of 16 octets")
      default: break
      }
    }
    if (confirm == nil) != (random == nil) {
      throw mistake(path, "both a confirmation value (22) and a random value (23)")
    }
    guard confirm != nil || key != nil else {
      throw mistake(path, "a confirmation and a random value (22, 23), or a temporary key (10)")
    }
    var data = PairingOutOfBandData(temporaryKey: key)
    if let confirm, let random { data.peer = (random: random, confirm: confirm) }
    return data
  }

  /// Writes the file, readable by this user only.
  static func write(_ data: PairingOutOfBandData, to path: String) throws(ToolError) {
    guard let own = data.peer else { return }
    var text = "# Out-of-band data of one device, for one pairing with it. Anyone who has it can pretend to be near.\n"
    for field in [
      AdvertisingField.leSecureConnectionsConfirmationValue(own.confirm.reversed()[...]),
      .leSecureConnectionsRandomValue(own.random.reversed()[...]),
    ] {
      var writer = ByteWriter(capacity: 18)
      field.encode(into: &writer)
      text += writer.octets.hexadecimal + "\n"
    }
    try PrivateFile.replace(path, by: Array(text.utf8))
  }

  private static func mistake(_ path: String, _ expected: String) -> ToolError {
    ToolError(.badData, "\(path.inert): no out-of-band data: expected \(expected)")
  }
}

extension PrivateFile {
  /// Replaces the file, readable by this user only, with an error for the command line.
  static func replace(_ path: String, by octets: [UInt8]) throws(ToolError) {
    do throws(PrivateFileError) {
      try place(octets, at: path)
    } catch {
      throw ToolError(.noInput, "\(path.inert): cannot be written: \(error.reason.inert)")
    }
  }
}
