import BLECore
public import BLECrypto

/// The keys of captured links, in the format of a key file: lines of text, each `ltk` and 32 hexadecimal digits, most significant
/// first. Further text on a line, and lines that begin with `#`, are comments.
///
///     # Keys of encrypted links: anyone who has them can decrypt the capture.
///     ltk 4C68384139F574D836BCF34E9DFB01BF as central, with C0:12:34:56:78:9A
///
/// A long-term key is enough: session keys are derived from it and from the captured start of encryption.
public struct CaptureKeys: Sendable {
  /// In the order of the file, without duplicates.
  public private(set) var longTermKeys: [SecretKey] = []

  /// The maximum number of keys; a file with more is refused.
  static let limit = 4_096
  private static let octetLimit = 1 << 20

  /// No keys.
  public init() {}

  /// The given keys.
  public init(longTermKeys: [SecretKey]) { self.longTermKeys = longTermKeys }

  /// Reads a key file; errors have the line number.
  public init(path: String) throws(CaptureError) {
    let octets = try CaptureFileInput(path: path).read(Self.octetLimit + 1)
    guard octets.count <= Self.octetLimit else {
      throw CaptureError(.malformed, "\(path): too long for a file of keys")
    }
    do throws(CaptureError) {
      try self.init(text: String(decoding: octets, as: UTF8.self))
    } catch {
      throw CaptureError(error.kind, "\(path): \(error.description)")
    }
  }

  /// Parses the text of a key file; errors have the line number, and never the contents.
  public init(text: String) throws(CaptureError) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let kind = words.first, !kind.hasPrefix("#") else { continue }
      guard kind == "ltk" else {
        throw CaptureError(.malformed, "line \(index + 1) is neither \"ltk <key>\" nor a comment")
      }
      guard words.count >= 2, let octets = [UInt8](hexadecimal: words[1]), octets.count == AESBlock.octetCount else {
        throw CaptureError(.malformed, "line \(index + 1): a long-term key has 32 hexadecimal digits")
      }
      guard longTermKeys.count < Self.limit else { throw CaptureError(.malformed, "more than \(Self.limit) keys") }
      let key = SecretKey(mostSignificantFirst: octets)
      if !longTermKeys.contains(key) { longTermKeys.append(key) }
    }
  }

  /// The first line of a key file.
  public static let heading = "# Keys of encrypted links: anyone who has them can decrypt the capture.\n"

  /// A line of a key file. `remark` is a comment of one line.
  public static func line(longTermKey key: SecretKey, remark: String) -> String {
    "ltk \(key.revealMostSignificantFirst().hexadecimal) \(remark)\n"
  }
}
