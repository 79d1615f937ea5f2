import BLEReports
import Foundation

/// What was said in a chat, on both sides, newest last.
struct ChatMessages: Sendable {
  enum Delivery: String, Sendable {
    case waiting, delivered, lost
  }

  private struct Entry: Sendable {
    /// Counts all messages of both sides, from 1.
    let number: Int
    let isOwn: Bool
    let text: String
    let isCut: Bool
    let time: Date
    /// What the chat calls an own message; `nil` until it has a place among those that wait.
    var chatNumber: Int?
    /// `nil` for one of the other side.
    var delivery: Delivery?
  }

  /// The most that are kept, and octets of them.
  private static let most = 500
  private static let mostOctets = 4 << 20
  /// Octets of a message that are shown: a longer one may be sent by others.
  private static let longestShown = 1 << 16

  private var entries: [Entry] = []
  private var octets = 0
  private var last = 0
  /// Messages whose delivery was told before their number.
  private var early: [Int: Delivery] = [:]

  /// Octets of own messages that are not delivered.
  var waiting: Int { entries.reduce(0) { $0 + ($1.delivery == .waiting ? $1.text.utf8.count : 0) } }

  /// A message of the other side.
  mutating func add(_ text: String) -> JSONValue {
    let isCut = text.utf8.count > Self.longestShown
    let shown = isCut ? String(decoding: Array(text.utf8.prefix(Self.longestShown)), as: UTF8.self) : text
    return Self.json(append(shown, isOwn: false, isCut: isCut, nil))
  }

  /// - Returns: its number.
  mutating func add(own text: String) -> Int { append(text, isOwn: true, isCut: false, .waiting).number }

  /// An own message has its place among those that wait.
  mutating func sent(_ number: Int, as chatNumber: Int) -> JSONValue {
    let known = early.removeValue(forKey: chatNumber)
    return change(number) { entry in
      entry.chatNumber = chatNumber
      if let known { entry.delivery = known }
    }
  }

  mutating func lose(_ number: Int) -> JSONValue { change(number) { $0.delivery = .lost } }

  /// What has become of own messages.
  mutating func settle(_ chatNumbers: [Int], _ delivery: Delivery) -> [JSONValue] {
    chatNumbers.compactMap { number in
      guard let index = entries.lastIndex(where: { $0.chatNumber == number }) else {
        // Those that are not kept any more are not waited for.
        if early.count < Self.most { early[number] = delivery }
        return nil
      }
      entries[index].delivery = delivery
      return Self.json(entries[index])
    }
  }

  /// Those that wait are lost.
  mutating func giveUp() -> [JSONValue] {
    entries.indices.filter { entries[$0].delivery == .waiting }.map { index in
      entries[index].delivery = .lost
      return Self.json(entries[index])
    }
  }

  private mutating func change(_ number: Int, _ work: (inout Entry) -> Void) -> JSONValue {
    guard let index = entries.lastIndex(where: { $0.number == number }) else { return [:] }
    var entry = entries[index]
    work(&entry)
    entries[index] = entry
    return Self.json(entry)
  }

  private mutating func append(_ text: String, isOwn: Bool, isCut: Bool, _ delivery: Delivery?) -> Entry {
    last += 1
    let entry = Entry(
      number: last, isOwn: isOwn, text: text, isCut: isCut, time: Date(), chatNumber: nil, delivery: delivery)
    entries.append(entry)
    octets += text.utf8.count
    while entries.count > Self.most || octets > Self.mostOctets { octets -= entries.removeFirst().text.utf8.count }
    return entry
  }

  var json: [JSONValue] { entries.map(Self.json) }

  private static func json(_ entry: Entry) -> JSONValue {
    [
      "number": .integer(entry.number), "own": .bool(entry.isOwn), "text": .string(entry.text),
      "cut": .bool(entry.isCut), "said_ms": .integer(Int(entry.time.timeIntervalSince1970 * 1_000)),
      "delivery": .string(orNull: entry.delivery?.rawValue),
    ]
  }
}
