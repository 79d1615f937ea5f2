import BLEFiles
import BLEText
import Foundation

/// A secret that is in a file of its own, never in the configuration.
package enum SecretSource: Sendable, Equatable {
  /// A file that other users cannot open.
  case file(String)
  /// A credential that systemd hands to its service (systemd.exec(5), LoadCredential=).
  case credential(String)

  /// The longest secret in octets.
  private static let longest = 4_096

  /// The secret: the file's first line.
  /// - Throws: why there is none, as the end of a sentence.
  package func read(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(SecretError) -> String {
    let (octets, path) = try contents(limit: Self.longest, environment: environment)
    let line = octets.prefix { $0 != 0x0A && $0 != 0x0D }
    guard let text = String(validating: line, as: UTF8.self), !text.isEmpty, !text.contains("\0") else {
      throw SecretError("\(path.inert) has no line of text in front: write the password into it")
    }
    return text
  }

  /// What names it in messages.
  var shown: String {
    switch self {
    case .file(let path): path
    case .credential(let name): name
    }
  }

  /// The whole file, of at most `limit` octets, and its path.
  /// - Throws: why it cannot be read, as the end of a sentence.
  func contents(
    limit: Int, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(SecretError) -> (octets: [UInt8], path: String) {
    let path: String
    switch self {
    case .file(let name): path = name
    case .credential(let name):
      guard let folder = environment["CREDENTIALS_DIRECTORY"] else {
        throw SecretError(
          "there is no credential '\(name.inert)', because systemd has not started this program: use LoadCredential= in its unit"
        )
      }
      path = folder + "/" + name
    }
    do throws(PrivateFileError) {
      return (try UntrustedFile.read(path, limit: limit, isSecret: true), path)
    } catch {
      throw SecretError("\(error.description.inert)")
    }
  }
}

/// Why a secret cannot be used. It never has the secret in it.
package struct SecretError: Error, Equatable {
  package let reason: String
  init(_ reason: String) { self.reason = reason }
}
