import BLESession
import CoreBluetooth

/// The numbers that both sides of a chat agree on. `Docs/chat.md` has every octet.
enum ChatProtocol {
  /// The service, and the characteristic that plain text goes over, as every app can.
  static let service = CBUUID(string: "FF11")
  static let plain = CharacteristicPath(CBUUID(string: "FF22"), in: service)
  /// The characteristic that frames go over. Whoever has it, or writes to it, knows them; nobody else ever sees one.
  static let framed = CharacteristicPath(CBUUID(string: "5F6A0C1E-93D7-4B52-8E0B-FF1100000001"), in: service)

  static let version: UInt8 = 2
  /// The longest message, in octets.
  static let longestMessage = 1 << 20
  /// The longest frame, without the two octets of its length.
  static let longestFrame = 2048
  /// The longest piece of a message in one frame.
  static let longestPiece = 1024
  static let longestName = 64
  /// Octets of messages that may be on their way without having been acknowledged.
  static let window = 32_768
  /// What a message counts in the window besides its octets, so that tiny ones are bounded, too.
  static let messageCost = 16
  /// Messages that wait on either side of the application, however short they are.
  static let mostWaiting = 2_048
  /// An attribute's value has no more octets, whatever the link takes.
  static let longestValue = 512
}

/// The other side did something that the protocol does not have.
struct ChatViolation: Error, Equatable {
  let message: String
  init(_ message: String) { self.message = message }
}
