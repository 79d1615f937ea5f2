public import BLEAdapter
import BLECore

/// A running program of this user, with the counters of its adapters.
public struct ProgramCounters: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public let adapter: AdapterName
    public let counters: AdapterCounters
  }

  /// Its name; empty if it does not report one.
  public let program: String
  /// In the order of the adapters' names.
  public let entries: [Entry]

  public init(program: String, counters: [AdapterName: AdapterCounters]) {
    self.program = program
    entries = counters.map { Entry(adapter: $0.key, counters: $0.value) }
      .sorted { $0.adapter.description < $1.adapter.description }
  }
}

// The format in which one program sends its counters to another: lines of words.

extension ProgramCounters {
  /// The maximum length of a text in octets; a longer one is refused.
  static let textLimit = 32_768
  /// The maximum number of adapters of one program, and of reasons for the ends of links.
  private static let entryLimit = 16
  private static let reasonLimit = 32
  private static let title = "swift-corebluetooth counters 1"

  var text: String {
    var lines = [Self.title, "program \(program.filter { !$0.isNewline }.prefix(64))"]
    for entry in entries.prefix(Self.entryLimit) {
      let counters = entry.counters
      lines += [
        "adapter \(entry.adapter)", "resets \(counters.resets)", "restarted-scans \(counters.restartedScans)",
      ]
      lines += counters.lostLinks.map { "lost \($0.key.word) \($0.value)" }.sorted().prefix(Self.reasonLimit)
      if let sent = counters.sentOctets { lines.append("sent \(sent)") }
      if let received = counters.receivedOctets { lines.append("received \(received)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Parses the text of a program. Another version may send more: unknown words are ignored; `nil` if the text is something else.
  init?(_ octets: [UInt8]) {
    let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n")
    guard octets.count <= Self.textLimit, lines.first.map(String.init) == Self.title else { return nil }
    var program = ""
    var found: [AdapterName: AdapterCounters] = [:]
    var adapter: AdapterName?
    for line in lines.dropFirst() {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      switch words[0] {
      case "program": program = String(words[1].prefix(64))
      case "adapter":
        adapter = found.count < Self.entryLimit ? try? AdapterName(String(words[1])) : nil
        if let adapter { found[adapter] = AdapterCounters() }
      default: if let adapter { Self.read(words[0], words[1], into: &found[adapter, default: AdapterCounters()]) }
      }
    }
    self.init(program: program, counters: found)
  }

  private static func read(_ name: Substring, _ text: Substring, into counters: inout AdapterCounters) {
    switch name {
    case "resets": counters.resets = count(text)
    case "restarted-scans": counters.restartedScans = count(text)
    case "sent": counters.sentOctets = UInt64(text)
    case "received": counters.receivedOctets = UInt64(text)
    case "lost":
      let words = text.split(separator: " ")
      guard words.count == 2, let reason = EndReason(word: words[0]), counters.lostLinks.count < reasonLimit else {
        return
      }
      counters.lostLinks[reason] = count(words[1])
    default: break
    }
  }

  private static func count(_ text: Substring) -> Int { max(0, Int(text) ?? 0) }
}

extension EndReason {
  private static let words: [(reason: EndReason, word: String)] = [
    (.requested, "requested"), (.closedByPeer, "closed_by_peer"), (.lost, "lost"),
    (.failedToEstablish, "failed_to_establish"), (.timedOut, "timed_out"), (.poweredOff, "powered_off"),
    (.bondLost, "bond_lost"), (.encryptionTimedOut, "encryption_timed_out"), (.limitReached, "limit_reached"),
    (.protocolViolated, "protocol_violated"),
  ]

  /// The word for it in JSON: `closed_by_peer`, or `refused_62` with the HCI error code.
  public var word: String {
    if case .refused(let code) = self { return "refused_\(code)" }
    return Self.words.first { $0.reason == self }?.word ?? "other"
  }

  fileprivate init?(word: Substring) {
    if word.hasPrefix("refused_"), let code = UInt8(word.dropFirst(8)) {
      self = .refused(code: code)
    } else if let known = Self.words.first(where: { $0.word == word }) {
      self = known.reason
    } else {
      return nil
    }
  }
}
