import BLEFiles
import Foundation

/// A file of this user, or of root, whose only line is the token.
package struct TokenFile: Sendable {
  let path: String

  package init(_ path: String) { self.path = path }

  /// Fewer could be guessed, whatever they are: 32 hexadecimal digits are 128 bits.
  private static let shortest = 32
  private static let longest = 256

  /// - Throws: `WebError.token`, with the reason.
  func read() throws(WebError) -> AccessToken {
    let octets: [UInt8]
    do throws(PrivateFileError) {
      octets = try UntrustedFile.read(path, limit: 4_096, isSecret: true)
    } catch {
      throw .token(error.description)
    }
    let text = String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    // These stand in an address and in a cookie as they are.
    guard (Self.shortest...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isUsable) else {
      throw .token(
        "\(path) has to hold one line of \(Self.shortest) to \(Self.longest) letters, digits, '-' and '_', as "
          + "'openssl rand -hex 32' makes it")
    }
    return AccessToken(text)
  }

  private static func isUsable(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
