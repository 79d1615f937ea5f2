import BLESession
import Foundation

/// What happens in a chat.
public enum ChatEvent: Sendable, Equatable {
  /// The other side is there, for the first time or again: messages flow.
  case arrived(ChatPartner)
  /// The link was lost. What was said meanwhile is delivered when the other side is back.
  case away
  /// The other side has ended the conversation.
  case left
  /// The other side has said something.
  case message(ChatMessage)
  /// These of this side's messages have arrived. At a plain central: were handed over, for it does not acknowledge.
  case delivered([Int])
  /// Nobody knows whether these have arrived, or they were meant for somebody with other keys: they are not sent again.
  case undeliverable([Int])
  /// The other side will say nothing more; it listens still.
  case finished
  /// Somebody was there to whom this side can't talk, or who does not want to.
  case refused(ChatRefusal)
  /// Bluetooth cannot be used just now, and why. The chat goes on when it can.
  case unavailable(SessionError)
}

/// The other side of a chat.
public struct ChatPartner: Sendable, Equatable {
  /// As it calls itself; `nil` where it does not say. From outside: not to be shown as it is on a terminal.
  public var name: String?
  /// The number of its run; `nil` for a plain app.
  public var identifier: UInt64?
  /// Whether it speaks frames: its messages arrive whole, in order and once. A plain app's arrive as it sends them.
  public var isFramed: Bool
  /// Whether this side is the link's central.
  public var isCentralHere: Bool
  /// Six digits that are the same on both sides unless somebody sits in between; `nil` without encryption.
  public var verificationCode: String?
  /// The code is another one than before, and has to be compared again; or there is none any more: the talk is not encrypted.
  public var isCodeChanged: Bool
  /// Agreements on keys that were begun with this side and came to nothing since the other side arrived the last time. A link that
  /// was lost may be the reason, or somebody in between who tries out codes.
  public var failedAgreements: Int
}

/// One message of the other side.
public struct ChatMessage: Sendable, Equatable {
  /// Counts the other side's messages in this chat, from 1.
  public var number: Int
  /// What it said; octets that are not UTF-8 are replaced. From outside: not to be shown as it is on a terminal.
  public var text: String
}

/// Why there is no conversation with somebody who is there.
public enum ChatRefusal: String, Sendable, Equatable {
  /// It talks to somebody else.
  case busy
  /// One side asks for encryption, and the other has none.
  case noEncryption = "no-encryption"
  /// It speaks another version of the protocol.
  case version
  /// It has another name than the one that is asked for, here or there.
  case notAskedFor = "not-asked-for"
  /// It does not keep to the protocol, or takes too long for its greeting.
  case violation
  /// Too many agreements on keys came to nothing here or there: the next one is possible within a minute. Somebody may be trying out
  /// codes.
  case later
}
