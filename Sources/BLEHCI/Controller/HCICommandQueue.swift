import BLECore
import BLEWire

/// The commands of one host, in order (Core, Vol 4 Part E 4.4).
///
/// At most one is with the controller at a time, as in the most common hosts: then an answer belongs to one command only,
/// whatever the controller says. The next is sent after the answer, when the controller accepts commands.
struct HCICommandQueue {
  /// The result of a command: the octets of the return parameters, beginning with a status of success.
  typealias Completion = (Result<ArraySlice<UInt8>, HCICommandError>) -> Void

  struct Entry {
    let opcode: HCIOpcode
    let isAnsweredByStatus: Bool
    /// The packet's octets.
    let octets: [UInt8]
    let completion: Completion
  }

  private var waiting = FIFO<Entry>()
  private(set) var inFlight: Entry?
  /// The number of commands that the controller accepts now.
  private var credits = 1

  /// The command that the controller has not answered or, if it accepts none, the first that waits.
  var pendingOpcode: HCIOpcode? { inFlight?.opcode ?? waiting.first?.opcode }

  mutating func append(_ entry: Entry) { waiting.append(entry) }

  /// The command to send now, if any.
  mutating func takeNext() -> HCIPacket? {
    guard inFlight == nil, credits > 0, let entry = waiting.popFirst() else { return nil }
    inFlight = entry
    credits -= 1
    return HCIPacket(kind: .command, octets: entry.octets)
  }

  mutating func updateCredits(_ credits: UInt8) { self.credits = Int(credits) }

  /// The command that this answers; `nil` if there is none.
  mutating func takeAnswered(_ opcode: HCIOpcode, byStatus status: HCIErrorCode?) -> Entry? {
    guard let entry = inFlight, entry.opcode == opcode else { return nil }
    // A command that ends with Command Complete may be refused by Command Status, but is not started by it.
    if let status, status.isSuccess, !entry.isAnsweredByStatus { return nil }
    inFlight = nil
    return entry
  }

  /// Removes all sent and waiting commands, in order; the queue is as new.
  mutating func takeAll() -> [Entry] {
    defer { self = HCICommandQueue() }
    return (inFlight.map { [$0] } ?? []) + waiting.takeAll()
  }
}
