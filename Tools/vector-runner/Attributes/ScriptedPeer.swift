import BLECore
import BLEHost

/// One entry of an exchange.
enum ScriptEntry: Equatable {
  case toServer([UInt8])
  case fromServer([UInt8])
  case local(LocalAction)
}

/// What happens on the side that is tested.
enum LocalAction: Equatable {
  case serverNotify(AttributeHandle, [UInt8])
  case serverIndicate(AttributeHandle, [UInt8])
  case expectNoResponse
  case subscriptionConfirmed
  case raiseLinkSecurityThenRetry
}

/// One way an exchange may go, and what it must lead to.
struct ScriptSequence {
  let entries: [ScriptEntry]
  let expected: JSONValue
  var position = 0

  var next: ScriptEntry? { position < entries.count ? entries[position] : nil }
}

/// The peer of a test: it keeps every sequence that agrees with what it has seen, and answers from the first of them.
struct ScriptedPeer {
  typealias NotUnderstood = AttributeVectors.NotUnderstood

  private(set) var sequences: [ScriptSequence]
  /// How a test is judged.
  let portability: String
  let hasAlternatives: Bool

  init(_ test: JSONValue) throws {
    let expected = test["expected"] ?? .object([:])
    portability = test["portability"]?.string ?? ""
    var all = [ScriptSequence(entries: try Self.entries(test), expected: expected)]
    switch portability {
    case "spec": hasAlternatives = false
    case "implementation-choice", "spec-or-choice":
      let alternatives = test["alternatives"]?.array ?? []
      hasAlternatives = !alternatives.isEmpty
      for alternative in alternatives {
        all.append(
          ScriptSequence(entries: try Self.entries(alternative), expected: alternative["expected"] ?? expected))
      }
    default: throw NotUnderstood("portability \(portability)")
    }
    sequences = all
  }

  var first: ScriptSequence? { sequences.first }
  /// The first sequence that was played to its end.
  var finished: ScriptSequence? { sequences.first { $0.next == nil } }

  /// Keeps the sequences that go on with `entry`, behind it. False, and nothing changes, where none does.
  mutating func advance(past entry: ScriptEntry) -> Bool {
    let kept = sequences.filter { $0.next == entry }
    guard !kept.isEmpty else { return false }
    sequences = kept
    for index in sequences.indices { sequences[index].position += 1 }
    return true
  }

  /// A description of a PDU that no sequence continues with.
  func mismatch(_ got: [UInt8]) -> String {
    guard let first else { return "sent \(got.hexadecimal)" }
    let wanted: String
    switch first.next {
    case .toServer(let octets), .fromServer(let octets): wanted = octets.hexadecimal
    case .local(let action): wanted = "\(action)"
    case nil: wanted = "nothing more"
    }
    return "pdus[\(first.position)]: wanted \(wanted), got \(got.hexadecimal)"
  }

  private static func entries(_ json: JSONValue) throws -> [ScriptEntry] {
    try json.entries("pdus").map { entry in
      switch entry["dir"]?.string {
      case "to_server": return .toServer(try entry.octets("hex"))
      case "from_server": return .fromServer(try entry.octets("hex"))
      case "local": return .local(try action(entry))
      default: throw NotUnderstood("dir")
      }
    }
  }

  private static func action(_ entry: JSONValue) throws -> LocalAction {
    switch entry["action"]?.string {
    case "server_notify": return .serverNotify(try entry.handle("handle"), try entry.octets("value"))
    case "server_indicate": return .serverIndicate(try entry.handle("handle"), try entry.octets("value"))
    case "expect_no_response": return .expectNoResponse
    case "subscription_confirmed": return .subscriptionConfirmed
    case "raise_link_security_then_retry": return .raiseLinkSecurityThenRetry
    default: throw NotUnderstood("action")
    }
  }
}

/// The channel of the side that is tested: what it sends is kept in order.
final class VectorChannel: ATTChannel {
  let headroom = 0
  let isCongested = false
  private var sent: [[UInt8]] = []
  /// PDUs that were sent, whatever became of them.
  private(set) var all: [[UInt8]] = []

  func send(_ pdu: consuming ByteWriter, sent completion: (() -> Void)?) {
    let octets = pdu.octets
    sent.append(octets)
    all.append(octets)
  }

  var isEmpty: Bool { sent.isEmpty }
  func take() -> [UInt8]? { sent.isEmpty ? nil : sent.removeFirst() }
}
