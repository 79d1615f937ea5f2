import BLECapture
import BLECore
import BLEWire

/// Finds the causes of events: the call behind a request, the request behind a response, the packet behind a callback, and, where both sides
/// of a link were recorded, what was sent behind what was received. By order, direction and attribute; a capture says no more.
///
/// Rows are given in order. Causes are always earlier rows. Memory is bounded: what is too old to be remembered is not joined.
struct TimelineJoins {
  /// The limit of each of the tables; at the limit all of that table is dropped.
  private static let limit = 2_048

  private var programs: [Int: ProgramJoins] = [:]
  /// The row of the request, or the indication, that waits for an answer, by link and direction.
  private var requests: [Way: Request] = [:]
  /// The latest row of each command.
  private var commands: [Command: Request] = [:]
  /// The latest frame of the Security Manager on a link.
  private var security: [CapturedFrames.Link: Int] = [:]
  private var signaling: [SignalingKey: Request] = [:]
  /// Frames that were sent and not received so far, with their device.
  private var underWay: [Frame: [(row: Int, device: Int)]] = [:]

  private struct Way: Hashable {
    let link: CapturedFrames.Link
    let direction: CaptureDirection
  }

  private struct Command: Hashable {
    let device: Int
    let opcode: UInt16
  }

  private struct SignalingKey: Hashable {
    let way: Way
    let identifier: UInt8
  }

  private struct Frame: Hashable {
    let channel: UInt16
    let payload: ArraySlice<UInt8>
  }

  private struct Request {
    let row: Int
    let call: Int?
    let attribute: AttributeHandle?
    let attributeType: BLEUUID?
  }

  // MARK: Programs

  mutating func causes(of step: ProgramStep, row: Int, device: Int) -> [Int] {
    programs[device, default: ProgramJoins()].causes(of: step, row: row)
  }

  // MARK: Packets

  mutating func causes(of facts: PacketFacts, row: Int, device: Int) -> [Int] {
    var causes: [Int] = []
    var request: Request?
    if facts.isSent {
      request = programs[device]?.cause(of: facts).map {
        Request(row: $0, call: $0, attribute: facts.attribute, attributeType: facts.attributeType)
      }
      if let request { causes.append(request.row) }
    }
    let answered = answered(by: facts, row: row, device: device, call: request?.call)
    if let answered { causes.append(answered.row) }
    if let sent = crossed(facts, row: row, device: device) { causes.append(sent) }
    if !facts.isSent || facts.act == .event(0x13) {
      programs[device, default: ProgramJoins()].arrived(
        facts, row: row, call: answered?.call, attribute: facts.attribute ?? answered?.attribute,
        attributeType: facts.attributeType ?? answered?.attributeType)
    }
    return causes
  }

  /// What a packet answers; what waits for an answer itself is remembered.
  private mutating func answered(by facts: PacketFacts, row: Int, device: Int, call: Int?) -> Request? {
    let request = Request(row: row, call: call, attribute: facts.attribute, attributeType: facts.attributeType)
    switch facts.act {
    case .command(let opcode):
      Self.makeRoom(&commands)
      commands[Command(device: device, opcode: opcode)] = request
      return nil
    case .answer(let opcode): return commands[Command(device: device, opcode: opcode)]
    case .event(let code):
      guard let opcodes = Self.commandsBehind[code] else { return nil }
      return opcodes.compactMap { commands[Command(device: device, opcode: $0)] }.max { $0.row < $1.row }
    case .attribute(let code): return facts.frame.flatMap { answered(byAttribute: ATTOpcode(code), $0, request) }
    case .signaling(let code): return facts.frame.flatMap { answered(bySignaling: code, $0, request) }
    case .security:
      guard let link = facts.frame?.link else { return nil }
      Self.makeRoom(&security)
      return security.updateValue(row, forKey: link).map {
        Request(row: $0, call: nil, attribute: nil, attributeType: nil)
      }
    case .other: return nil
    }
  }

  private mutating func answered(
    byAttribute opcode: ATTOpcode, _ frame: CapturedFrame, _ request: Request
  ) -> Request? {
    switch opcode.role {
    case .request?, .indication?:
      Self.makeRoom(&requests)
      requests[Way(link: frame.link, direction: frame.direction)] = request
      return nil
    case .response?, .confirmation?:
      return requests.removeValue(
        forKey: Way(link: frame.link, direction: frame.direction == .sent ? .received : .sent))
    default: return nil
    }
  }

  private mutating func answered(
    bySignaling code: UInt8, _ frame: CapturedFrame, _ request: Request
  ) -> Request? {
    guard let identifier = frame.payload.dropFirst().first else { return nil }
    // Requests have even codes, but for the two of credit based connections; a command reject answers any.
    let isAnswer = [0x01, 0x07, 0x13, 0x15, 0x18, 0x1A].contains(code)
    let direction = isAnswer ? (frame.direction == .sent ? CaptureDirection.received : .sent) : frame.direction
    let key = SignalingKey(way: Way(link: frame.link, direction: direction), identifier: identifier)
    if isAnswer { return signaling.removeValue(forKey: key) }
    Self.makeRoom(&signaling)
    signaling[key] = request
    return nil
  }

  /// The row of the frame that another recorded device sent.
  private mutating func crossed(_ facts: PacketFacts, row: Int, device: Int) -> Int? {
    guard let frame = facts.frame, facts.kind != .air else { return nil }
    let key = Frame(channel: frame.channel.rawValue, payload: frame.payload)
    if facts.isSent {
      Self.makeRoom(&underWay)
      var rows = underWay[key] ?? []
      // Repeated frames: the latest few.
      if rows.count >= 64 { rows.removeFirst() }
      rows.append((row, device))
      underWay[key] = rows
      return nil
    }
    guard var rows = underWay[key], let index = rows.firstIndex(where: { $0.device != device }) else { return nil }
    let sent = rows.remove(at: index)
    underWay[key] = rows.isEmpty ? nil : rows
    return sent.row
  }

  private static func makeRoom<Key, Value>(_ table: inout [Key: Value]) {
    if table.count >= limit { table.removeAll(keepingCapacity: true) }
  }

  /// The commands that events come from, besides those that answer commands.
  private static let commandsBehind: [UInt16: [UInt16]] = [
    0x3E01: [0x200D], 0x3E0A: [0x200D, 0x2043], 0x3E29: [0x2043], 0x05: [0x0406], 0x08: [0x2019], 0x30: [0x2019],
    0x59: [0x2019], 0x0C: [0x041D], 0x3E03: [0x2013], 0x3E04: [0x2016], 0x3E0C: [0x2032], 0x3E07: [0x2022],
  ]
}
