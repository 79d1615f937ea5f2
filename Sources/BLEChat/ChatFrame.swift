import BLESession
import Foundation

/// One frame between two chats.
enum ChatFrame: Equatable {
  case hello(ChatHello)
  /// What binds the central to its key before it has seen the peripheral's: 32 octets.
  case commitment(Data)
  /// A public key: 32 octets.
  case key(Data)
  case resume(ChatResume)
  /// A piece of a message. A message of no octets says that no more will come.
  case piece(ChatPiece)
  /// All before this place has arrived.
  case acknowledgement(ChatPlace)
  case goodbye(ChatGoodbye)
  /// Another frame, encrypted.
  case sealed(Data)
  /// From a later version: to be passed over.
  case unknown(UInt8)
}

/// Who speaks, and what they can do. The first frame of each side.
struct ChatHello: Equatable {
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// This side talks encrypted only.
    static let wantsEncryption = Flags(rawValue: 1)
    static let canEncrypt = Flags(rawValue: 2)
  }

  var version = ChatProtocol.version
  var flags: Flags = []
  /// A number of chance for each run of a chat, never 0.
  var identifier: UInt64
  /// The keys that this side has and would go on with; 0 for none.
  var keys: UInt64 = 0
  var name: String
}

/// A place in what one side says: the number of a message, from 1, and an offset in it, in octets.
struct ChatPlace: Equatable, Comparable {
  var number: UInt32
  var offset: UInt32

  static func < (left: ChatPlace, right: ChatPlace) -> Bool {
    (left.number, left.offset) < (right.number, right.offset)
  }
}

/// Where each side goes on.
struct ChatResume: Equatable {
  /// The place that is expected next from the other side; number 0 where nothing was ever heard of it.
  var expected: ChatPlace
  /// The first message that the other side has not acknowledged.
  var first: UInt32
  /// The number of the next message that this side will be given to say: the other side cannot have heard of it.
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
  /// Agreements on keys came to nothing: the next one has to wait.
  case later = 6
  /// The same other side has come by another link.
  case replaced = 7
}
