import BLESession
import BLEText
import CoreBluetooth

/// `conversation`: the characteristics, the encoding of messages, and the handshake.
extension DeviceFileReader {
  func conversation(_ json: PositionedJSON) -> ReadConversation? {
    guard var object = FileObject(json, "the conversation", mistakes) else { return nil }
    let write = object.required("write", Self.path)
    let answers = object.optional("answers", Self.path)
    let codec = object.optional("codec") { (json) throws(PositionedError) -> DescribedCodecPlan? in
      let steps = try json.list("a list of steps", 0...8) { (json) in json }
      return self.codec(steps)
    }
    let handshake = object.member("handshake")
    let timeLimit = object.optional("time_limit", Self.seconds)
    let retries = object.optional("retries", Self.retries)
    object.finish()
    guard let write else { return nil }
    return ReadConversation(
      value: DeviceConversation(
        commandPath: write, answerPath: answers ?? write, codec: codec ?? DescribedCodecPlan(), handshake: nil),
      handshake: handshake, times: (timeLimit, retries))
  }

  static func path(_ json: PositionedJSON) throws(PositionedError) -> CharacteristicPath { try json.path() }
  static func retries(_ json: PositionedJSON) throws(PositionedError) -> Int {
    try json.integer(0...100, "a number of retries")
  }

  /// The steps in their order, starting at the payload.
  private func codec(_ steps: [PositionedJSON]) -> DescribedCodecPlan {
    var plan = DescribedCodecPlan()
    for json in steps {
      guard var object = FileObject(json, "a step of the codec", mistakes) else { continue }
      let frameJSON = object.member("frame")
      let frame = frameJSON.flatMap { self.frame($0) }
      let key = object.optional("xor") { (json) throws(PositionedError) in try json.octets(1...512, "a key") }
      let modulo = object.optional("modulo") { (json) -> DescribedCodecPlan.Step? in self.modulo(json) }
      let cipher = object.optional("cipher") { (json) -> DescribedCodecPlan.Step? in self.cipher(json) }
      object.finish()
      let step = key.map { DescribedCodecPlan.Step.exclusiveOr(key: $0) } ?? modulo ?? cipher
      guard case .object(let members) = json.content, members.count == 1 else {
        mistakes.note(
          PositionedError(json.position, "expected a step with one of \"xor\", \"modulo\", \"cipher\", \"frame\""))
        continue
      }
      if let frameJSON, plan.frame != nil {
        mistakes.note(PositionedError(frameJSON.position, "there is one frame already"))
      } else if let frame {
        plan.frame = frame
      } else if let step {
        if plan.frame == nil { plan.inner.append(step) } else { plan.outer.append(step) }
      }
    }
    // Without a frame all steps are inner ones.
    return plan
  }

  private func modulo(_ json: PositionedJSON) -> DescribedCodecPlan.Step? {
    guard var object = FileObject(json, "\"modulo\"", mistakes) else { return nil }
    let summand = object.optional("add") { (json) throws(PositionedError) in
      try json.integer(-255...255, "what is added to each octet")
    }
    let factor = object.optional("multiply") { (json) throws(PositionedError) in
      let factor = try json.integer(1...255, "what each octet is multiplied by")
      if factor.isMultiple(of: 2) {
        throw PositionedError(
          json.position, "expected an odd number: multiplying by \(factor) can't be inverted")
      }
      return factor
    }
    object.finish()
    return .modulo(factor: factor ?? 1, summand: summand ?? 0)
  }

  private enum CipherMode: String, CaseIterable {
    case ecb, cbc, ctr, ccm
  }

  private func cipher(_ json: PositionedJSON) -> DescribedCodecPlan.Step? {
    guard var object = FileObject(json, "\"cipher\"", mistakes) else { return nil }
    let word: CipherMode? = object.required("mode") { (json) throws(PositionedError) in try json.word("a mode") }
    let key = object.required("key") { (json) throws(PositionedError) in try json.octets(16...16, "a key") }
    var mode: AESMode?
    switch word {
    case .ecb: mode = .electronicCodebook
    case .cbc, .ctr:
      let initial = object.required("initial") { (json) throws(PositionedError) in
        try json.octets(16...16, "an initial value")
      }
      mode = initial.map { word == .cbc ? .blockChaining(initial: $0) : .counter(initial: $0) }
    case .ccm:
      let nonce = object.required("nonce") { (json) throws(PositionedError) in try json.octets(7...13, "a nonce") }
      let tagLength = object.optional("tag_length") { (json) throws(PositionedError) in
        let length = try json.integer(4...16, "the length of the tag")
        guard length.isMultiple(of: 2) else { throw PositionedError(json.position, "expected an even number") }
        return length
      }
      let extra = object.optional("authenticating") { (json) throws(PositionedError) in
        try json.octets(0...256, "what is authenticated besides")
      }
      mode = nonce.map {
        .counterWithChecksum(nonce: $0, authenticating: extra ?? Data(), tagLength: tagLength ?? 4)
      }
    case nil: return nil
    }
    let pads =
      word == .ecb || word == .cbc
      ? object.optional("pads") { (json) throws(PositionedError) in try json.boolean() } : nil
    object.finish()
    guard let mode, let key else { return nil }
    return .cipher(mode, key: key, pads: pads ?? true)
  }

  // MARK: The handshake

  func handshake(_ json: PositionedJSON, in description: DeviceDescription) -> DeviceConversation.Handshake? {
    guard var object = FileObject(json, "the handshake", mistakes) else { return nil }
    let command = object.required("command") { (json) throws(PositionedError) -> DeviceCommand in
      try Self.handshakeCommand(json, description)
    }
    let before = mistakes.count
    let values = object.optional("values") { (json) throws(PositionedError) in
      try Self.values(json, of: command?.parameters ?? [], "the command")
    }
    let timeLimit = object.optional("time_limit", Self.seconds)
    let retries = object.optional("retries", Self.retries)
    object.finish()
    guard let command, mistakes.count == before else { return nil }
    let given = Set((values ?? [:]).keys)
    for field in command.parameters where field.standard == nil && !given.contains(field.name) {
      mistakes.note(
        PositionedError(json.position, "the handshake needs a value for \"\(field.name)\" of \"\(command.name)\""))
    }
    return DeviceConversation.Handshake(
      command: command.name, values: values ?? [:], timeLimit: timeLimit ?? command.timeLimit,
      retries: retries ?? command.retries)
  }

  private static func handshakeCommand(
    _ json: PositionedJSON, _ description: DeviceDescription
  ) throws(PositionedError) -> DeviceCommand {
    let name = try json.text(longest: longestName, "a command's name")
    guard let command = description.command(named: name) else {
      let suggestion = Suggestion.sentence(for: name, among: description.commands.map(\.name))
      throw PositionedError(json.position, "there is no command \"\(name.inert)\"\(suggestion)")
    }
    guard case .conversation(_, .some, _) = command.kind else {
      throw PositionedError(json.position, "\"\(name)\" has no answer in the conversation: it can't verify the device")
    }
    return command
  }

  /// Values by name, for some of `fields`.
  static func values(
    _ json: PositionedJSON, of fields: [DescribedField], _ owner: String
  ) throws(PositionedError) -> [String: FieldValue] {
    var values: [String: FieldValue] = [:]
    for member in try json.table("values", most: mostFields) {
      guard let field = fields.first(where: { $0.name == member.key }) else {
        let suggestion = Suggestion.sentence(for: member.key, among: fields.map(\.name))
        throw PositionedError(member.position, "\(owner) has no field \"\(member.key.inert)\"\(suggestion)")
      }
      values[member.key] = try member.value.value(for: field)
    }
    return values
  }
}
