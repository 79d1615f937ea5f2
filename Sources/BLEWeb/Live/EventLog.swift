import BLEReports

/// The last events and calls, which all browsers show, and which a page that is loaded again still has.
struct EventLog: Sendable {
  /// The packets that an entry came with: after the first of these numbers, up to the second.
  typealias Packets = (after: UInt64, through: UInt64)

  struct Entry: Sendable {
    let number: UInt64
    /// Milliseconds since 1970, by the machine's clock.
    let time: Int
    let kind: String
    /// A JSON document.
    let data: String
    let packets: Packets

    var size: Int { data.utf8.count + 64 }
  }

  struct Limits: Sendable {
    var entries = 20_000
    /// Octets of all entries.
    var size = 16 << 20
  }

  /// The tables of devices and of a fleet change four times a second: that is no news.
  private static let passing: Set = ["devices", "fleet"]
  /// A tree of services is long, and is in the session; a passkey is a secret until the pairing has ended, and where it is
  /// fixed, also later.
  private static let leftOut: Set = ["services", "passkey"]

  private let limits: Limits
  private(set) var entries = Queue<Entry>()
  private(set) var size = 0
  /// The number of the last entry that is not kept any more; 0 where all are.
  private var forgotten: UInt64 = 0
  /// The packets of the entries so far.
  private var packets: UInt64 = 0

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// - Parameter first: the packets before the call that the event is about; those of the entry before where there is none.
  /// - Returns: the packets of the entry.
  @discardableResult mutating func append(
    _ number: UInt64, _ kind: String, _ data: JSONValue, at time: Int, packets last: UInt64, after first: UInt64? = nil
  ) -> Packets {
    guard !Self.passing.contains(kind) else { return (last, last) }
    let entry = Entry(
      number: number, time: time, kind: kind, data: data.without(Self.leftOut).text,
      packets: (min(first ?? packets, last), last))
    packets = last
    entries.append(entry)
    size += entry.size
    while entries.count > limits.entries || size > limits.size, let oldest = entries.first {
      size -= oldest.size
      forgotten = oldest.number
      entries.removeFirst()
    }
    return entry.packets
  }

  static func json(_ packets: Packets) -> JSONValue {
    ["after": .integer(Int(packets.after)), "through": .integer(Int(packets.through))]
  }

  /// Those after that number, oldest first, `count` at the most: the newest.
  func entries(after number: UInt64, count: Int) -> ArraySlice<Entry> {
    var (low, high) = (0, entries.count)
    let all = entries.dropFirst(0)
    while low < high {
      let middle = (low + high) / 2
      if all[all.startIndex + middle].number > number { high = middle } else { low = middle + 1 }
    }
    return all.dropFirst(low).suffix(count)
  }

  /// Whether there were entries between that number and the first of these, which are the answer for it.
  func lacks(_ found: ArraySlice<Entry>, after number: UInt64) -> Bool {
    number < forgotten || entries(after: number, count: .max).count > found.count
  }
}

extension EventLog.Entry {
  /// As a JSON document.
  var text: String {
    let head: JSONValue = [
      "number": .integer(Int(number)), "time_ms": .integer(time), "kind": .string(kind),
      "packets": EventLog.json(packets),
    ]
    return "\(head.text.dropLast()),\"data\":\(data)}"
  }
}

extension JSONValue {
  fileprivate func without(_ names: Set<String>) -> JSONValue {
    guard case .object(let members) = self, members.contains(where: { names.contains($0.key) }) else { return self }
    return .object(members.filter { !names.contains($0.key) })
  }
}
