import BLESession
import Foundation

/// One frame between two chats.
enum ChatFrame: Equatable {
  case hello(ChatHello)
  /// The central's commitment to its key, sent before it has seen the peripheral's: 32 octets.
  case commitment(Data)
  /// A public key: 32 octets.
  case key(Data)
  case resume(ChatResume)
  /// A piece of a message. A message without octets announces that no more follow.
  case piece(ChatPiece)
  /// Everything before this place has arrived.
  case acknowledgement(ChatPlace)
  case goodbye(ChatGoodbye)
  /// Another frame, encrypted.
  case sealed(Data)
  /// A kind of a later version, to be ignored.
  case unknown(UInt8)
}

/// The first frame of each side: its version, its capabilities and its identity.
struct ChatHello: Equatable {
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// This side requires encryption.
    static let wantsEncryption = Flags(rawValue: 1)
    static let canEncrypt = Flags(rawValue: 2)
  }

  var version = ChatProtocol.version
  var flags: Flags = []
  /// A random number for each run of a chat, never 0.
  var identifier: UInt64
  /// The existing keys with which this side would continue; 0 for none.
  var keys: UInt64 = 0
  var name: String
}

/// A place in one side's messages: the number of a message, from 1, and an offset in octets.
struct ChatPlace: Equatable, Comparable {
  var number: UInt32
  var offset: UInt32

  static func < (left: ChatPlace, right: ChatPlace) -> Bool {
    (left.number, left.offset) < (right.number, right.offset)
  }
}

/// Where each side resumes.
struct ChatResume: Equatable {
  /// The place that is expected next from the other side; number 0 if nothing was received yet.
  var expected: ChatPlace
  /// The first message that the other side has not acknowledged.
  var first: UInt32
  /// The number of this side's next new message, which the other side cannot have received.
  var next: UInt32
}

struct ChatPiece: Equatable {
  var place: ChatPlace
  /// The length of the whole message.
  var total: UInt32
  var octets: Data
}

/// Why a side ends the conversation.
enum ChatGoodbye: UInt8 {
  case leaving = 0
  case busy = 1
  case noEncryption = 2
  case version = 3
  case notAskedFor = 4
  case violation = 5
  /// Too many key agreements failed: the next one has to wait.
  case later = 6
  /// The same partner has opened another link.
  case replaced = 7
}
