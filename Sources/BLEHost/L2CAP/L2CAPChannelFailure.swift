import BLECore
import BLEWire

/// Why no channel was opened.
public enum L2CAPChannelFailure: Error, Hashable, Sendable {
  /// The peer refused it with this result.
  case refused(L2CAPConnectionResult)
  /// The peer does not support the request.
  case notUnderstood
  /// The peer's response was invalid.
  case malformedAnswer
  /// The limit of channels on one link is reached.
  case limitReached
  /// No response in time: 30 s, or 300 s in all after a pending result.
  case timedOut
  /// The link has ended.
  case linkClosed
}

extension AccessRequirement {
  /// Returns why a link of this security must not open a channel; `nil` if it may (Core, Vol 3 Part C 10.3.1).
  func channelRefusal(of link: LinkSecurity) -> L2CAPConnectionResult? {
    switch refusal(of: link) {
    case nil: nil
    case .insufficientEncryption: .insufficientEncryption
    case .encryptionKeySizeTooShort: .encryptionKeySizeTooShort
    case .insufficientAuthorization: .insufficientAuthorization
    default: .insufficientAuthentication
    }
  }
}
