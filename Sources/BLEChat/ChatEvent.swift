import BLESession
import Foundation

/// An event of a chat.
public enum ChatEvent: Sendable, Equatable {
  /// The other side is present, for the first time or again: messages can be exchanged.
  case arrived(ChatPartner)
  /// The link was lost. Messages sent meanwhile are delivered when the other side is back.
  case away
  /// The other side has ended the conversation.
  case left
  /// A message of the other side.
  case message(ChatMessage)
  /// These messages of this side have arrived. For a plain central: were handed to the system, because it does not acknowledge.
  case delivered([Int])
  /// It is unknown whether these have arrived, or they were meant for a partner with other keys: they are not sent again.
  case undeliverable([Int])
  /// The other side sends no more messages; it still receives.
  case finished
  /// A device was found with which this side can't talk, or which refuses to.
  case refused(ChatRefusal)
  /// Bluetooth cannot be used at the moment, and why. The chat continues when it can.
  case unavailable(SessionError)
}

/// The other side of a chat.
public struct ChatPartner: Sendable, Equatable {
  /// The other side's name for itself; `nil` if it has none. From outside: make it inert before displaying it.
  public var name: String?
  /// The number of its run; `nil` for a plain app.
  public var identifier: UInt64?
  /// Whether it uses frames: its messages arrive whole, in order and once. A plain app's arrive as it sends them.
  public var isFramed: Bool
  /// Whether this side is the link's central.
  public var isCentralHere: Bool
  /// Six digits that are the same on both sides unless there is a man in the middle; `nil` without encryption.
  public var verificationCode: String?
  /// The code differs from the last one and has to be compared again, or there is none any more: the chat is not encrypted.
  public var isCodeChanged: Bool
  /// Key agreements with this side that began and failed since the other side's last arrival. The reason may be a lost link, or an
  /// attacker who tries codes.
  public var failedAgreements: Int
}

/// One message of the other side.
public struct ChatMessage: Sendable, Equatable {
  /// Counts the other side's messages in this chat, from 1.
  public var number: Int
  /// Its text; octets that are not UTF-8 are replaced. From outside: make it inert before displaying it.
  public var text: String
}

/// Why there is no conversation with a device that was found.
public enum ChatRefusal: String, Sendable, Equatable {
  /// It has another partner.
  case busy
  /// One side requires encryption, and the other does not support it.
  case noEncryption = "no-encryption"
  /// It uses another version of the protocol.
  case version
  /// Its name differs from the configured partner's, here or there.
  case notAskedFor = "not-asked-for"
  /// It violates the protocol, or takes too long for its greeting.
  case violation
  /// Too many key agreements failed here or there: the next one is possible within a minute. An attacker may be trying codes.
  case later
}
