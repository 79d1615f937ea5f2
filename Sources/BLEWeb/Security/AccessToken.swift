import BLECore
import BLESession

/// What a client has to show: 32 random octets, as 64 hexadecimal digits, or what a file says.
struct AccessToken: Sendable, CustomStringConvertible {
  private let digits: [UInt8]

  init(_ digits: String) { self.digits = Array(digits.utf8) }

  /// One from the system's random numbers, with its digits, which are to be shown once.
  static func random() -> (token: AccessToken, digits: String) {
    var source = SystemRandomNumberGenerator()
    let octets = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    let digits = octets.hexadecimal
    return (AccessToken(digits), digits)
  }

  var description: String { "<redacted>" }

  /// In a time that does not depend on where the two differ.
  func matches(_ text: String) -> Bool { matches(Array(text.utf8)) }

  func isSame(as other: AccessToken) -> Bool { matches(other.digits) }

  private func matches(_ other: [UInt8]) -> Bool {
    guard other.count == digits.count else { return false }
    return zip(digits, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension AccessToken: CustomReflectable {
  /// Nothing prints it: neither `dump`, nor a failure of a test.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The token that is in force, which can be replaced while requests come.
final class CurrentToken: Sendable, CustomReflectable {
  private let token: Guarded<AccessToken>

  init(_ token: AccessToken) { self.token = Guarded(token) }

  var value: AccessToken { token.with { $0 } }

  /// - Returns: whether it is another one than before.
  func replace(_ new: AccessToken) -> Bool {
    token.with { token in
      defer { token = new }
      return !token.isSame(as: new)
    }
  }

  var customMirror: Mirror { Mirror(self, children: [:]) }
}
