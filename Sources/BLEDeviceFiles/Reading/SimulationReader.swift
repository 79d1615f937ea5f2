import BLESession
import BLEText
import CoreBluetooth

/// `simulation`, and `simulated` of the commands. They are checked against the rest of the file, so that the simulation has a value for
/// every field that it may have to send.
struct SimulationReader {
  let mistakes: MistakeList
  let description: DeviceDescription
  let context: LayoutContext
  let commands: [CommandEntry]
  let notifications: [NotificationEntry]

  /// The plan; `behaviours(_:)` reads the commands' part.
  func read(_ json: PositionedJSON?) -> DeviceSimulationPlan? {
    guard let json else {
      for command in commands {
        guard let simulated = command.simulated else { continue }
        mistakes.note(PositionedError(simulated.position, "\"simulated\" needs a \"simulation\" in the file"))
      }
      return nil
    }
    guard var object = FileObject(json, "the simulation", mistakes) else { return nil }
    var plan = DeviceSimulationPlan()
    let before = mistakes.count
    let advertise = object.member("advertise")
    advertise.map { self.advertise($0, &plan) }
    let state = object.member("state")
    plan.state =
      state.flatMap { json in mistakes.attempt { () throws(PositionedError) in try self.state(json) } } ?? [:]
    let reader = DeviceFileReader(mistakes: mistakes)
    plan.complaint = object.optional("complaint") { (json) -> MessageLayout? in
      let layout = reader.message(json, "a complaint", context)
      if layout?.fields.contains(where: { $0.standard == nil && plan.state[$0.name] == nil }) == true {
        mistakes.note(PositionedError(json.position, "a complaint has constants only, or fields of the state"))
      }
      return layout
    }
    object.finish()
    if mistakes.count == before { judge(plan) }
    return plan
  }

  private func advertise(_ json: PositionedJSON, _ plan: inout DeviceSimulationPlan) {
    guard var object = FileObject(json, "\"advertise\"", mistakes) else { return }
    plan.advertisedName = object.optional("name") { (json) throws(PositionedError) in
      try json.text(longest: 248, "the local name")
    }
    plan.advertisedServices = object.optional("services", DeviceFileReader.uuids) ?? []
    plan.manufacturerData = object.optional("manufacturer") { (json) -> Data? in
      guard var object = FileObject(json, "\"manufacturer\"", mistakes) else { return nil }
      let company = object.required("company") { (json) throws(PositionedError) in
        try json.integer(0...0xFFFF, "the company's number")
      }
      let data = object.optional("data") { (json) throws(PositionedError) in
        try json.octets(0...24, "what follows the company's number")
      }
      object.finish()
      return company.map { UInt16($0).octets(order: .littleEndian) + (data ?? Data()) }
    }
    object.finish()
  }

  /// All fields of commands, answers, refusals and notifications.
  private var fields: [DescribedField] {
    let commands = description.commands.flatMap { command in
      let refusal: [DescribedField] =
        if case .conversation(_, _, let refusal?) = command.kind { refusal.fields } else { [] }
      return command.parameters + command.results + refusal
    }
    return commands + description.notifications.flatMap(\.layout.fields)
  }

  private func state(_ json: PositionedJSON) throws(PositionedError) -> [String: FieldValue] {
    let fields = fields
    var state: [String: FieldValue] = [:]
    for member in try json.table("fields of the state", most: DeviceFileReader.mostCommands) {
      let same = fields.filter { $0.name == member.key }
      guard !same.isEmpty else {
        let suggestion = Suggestion.sentence(for: member.key, among: fields.map(\.name))
        throw PositionedError(member.position, "no command has a field \"\(member.key.inert)\"\(suggestion)")
      }
      // It has to be valid for each field of that name.
      for field in same { state[member.key] = try member.value.value(for: field) }
    }
    return state
  }

  /// The commands' behaviours, by name.
  func behaviours(_ plan: DeviceSimulationPlan) -> [String: SimulatedBehaviour] {
    var behaviours: [String: SimulatedBehaviour] = [:]
    for entry in commands {
      behaviours[entry.command.name] = entry.simulated.flatMap { behaviour($0, entry.command, plan) }
    }
    return behaviours
  }

  private func behaviour(
    _ json: PositionedJSON, _ command: DeviceCommand, _ plan: DeviceSimulationPlan
  ) -> SimulatedBehaviour? {
    guard var object = FileObject(json, "\"simulated\"", mistakes) else { return nil }
    var behaviour = SimulatedBehaviour()
    behaviour.required =
      object.optional("requires") { (json) throws(PositionedError) in
        try json.list("a list of parameters", 1...DeviceFileReader.mostFields) { (json) throws(PositionedError) in
          try Self.known(
            json, "a parameter that the state has", command.parameters.map(\.name).filter { plan.state[$0] != nil })
        }
      } ?? []
    let refusalFields: [DescribedField] =
      if case .conversation(_, _, let refusal?) = command.kind { refusal.fields } else { [] }
    behaviour.refusal =
      object.optional("otherwise") { (json) throws(PositionedError) in
        try DeviceFileReader.values(json, of: refusalFields, "the refusal")
      } ?? [:]
    behaviour.changes =
      object.optional("sets") { (json) throws(PositionedError) in
        try DeviceFileReader.values(json, of: fields.filter { plan.state[$0.name] != nil }, "the state")
      } ?? [:]
    behaviour.delay = object.optional("after", DeviceFileReader.seconds) ?? 0
    behaviour.notifies =
      object.optional("notifies") { (json) throws(PositionedError) in
        try json.list("a list of notifications", 1...16) { (json) throws(PositionedError) in
          try Self.known(json, "a notification", description.notifications.map(\.name))
        }
      } ?? []
    behaviour.isSilent = object.optional("silent") { (json) throws(PositionedError) in try json.boolean() } ?? false
    object.finish()
    if !behaviour.required.isEmpty {
      for field in refusalFields where behaviour.refusal[field.name] == nil && plan.state[field.name] == nil {
        mistakes.note(
          PositionedError(
            json.position, "the refusal has a field \"\(field.name)\": expected a value for it in \"otherwise\""))
      }
    }
    return behaviour
  }

  private static func known(
    _ json: PositionedJSON, _ what: String, _ names: [String]
  ) throws(PositionedError) -> String {
    let name = try json.text(longest: DeviceFileReader.longestName, what)
    guard names.contains(name) else {
      let suggestion = Suggestion.sentence(for: name, among: names)
      throw PositionedError(json.position, "expected \(what), found \"\(name.inert)\"\(suggestion)")
    }
    return name
  }

  /// Records a mistake for each field that the simulation may have to send and has no value for.
  private func judge(_ plan: DeviceSimulationPlan) {
    for entry in commands {
      let given = Set(entry.command.parameters.map(\.name))
      for field in entry.command.results {
        guard plan.state[field.name] == nil, field.standard == nil, !given.contains(field.name) else { continue }
        note(field, of: "the answer to \"\(entry.command.name)\"", at: entry.position)
      }
    }
    for entry in notifications {
      for field in entry.notification.layout.fields where plan.state[field.name] == nil && field.standard == nil {
        note(field, of: "the notification \"\(entry.notification.name)\"", at: entry.position)
      }
    }
  }

  private func note(_ field: DescribedField, of what: String, at position: TextPosition) {
    mistakes.note(
      PositionedError(
        position, "\(what) has a field \"\(field.name)\": expected a value for it in the simulation's \"state\""))
  }
}
