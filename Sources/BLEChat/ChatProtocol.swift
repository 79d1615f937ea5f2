import BLESession
import CoreBluetooth

/// The constants of the protocol. `Docs/chat.md` specifies every octet.
enum ChatProtocol {
  /// The service, and the characteristic for plain text, which any app can use.
  static let service = CBUUID(string: "FF11")
  static let plain = CharacteristicPath(CBUUID(string: "FF22"), in: service)
  /// The characteristic for frames. A device that has it, or writes to it, supports frames; other devices never receive one.
  static let framed = CharacteristicPath(CBUUID(string: "5F6A0C1E-93D7-4B52-8E0B-FF1100000001"), in: service)

  static let version: UInt8 = 2
  /// The longest message, in octets.
  static let longestMessage = 1 << 20
  /// The longest frame, without the two octets of its length.
  static let longestFrame = 2048
  /// The longest piece of a message in one frame.
  static let longestPiece = 1024
  static let longestName = 64
  /// The limit of unacknowledged octets of messages.
  static let window = 32_768
  /// What a message counts for in the window besides its octets, so that the number of short ones is bounded, too.
  static let messageCost = 16
  /// The limit of messages that wait on either side of the application, however short they are.
  static let mostWaiting = 2_048
  /// The maximum length of an attribute value, whatever the link allows.
  static let longestValue = 512
}

/// The other side has violated the protocol.
struct ChatViolation: Error, Equatable {
  let message: String
  init(_ message: String) { self.message = message }
}
