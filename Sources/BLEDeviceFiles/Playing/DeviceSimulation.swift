import BLESession
import BLEText
import CoreBluetooth

/// A simulated device without I/O: its input are the centrals' writes, its output the resulting moves.
struct DeviceSimulation: Sendable {
  /// An action of the device.
  enum Move: Sendable {
    /// Sends a value to one central, or to all subscribers.
    case say(Data, CharacteristicPath, to: UUID?, after: Double)
    case report(SimulationEvent)
  }

  /// The state of the conversation with one central.
  struct Partner: Sendable {
    var codec: DescribedCodec
    /// Whether the handshake has succeeded on this link.
    var isTrusted: Bool
    /// When its last value arrived.
    var heard = Duration.zero
  }

  /// How long an incomplete frame is kept, as with many vendors' devices.
  private static let silence = Duration.milliseconds(500)

  let description: DeviceDescription
  let plan: DeviceSimulationPlan
  private(set) var state: [String: FieldValue]
  private let freshCodec: DescribedCodec
  private let needsHandshake: Bool
  private var partners: [UUID: Partner] = [:]
  /// The limit of centrals. Beyond it the earliest is forgotten, and has to start again.
  private static let mostPartners = 64
  private var order: [UUID] = []

  init(
    _ description: DeviceDescription, cryptography: (any SessionCryptography)?
  ) throws(SessionError) {
    guard let plan = description.simulation else {
      throw SessionError(.invalid, "the description has no \"simulation\": it does not say how the device behaves")
    }
    self.description = description
    self.plan = plan
    state = plan.state
    freshCodec = try description.codec(numbers: SequenceNumbers(), cryptography: cryptography)
    needsHandshake = description.conversation?.handshake != nil
  }

  /// Called when a central subscribes: frames and handshake start again.
  mutating func begin(with central: UUID) {
    partners[central] = Partner(codec: freshCodec.withOwnNumbers(), isTrusted: !needsHandshake)
    order.removeAll { $0 == central }
    order.append(central)
    if order.count > Self.mostPartners { partners[order.removeFirst()] = nil }
  }

  /// Sets a field of the state.
  mutating func set(_ name: String, _ value: FieldValue) throws(SessionError) {
    guard state[name] != nil else {
      let suggestion = Suggestion.sentence(for: name, among: state.keys.sorted())
      throw SessionError(.invalid, "the state has no field \"\(name.inert)\"\(suggestion)")
    }
    let fields = description.commands.flatMap { $0.parameters + $0.results }
    let all = fields + description.notifications.flatMap(\.layout.fields)
    do {
      var checked = value
      for field in all where field.name == name { checked = try field.checked(value) }
      state[name] = checked
    } catch {
      throw SessionError(.invalid, error.errorDescription ?? error.expected)
    }
  }

  /// The value of a characteristic; `nil` if it cannot be read.
  func value(at path: CharacteristicPath) -> Data? {
    for command in description.commands {
      guard case .read(path, let layout) = command.kind else { continue }
      return (try? layout.encode(state))?.payload
    }
    return nil
  }

  /// Handles a value written by a central, and returns the resulting moves.
  mutating func received(
    _ value: Data, at path: CharacteristicPath, from central: UUID, at now: Duration
  ) -> [Move] {
    guard path == description.conversation?.commandPath else { return written(value, at: path) }
    if partners[central] == nil { begin(with: central) }
    if let heard = partners[central]?.heard, now - heard > Self.silence {
      partners[central]?.codec.discardPartialFrame()
    }
    partners[central]?.heard = now
    guard let (messages, rejected) = partners[central]?.codec.read(value) else { return [] }
    var moves: [Move] = []
    for _ in 0..<rejected { moves += complain(.damaged(value), to: central) }
    for message in messages { moves += heard(message, from: central) }
    return moves
  }

  /// Handles a write to a characteristic outside of the conversation.
  private mutating func written(_ value: Data, at path: CharacteristicPath) -> [Move] {
    for command in description.commands {
      guard case .write(path, let layout) = command.kind,
        let readings = layout.decode(DescribedMessage(payload: value)), isAllowed(readings, layout)
      else { continue }
      take(readings, command.behaviour)
      let event = SimulationEvent.command(command.name, readings, .accepted)
      return [.report(event)] + command.behaviour.notifies.flatMap { say($0, after: command.behaviour.delay) }
    }
    return [.report(.unknown(value))]
  }

  private mutating func heard(_ message: DescribedMessage, from central: UUID) -> [Move] {
    for command in description.commands {
      guard case .conversation(let send, let answer, let refusal) = command.kind, let readings = send.decode(message),
        isAllowed(readings, send)
      else { continue }
      let isHandshake = command.name == description.conversation?.handshake?.command
      guard isHandshake || partners[central]?.isTrusted == true else {
        return [.report(.command(command.name, readings, .untrusted))]
      }
      let behaviour = command.behaviour
      if behaviour.isSilent { return [.report(.command(command.name, readings, .silent))] }
      guard behaviour.required.allSatisfy({ name in readings.contains { $0.name == name && $0.value == state[name] } })
      else {
        let event = SimulationEvent.command(command.name, readings, .refused)
        let values = state.merging(behaviour.refusal) { $1 }
        return [.report(event)] + (refusal.map { tell($0, values, to: central, after: behaviour.delay) } ?? [])
      }
      if isHandshake { partners[central]?.isTrusted = true }
      take(readings, behaviour)
      var values = state
      for reading in readings { values[reading.name] = values[reading.name] ?? reading.value }
      return [.report(.command(command.name, readings, .accepted))]
        + (answer.map { tell($0, values, to: central, after: behaviour.delay) } ?? [])
        + behaviour.notifies.flatMap { say($0, after: behaviour.delay) }
    }
    return complain(.unknown(message.payload), to: central)
  }

  /// Whether a real device would accept these values: its integers have ranges.
  private func isAllowed(_ readings: [FieldReading], _ layout: MessageLayout) -> Bool {
    zip(readings, layout.fields).allSatisfy { reading, field in (try? field.checked(reading.value)) != nil }
  }

  /// Stores the parameters for which the state has a field.
  private mutating func take(_ readings: [FieldReading], _ behaviour: SimulatedBehaviour) {
    for reading in readings where state[reading.name] != nil && !behaviour.required.contains(reading.name) {
      state[reading.name] = reading.value
    }
    state.merge(behaviour.changes) { $1 }
  }

  private mutating func complain(_ event: SimulationEvent, to central: UUID) -> [Move] {
    [.report(event)] + (plan.complaint.map { tell($0, state, to: central, after: 0) } ?? [])
  }

  private mutating func tell(
    _ layout: MessageLayout, _ values: [String: FieldValue], to central: UUID, after delay: Double
  ) -> [Move] {
    guard let path = description.conversation?.answerPath, let message = try? layout.encode(values),
      let value = encoded(message, for: central)
    else { return [] }
    return [.say(value, path, to: central, after: delay)]
  }

  private mutating func encoded(_ message: DescribedMessage, for central: UUID) -> Data? {
    if partners[central] == nil { begin(with: central) }
    let content = freshCodec.content(of: message)
    return (try? partners[central]?.codec.encode(content)) ?? nil
  }

  /// Sends a notification to all subscribers.
  mutating func say(_ name: String, after delay: Double = 0) -> [Move] {
    guard let entry = description.notification(named: name), let message = try? entry.layout.encode(state) else {
      return []
    }
    if let path = entry.path { return [.say(message.payload, path, to: nil, after: delay)] }
    guard let path = description.conversation?.answerPath else { return [] }
    return order.compactMap { central in
      guard partners[central]?.isTrusted == true, let value = encoded(message, for: central) else { return nil }
      return .say(value, path, to: central, after: delay)
    }
  }
}
