import BLECore
import BLEWire

/// The commands of one host, in order (Core, Vol 4 Part E 4.4).
///
/// At most one is with the controller at a time, as the widest used hosts do it: then an answer belongs to one command only,
/// whatever the controller says. The next goes when the answer is there and the controller takes commands.
struct HCICommandQueue {
  /// The answer to a command: the return parameters' octets, beginning with a status of success.
  typealias Completion = (Result<ArraySlice<UInt8>, HCICommandError>) -> Void

  struct Entry {
    let opcode: HCIOpcode
    let isAnsweredByStatus: Bool
    let packet: HCIPacket
    let completion: Completion
  }

  private var waiting = FIFO<Entry>()
  private(set) var inFlight: Entry?
  /// How many commands the controller takes now.
  private var credits = 1

  /// The command that the controller owes an answer or, where it takes none, the first that waits.
  var pendingOpcode: HCIOpcode? { inFlight?.opcode ?? waiting.first?.opcode }

  mutating func append(_ entry: Entry) { waiting.append(entry) }

  /// The command to send now, if there is one.
  mutating func takeNext() -> HCIPacket? {
    guard inFlight == nil, credits > 0, let entry = waiting.popFirst() else { return nil }
    inFlight = entry
    credits -= 1
    return entry.packet
  }

  mutating func updateCredits(_ credits: UInt8) { self.credits = Int(credits) }

  /// The command that waits for this answer; `nil` where none does.
  mutating func takeAnswered(_ opcode: HCIOpcode, byStatus status: HCIErrorCode?) -> Entry? {
    guard let entry = inFlight, entry.opcode == opcode else { return nil }
    // A command that ends by Command Complete may be refused by Command Status, but cannot have begun by it.
    if let status, status.isSuccess, !entry.isAnsweredByStatus { return nil }
    inFlight = nil
    return entry
  }

  /// Everything that was sent or waits, in order; the queue is as new.
  mutating func takeAll() -> [Entry] {
    var all: [Entry] = []
    if let inFlight { all.append(inFlight) }
    while let entry = waiting.popFirst() { all.append(entry) }
    self = HCICommandQueue()
    return all
  }
}
