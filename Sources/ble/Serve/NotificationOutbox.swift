import BLEProfileFiles
import CoreBluetooth

/// Notifications that wait until the stack accepts them, in order.
@MainActor final class NotificationOutbox {
  private var entries: [(characteristic: ServedCharacteristic, value: [UInt8])] = []
  private static let limit = 256

  var first: (ServedCharacteristic, [UInt8])? { entries.first.map { ($0.characteristic, $0.value) } }

  /// Returns `false` if too many notifications are waiting.
  func append(_ value: [UInt8], for characteristic: ServedCharacteristic) -> Bool {
    guard entries.count < Self.limit else { return false }
    entries.append((characteristic, value))
    return true
  }

  func removeFirst() { entries.removeFirst() }
  func removeAll() { entries = [] }
  func removeAll(for characteristic: ServedCharacteristic) {
    entries.removeAll { $0.characteristic === characteristic }
  }

  func contains(_ characteristic: ServedCharacteristic) -> Bool {
    entries.contains { $0.characteristic === characteristic }
  }
}

extension ServedCharacteristic {
  /// The longest value that fits into one notification to every subscriber, in octets.
  var longestNotification: Int {
    let shortest = subscribers.map(\.maximumUpdateValueLength).min() ?? ValueFormat.longest
    return max(1, min(shortest, ValueFormat.longest))
  }
}

/// Splits a text into values of a maximum length in octets, between characters if possible.
struct TextPieces: Sequence {
  private let text: String
  private let longest: Int

  init(of text: String, atMost longest: Int) {
    self.text = text
    self.longest = longest
  }

  func makeIterator() -> AnyIterator<[UInt8]> {
    var pieces: [[UInt8]] = []
    var piece: [UInt8] = []
    for character in text {
      let octets = Array(character.utf8)
      if piece.count + octets.count > longest, !piece.isEmpty {
        pieces.append(piece)
        piece = []
      }
      piece += octets
      // A character that is longer than a value, such as a letter with many combining marks, is split.
      while piece.count > longest {
        pieces.append(Array(piece.prefix(longest)))
        piece.removeFirst(longest)
      }
    }
    if !piece.isEmpty { pieces.append(piece) }
    return AnyIterator(pieces.makeIterator())
  }
}
