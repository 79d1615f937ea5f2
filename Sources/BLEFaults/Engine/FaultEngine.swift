import BLECore
import BLEWire

/// Decides what becomes of each packet of a device, and what happens to the device: a state machine without I/O, for all links of one host.
///
/// Its owner gives it packets and changes of links, carries out what is returned, in that order, and calls `advance(to:)` at `deadline`.
/// All arguments `now` are times of one clock that does not go back.
public struct FaultEngine {
  private var entries: [Entry]
  var links: [UInt64: Link] = [:]
  /// Packets that arrive later, and packets that wait for a next one, in the order in which they came.
  var waiting: [Waiting] = []
  private let chance: SeededEntropy
  private let start: StackInstant
  /// Nothing passes before it, where the radio cannot be silent.
  private var silentUntil: StackInstant?

  private struct Entry {
    let fault: Fault
    var count = 0
    /// Whether it is removed when it has struck.
    var isOnce = false
    var isOver = false
  }

  struct Link {
    let established: StackInstant
    /// Faults that concern the next answer, by who sends that.
    var answers: [FaultSender: [FaultAction]] = [:]
    /// Whether the answer is to a request for a value, whose octets are counted in the value.
    var countsValue = true
    /// What the device sends waits until then.
    var fullUntil: StackInstant?
    /// Faults with a time since the connection that are still to come, by their place in the list.
    var pending: [(due: StackInstant, entry: Int)] = []
  }

  struct Waiting {
    let due: StackInstant
    let packet: FaultPacket
    /// Whether the next packet of its channel and direction lets it pass.
    let isSwapped: Bool
  }

  /// How long a packet waits for one that it changes places with.
  static let swapLimit = StackDuration.seconds(1)
  /// The number of waiting packets beyond which a fault delays no more.
  static let mostWaiting = 4_096

  /// - Parameters:
  ///   - faults: in the order in which they apply to one packet.
  ///   - chance: for probabilities.
  public init(faults: [Fault], chance: SeededEntropy, now: StackInstant) {
    entries = faults.map { Entry(fault: $0) }
    self.chance = chance
    start = now
  }

  /// The faults that can still strike, or that have struck before; those that were caused once are left out when they are over.
  public var faults: [Fault] { entries.filter { !$0.isOnce }.map(\.fault) }

  /// When `advance(to:)` has something to do; `nil` if nothing waits.
  public var deadline: StackInstant? {
    var first = waiting.map(\.due).min()
    for entry in entries where !entry.isOver {
      if case .time(let time) = entry.fault.trigger.event { first = earlier(first, start + StackDuration(time)) }
    }
    for link in links.values { for pending in link.pending { first = earlier(first, pending.due) } }
    return first
  }

  /// Whether packets wait for their time, or for another packet.
  public var holdsPackets: Bool { !waiting.isEmpty }

  private func earlier(_ first: StackInstant?, _ other: StackInstant) -> StackInstant {
    first.map { min($0, other) } ?? other
  }

  // MARK: Inputs

  /// A link was established, or existed before the engine.
  public mutating func linkOpened(_ number: UInt64, now: StackInstant) -> [FaultOutput] {
    links[number] = Link(established: now)
    for index in entries.indices {
      guard case .connectionTime(let time) = entries[index].fault.trigger.event, occurs(index) else { continue }
      links[number]?.pending.append((now + StackDuration(time), index))
    }
    return phaseBegan(.connecting, link: number, now: now)
  }

  /// A link has ended. Its packets are dropped.
  public mutating func linkClosed(_ number: UInt64) -> [FaultOutput] {
    links[number] = nil
    let lost = waiting.filter { $0.packet.link == number }
    waiting.removeAll { $0.packet.link == number }
    return lost.map { .drop(number: $0.packet.number) }
  }

  /// A phase has begun that no packet shows.
  public mutating func phaseBegan(_ phase: FaultPhase, link: UInt64?, now: StackInstant) -> [FaultOutput] {
    var outputs: [FaultOutput] = []
    for index in entries.indices where entries[index].fault.trigger.event == .phase(phase) && occurs(index) {
      strike(index, link: link, now: now, &outputs)
    }
    return outputs
  }

  /// Lets nothing pass for this long, for a device whose radio cannot be silent.
  public mutating func silence(for time: StackDuration, now: StackInstant) { silentUntil = now + time }

  /// Adds a fault that strikes once: at once if it needs no packet, otherwise at the next occurrence of its event.
  public mutating func cause(_ fault: Fault, now: StackInstant) -> [FaultOutput] {
    guard fault.mistake == nil else { return [] }
    entries.append(Entry(fault: .at(fault.trigger.event, .nth(1), fault.action), isOnce: true))
    guard !fault.action.needsPacket else { return [] }
    var outputs: [FaultOutput] = []
    let newest = links.keys.max()
    entries[entries.count - 1].isOver = true
    strike(entries.count - 1, link: newest, now: now, &outputs)
    entries.removeLast()
    return outputs
  }

  /// A packet comes from the device or from its peer.
  public mutating func take(_ packet: FaultPacket, now: StackInstant) -> [FaultOutput] {
    if let silentUntil, now < silentUntil { return [.drop(number: packet.number)] }
    // What is due does not come after what arrives now.
    var outputs = waiting.isEmpty ? [] : advance(to: now)
    var actions = takeAnswer(packet)
    // Octets are counted in the value where every fault that applies is one of an operation.
    var start = links[packet.link]?.countsValue == true && !actions.isEmpty ? packet.valueStart : 0
    var isLost = false
    for index in entries.indices {
      let fault = entries[index].fault
      guard !entries[index].isOver, fault.trigger.event.matches(packet), occurs(index) else { continue }
      let isRequest = packet.opcode?.role == .request
      switch fault.action {
      case .error(let code) where isRequest:
        isLost = true
        outputs.append(.pass(packet.answer(Self.errorResponse(to: packet, code))))
      case .noAnswer where isRequest || packet.opcode == .handleValueIndication:
        expectAnswer(to: packet, .drop, fault)
      case .disconnect: isLost = true
      case .drop: isLost = true
      case _ where !fault.action.needsPacket: break
      case _ where fault.trigger.event.concernsAnswer && isRequest: expectAnswer(to: packet, fault.action, fault)
      default:
        if fault.trigger.event.concernsValue { start = packet.valueStart }
        actions.append(fault.action)
      }
      strike(index, link: packet.link, now: now, &outputs)
    }
    entries.removeAll { $0.isOnce && $0.isOver }
    if isLost { return outputs + [.drop(number: packet.number)] }
    return outputs + changed(packet, by: actions, from: start, now: now)
  }

  /// Time has passed.
  public mutating func advance(to now: StackInstant) -> [FaultOutput] {
    var outputs: [FaultOutput] = []
    let due = waiting.enumerated().filter { $0.element.due <= now }
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
    waiting.removeAll { $0.due <= now }
    for (_, element) in due { outputs.append(.pass(element.packet)) }
    for index in entries.indices where !entries[index].isOver {
      guard case .time(let time) = entries[index].fault.trigger.event, start + StackDuration(time) <= now else {
        continue
      }
      entries[index].isOver = true
      strike(index, link: nil, now: now, &outputs)
    }
    for number in links.keys.sorted() {
      let pending = links[number]?.pending.filter { $0.due <= now } ?? []
      links[number]?.pending.removeAll { $0.due <= now }
      for (_, index) in pending { strike(index, link: number, now: now, &outputs) }
    }
    return outputs
  }

  // MARK: Striking

  /// Counts an occurrence of the fault's event and returns whether it strikes.
  private mutating func occurs(_ index: Int) -> Bool {
    guard !entries[index].isOver else { return false }
    entries[index].count += 1
    let count = entries[index].count
    switch entries[index].fault.trigger.occurrence {
    case .nth(let number):
      if count >= number { entries[index].isOver = true }
      return count == number
    case .every: return true
    case .startingWith(let number): return count >= number
    case .first(let number):
      if count >= number { entries[index].isOver = true }
      return count <= number
    case .chance(let share): return chance.uniform(0..<1_000) < UInt64(max(0, share))
    }
  }

  private mutating func strike(_ index: Int, link: UInt64?, now: StackInstant, _ outputs: inout [FaultOutput]) {
    let fault = entries[index].fault
    outputs.append(.strike(fault, link: link))
    guard !fault.action.needsPacket else { return }
    let concerned = link.map { [$0] } ?? links.keys.sorted()
    switch fault.action {
    case .fillQueue(let time): for number in concerned { links[number]?.fullUntil = now + StackDuration(time) }
    case .send(let channel, let octets):
      for number in concerned {
        outputs.append(
          .pass(FaultPacket(link: number, number: 0, sender: .device, channel: channel.identifier, octets: octets)))
      }
    default: outputs.append(.perform(fault.action, link: link))
    }
  }

  private mutating func expectAnswer(to packet: FaultPacket, _ action: FaultAction, _ fault: Fault) {
    let sender: FaultSender = packet.sender == .device ? .peer : .device
    links[packet.link]?.answers[sender, default: []].append(action)
    links[packet.link]?.countsValue = fault.trigger.event.concernsValue
  }

  /// The faults that were waiting for this answer.
  private mutating func takeAnswer(_ packet: FaultPacket) -> [FaultAction] {
    guard let role = packet.opcode?.role, role == .response || role == .confirmation else { return [] }
    return links[packet.link]?.answers.removeValue(forKey: packet.sender) ?? []
  }

  private static func errorResponse(to packet: FaultPacket, _ code: ATTErrorCode) -> [UInt8] {
    ATTErrorResponse(
      requestOpcodeInError: packet.opcode ?? ATTOpcode(0), attributeHandleInError: packet.handle ?? AttributeHandle(0),
      errorCode: code
    ).pdu
  }
}

extension FaultChannel {
  fileprivate var identifier: ChannelIdentifier {
    switch self {
    case .attributeProtocol: .attributeProtocol
    case .securityManager: .securityManager
    case .signaling: .lowEnergySignaling
    }
  }
}
