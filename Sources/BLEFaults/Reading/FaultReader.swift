import BLECore
import BLEText
import BLEWire

/// Reads faults from JSON. Mistakes are recorded with their positions, and reading continues.
struct FaultReader {
  let mistakes: MistakeList

  private static let longestWord = 128

  func file(_ json: PositionedJSON) -> [Fault]? {
    guard var file = FileObject(json, "the file of faults", mistakes) else { return nil }
    _ = file.required("format") { (json) throws(PositionedError) in
      let text = try json.text(longest: Self.longestWord, "the format")
      guard text == FaultFile.formatName else {
        throw PositionedError(json.position, "expected \"\(FaultFile.formatName)\", found \"\(text.inert)\"")
      }
      return text
    }
    let faults = file.required("faults") { (json) throws(PositionedError) -> [Fault]? in
      guard case .array(let entries) = json.content else { throw json.expected("a list of faults") }
      guard entries.count <= FaultFile.mostFaults else {
        throw PositionedError(json.position, "at most \(FaultFile.mostFaults) faults, found \(entries.count)")
      }
      return entries.compactMap { fault($0) }
    }
    file.finish()
    return faults
  }

  func fault(_ json: PositionedJSON) -> Fault? {
    guard var object = FileObject(json, "a fault", mistakes) else { return nil }
    let trigger = object.required("when") { (json) -> FaultTrigger? in self.trigger(json) }
    let action = object.required("what") { (json) -> FaultAction? in self.action(json) }
    object.finish()
    guard let trigger, let action else { return nil }
    let fault = Fault(trigger, action)
    guard let mistake = fault.mistake else { return fault }
    mistakes.note(PositionedError(json.position, mistake))
    return nil
  }

  // MARK: When

  private func trigger(_ json: PositionedJSON) -> FaultTrigger? {
    guard var object = FileObject(json, "\"when\"", mistakes) else { return nil }
    let before = mistakes.count
    var events: [FaultEvent] = []
    for (key, make) in FaultEvent.operations {
      let target = object.optional(key) { (json) throws(PositionedError) in try Self.target(json) }
      if let target { events.append(make(target)) }
    }
    let sender: FaultSender? = object.optional("from") { (json) throws(PositionedError) in
      try json.word("a side")
    }
    let kind = object.optional("packet") { (json) throws(PositionedError) in try Self.packetKind(json) }
    if let kind { events.append(.packet(kind, from: sender)) }
    let phase: FaultPhase? = object.optional("phase") { (json) throws(PositionedError) in try json.word("a phase") }
    if let phase { events.append(.phase(phase)) }
    if let time = object.optional("time", Self.duration) { events.append(.time(time)) }
    if let time = object.optional("connection_time", Self.duration) { events.append(.connectionTime(time)) }

    var occurrences: [FaultOccurrence] = []
    func count(_ key: String, _ make: (Int) -> FaultOccurrence) {
      let number = object.optional(key) { (json) throws(PositionedError) in
        try json.wholeNumber(Fault.Limits.counts, "a count")
      }
      if let number { occurrences.append(make(number)) }
    }
    count("nth") { .nth($0) }
    count("starting_with") { .startingWith($0) }
    count("first") { .first($0) }
    let isEvery = object.optional("every") { (json) throws(PositionedError) in try json.boolean() }
    if isEvery == true { occurrences.append(.every) }
    let chance = object.optional("chance") { (json) throws(PositionedError) in try Self.chance(json) }
    if let chance { occurrences.append(.chance(perMille: chance)) }
    object.finish()

    guard mistakes.count == before else { return nil }
    guard events.count == 1, let event = events.first else {
      let words = FaultEvent.keys.map { "\"\($0)\"" }.joined(separator: ", ")
      mistakes.note(PositionedError(json.position, "\"when\" needs exactly one of \(words), found \(events.count)"))
      return nil
    }
    guard occurrences.count <= 1 else {
      mistakes.note(
        PositionedError(
          json.position,
          "\"when\" has at most one of \"nth\", \"starting_with\", \"first\", \"every\", \"chance\""))
      return nil
    }
    if sender != nil, kind == nil {
      mistakes.note(PositionedError(json.position, "\"from\" belongs to a \"packet\""))
      return nil
    }
    if case .time = event, !occurrences.isEmpty {
      mistakes.note(PositionedError(json.position, "\"time\" comes once"))
      return nil
    }
    return FaultTrigger(event, occurrences.first ?? .nth(1))
  }

  /// "any", "2A37", "2A37/2901" for a descriptor, "0x0012" for a handle.
  private static func target(_ json: PositionedJSON) throws(PositionedError) -> FaultTarget {
    let expected = "\"any\", a characteristic's UUID, UUID/UUID for a descriptor, or a handle such as \"0x0012\""
    guard case .string = json.content else { throw json.expected(expected) }
    let text = try json.text(longest: longestWord, "an attribute")
    if text == "any" { return .any }
    if text.hasPrefix("0x"), let handle = UInt16(text.dropFirst(2), radix: 16), handle > 0 {
      return .handle(AttributeHandle(handle))
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let uuids = parts.compactMap { BLEUUID($0) }
    switch (parts.count, uuids.count) {
    case (1, 1): return .characteristic(uuids[0])
    case (2, 2): return .descriptor(uuids[1], of: uuids[0])
    default: throw PositionedError(json.position, "expected \(expected), found \"\(text.inert)\"")
    }
  }

  private static func packetKind(_ json: PositionedJSON) throws(PositionedError) -> FaultPacketKind {
    guard case .string = json.content else { throw json.expected("the name of a packet in the specification") }
    let text = try json.text(longest: longestWord, "the name of a packet")
    if let kind = FaultPacketKind.named(text) { return kind }
    let suggestion = Suggestion.sentence(for: text, among: FaultPacketKind.names)
    throw PositionedError(
      json.position,
      "expected the name of a packet, such as \"ATT_READ_RSP\" or \"Pairing Request\", found \"\(text.inert)\"\(suggestion)"
    )
  }

  /// Seconds, from 0.001 to 86,400.
  static func duration(_ json: PositionedJSON) throws(PositionedError) -> Duration {
    guard case .number(let value) = json.content else { throw json.expected("a number of seconds") }
    let milliseconds = (value * 1_000).rounded()
    guard milliseconds >= 1, milliseconds <= 86_400_000 else {
      throw PositionedError(json.position, "expected 0.001 to 86400 seconds")
    }
    return .milliseconds(Int64(milliseconds))
  }

  /// A probability from 0.001 to 1, in thousandths.
  private static func chance(_ json: PositionedJSON) throws(PositionedError) -> Int {
    guard case .number(let value) = json.content else { throw json.expected("a probability") }
    let thousandths = (value * 1_000).rounded()
    guard thousandths >= 1, thousandths <= 1_000 else {
      throw PositionedError(json.position, "expected a probability from 0.001 to 1")
    }
    return Int(thousandths)
  }
}
