import BLECore
import BLEWire

/// What peers may open channels to. Everything on the loop.
public protocol L2CAPServices: AnyObject {
  /// Why a channel to `multiplexer` can't be opened on this link; `nil` where it can.
  func link(_ link: L2CAPLink, refusalOf multiplexer: ProtocolServiceMultiplexer) -> L2CAPConnectionResult?
  /// The peer has opened a channel. Whoever takes it sets its events in this call; a channel without is closed.
  func link(_ link: L2CAPLink, didOpen channel: L2CAPChannel)
}

/// Why no channel was opened.
public enum L2CAPChannelFailure: Error, Hashable, Sendable {
  /// The peer's answer.
  case refused(L2CAPConnectionResult)
  /// The peer does not know the request.
  case notUnderstood
  /// The peer's answer says what no answer may.
  case malformedAnswer
  /// As many channels as this side keeps on one link are there.
  case limitReached
  /// No answer within 30 s.
  case timedOut
  /// The link has ended.
  case linkClosed
}

extension AccessRequirement {
  /// Why a link of this security must not open a channel; `nil` where it may (Core, Vol 3 Part C 10.3.1).
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
