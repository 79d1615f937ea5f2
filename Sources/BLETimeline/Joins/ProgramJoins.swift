import BLECore
import BLEWire

/// Joins the calls and callbacks of the programs of one device to its packets.
struct ProgramJoins {
  /// The limits for calls and for packets that are remembered. Beyond them the oldest are forgotten.
  private static let callLimit = 256
  private static let arrivalLimit = 512

  /// A call that waits for its packets, or for its end.
  private struct Call {
    let row: Int
    let name: String
    let effect: ProgramVocabulary.Effect
    let attribute: AttributeHandle?
    let attributeType: BLEUUID?
    var hasBegun = false
  }

  /// A packet from which a callback may come.
  private struct Arrival {
    let act: PacketFacts.Act
    let row: Int
    let call: Int?
    let attribute: AttributeHandle?
    let attributeType: BLEUUID?
  }

  private var calls: [Call] = []
  /// Packets of links, and answers to commands, that no callback has come from.
  private var arrivals: [Arrival] = []
  /// The latest of each other event.
  private var latest: [PacketFacts.Act: Arrival] = [:]
  /// Requests of peers that programs were asked about and have not answered.
  private var questions: [Int] = []

  /// The row of the call that makes the host send this packet.
  mutating func cause(of facts: PacketFacts) -> Int? {
    func fits(_ call: Call) -> Bool {
      call.effect.acts.contains(facts.act)
        && (!call.effect.namesAttribute
          || Self.agree(call.attribute, call.attributeType, facts.attribute, facts.attributeType))
    }
    guard
      let index = calls.firstIndex(where: { !$0.hasBegun && fits($0) })
        ?? calls.lastIndex(where: { $0.hasBegun && fits($0) })
    else { return nil }
    let row = calls[index].row
    if calls[index].effect.hasEnd || calls[index].effect.acts.count > 3 && facts.kind == .command {
      calls[index].hasBegun = true
    } else {
      calls.remove(at: index)
    }
    return row
  }

  /// A packet came in.
  mutating func arrived(
    _ facts: PacketFacts, row: Int, call: Int?, attribute: AttributeHandle?, attributeType: BLEUUID?
  ) {
    let arrival = Arrival(
      act: facts.act, row: row, call: call, attribute: attribute, attributeType: attributeType)
    switch facts.act {
    case .other, .security, .command: return
    case .event:
      latest[facts.act] = arrival
      return
    case .answer, .attribute, .signaling: break
    }
    if arrivals.count >= Self.arrivalLimit { arrivals.removeFirst(Self.arrivalLimit / 2) }
    arrivals.append(arrival)
  }

  mutating func causes(of step: ProgramStep, row: Int) -> [Int] {
    step.direction == .call ? causes(ofCall: step, row: row) : causes(ofCallback: step, row: row)
  }

  private mutating func causes(ofCall step: ProgramStep, row: Int) -> [Int] {
    guard let name = step.words.first.map(String.init), let effect = ProgramVocabulary.effect(of: step) else {
      return []
    }
    if calls.count >= Self.callLimit { calls.removeFirst(Self.callLimit / 2) }
    calls.append(
      Call(
        row: row, name: name, effect: effect, attribute: step.attribute, attributeType: step.attributeType))
    guard name == "respond", !questions.isEmpty else { return [] }
    return [questions.removeFirst()]
  }

  private mutating func causes(ofCallback step: ProgramStep, row: Int) -> [Int] {
    guard let origin = ProgramVocabulary.origin(of: step) else { return [] }
    let ended = calls.firstIndex { call in
      origin.ends.contains(call.name)
        && (!origin.namesAttribute
          || Self.agree(call.attribute, call.attributeType, step.attribute, step.attributeType))
    }
    let call = ended.map { calls[$0].row }
    func fits(_ arrival: Arrival) -> Bool {
      guard origin.acts.contains(arrival.act) else { return false }
      if let required = origin.type, let type = arrival.attributeType, type != required { return false }
      // An answer to another call, or to what the host asked by itself, does not end this one.
      if case .attribute(let code) = arrival.act, !origin.ends.isEmpty, Self.isAnswer(code) {
        return arrival.call == call && call != nil
      }
      return !origin.namesAttribute
        || Self.agree(arrival.attribute, arrival.attributeType, step.attribute, step.attributeType)
    }
    guard let arrival = take(origin, fits) else {
      if let ended { calls.remove(at: ended) }
      return call.map { [$0] } ?? []
    }
    // A notification ends no read.
    if let ended, Self.endsCalls(arrival.act) { calls.remove(at: ended) }
    if step.words.contains(where: { $0 == "didReceiveRead" || $0 == "didReceiveWrite" }) {
      if questions.count >= Self.callLimit { questions.removeFirst() }
      questions.append(row)
    }
    return [arrival.row]
  }

  /// The packet that a callback comes from; no other callback gets it.
  private mutating func take(_ origin: ProgramVocabulary.Origin, _ fits: (Arrival) -> Bool) -> Arrival? {
    if let event = origin.acts.compactMap({ latest[$0] }).max(by: { $0.row < $1.row }) { return event }
    guard let index = origin.isLatest ? arrivals.lastIndex(where: fits) : arrivals.firstIndex(where: fits) else {
      return nil
    }
    let arrival = arrivals[index]
    if origin.isLatest {
      // What came before it belongs to the same callback.
      arrivals.removeAll { $0.row <= arrival.row && fits($0) }
    } else {
      arrivals.remove(at: index)
    }
    return arrival
  }

  private static func isAnswer(_ opcode: UInt8) -> Bool { ATTOpcode(opcode).role == .response }

  private static func endsCalls(_ act: PacketFacts.Act) -> Bool {
    if case .attribute(let code) = act { isAnswer(code) } else { true }
  }

  /// Whether both may be about one attribute: by handle where both have one, else by type, where both have that.
  private static func agree(
    _ handle: AttributeHandle?, _ type: BLEUUID?, _ otherHandle: AttributeHandle?, _ otherType: BLEUUID?
  ) -> Bool {
    if let handle, let otherHandle { return handle == otherHandle }
    if let type, let otherType { return type == otherType }
    return true
  }
}
