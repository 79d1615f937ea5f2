import BLESession
import BLEText
import CoreBluetooth

/// Reads a device description file. Mistakes are recorded with their positions, and reading continues.
struct DeviceFileReader {
  let mistakes: MistakeList

  static let mostCommands = 256
  static let mostFields = 64
  static let mostServices = 64
  static let longestName = 64
  static let longestSummary = 1_024

  /// The description, or `nil` if mistakes leave essential parts missing.
  func read(_ json: PositionedJSON) -> DeviceDescription? {
    guard var file = FileObject(json, "the device description", mistakes) else { return nil }
    let format = file.required("format") { (json) throws(PositionedError) in try Self.format(json) }
    let name = file.required("name") { (json) throws(PositionedError) in
      try json.text(longest: 248, "the device's name")
    }
    let summary = file.optional("description", Self.summary)
    let recordingJSON = file.member("recording")
    let recording = recordingJSON.flatMap { RecordingReader(mistakes: mistakes).read($0) }
    // The advertisements of a recording say how the device is recognised.
    let recognition =
      recordingJSON == nil
      ? file.required("match") { (json) -> DeviceRecognition? in self.recognition(json) }
      : file.optional("match") { (json) -> DeviceRecognition? in self.recognition(json) } ?? recording?.recognition
    let wake = file.optional("wake") { (json) -> (String, Double)? in self.wake(json) }
    let conversationJSON = file.member("conversation")
    let beforeConversation = mistakes.count
    let conversation = conversationJSON.flatMap { self.conversation($0) }
    let isConversationClear = mistakes.count == beforeConversation
    let commandsJSON = file.member("commands")
    let notificationsJSON = file.member("notifications")
    let simulationJSON = file.member("simulation")
    file.finish()

    let context = LayoutContext(
      hasConversation: conversationJSON != nil, isConversationClear: isConversationClear,
      typeField: conversation?.value.codec.typeField, standard: conversation?.times)
    let commands = commandsJSON.map { self.commands($0, context) } ?? []
    let notifications = notificationsJSON.map { self.notifications($0, context) } ?? []
    guard format != nil, let name, let recognition else { return nil }
    var description = DeviceDescription(
      name: name, summary: summary, recognition: recognition, wakeHint: wake?.0, patience: wake?.1 ?? 5,
      conversation: conversation?.value, commands: commands.map(\.command),
      notifications: notifications.map(\.notification), simulation: nil)
    description.recording = recording
    if let handshake = conversation?.handshake {
      let proof = self.handshake(handshake, in: description)
      description.conversation?.handshake = proof
    }
    let cross = SimulationReader(
      mistakes: mistakes, description: description, context: context, commands: commands,
      notifications: notifications)
    description.simulation = cross.read(simulationJSON)
    if let plan = description.simulation {
      let behaviours = cross.behaviours(plan)
      for index in description.commands.indices {
        let name = description.commands[index].name
        description.commands[index].behaviour = behaviours[name] ?? SimulatedBehaviour()
      }
    }
    return description
  }

  static func summary(_ json: PositionedJSON) throws(PositionedError) -> String {
    try json.text(longest: longestSummary, "a description")
  }

  static func seconds(_ json: PositionedJSON) throws(PositionedError) -> Double { try json.seconds() }

  private static func format(_ json: PositionedJSON) throws(PositionedError) -> String {
    let text = try json.text(longest: longestName, "the format")
    guard text == DeviceDescription.formatName else {
      throw PositionedError(
        json.position, "expected \"\(DeviceDescription.formatName)\", found \"\(text.inert)\"")
    }
    return text
  }

  private func wake(_ json: PositionedJSON) -> (String, Double)? {
    guard var object = FileObject(json, "\"wake\"", mistakes) else { return nil }
    let hint = object.required("hint") { (json) throws(PositionedError) in
      try json.text(longest: Self.longestSummary, "a hint")
    }
    let after = object.optional("after", Self.seconds)
    object.finish()
    return hint.map { ($0, after ?? 5) }
  }

  // MARK: Recognition

  fileprivate func recognition(_ json: PositionedJSON) -> DeviceRecognition? {
    let before = mistakes.count
    guard var object = FileObject(json, "\"match\"", mistakes) else { return nil }
    var result = DeviceRecognition()
    result.names =
      object.optional("names") { (json) throws(PositionedError) in
        try json.list("a list of names", 1...Self.mostServices) { (json) throws(PositionedError) in
          try json.text(longest: 248, "a name")
        }
      } ?? []
    result.namesIgnoreCase =
      object.optional("ignoring_case") { (json) throws(PositionedError) in try json.boolean() } ?? false
    result.namePrefix = object.optional("name_prefix") { (json) throws(PositionedError) in
      try json.text(longest: 248, "the beginning of a name")
    }
    result.services = object.optional("services", Self.uuids) ?? []
    let manufacturer = object.optional("manufacturer") { (json) -> Manufacturer? in self.manufacturer(json) }
    result.company = manufacturer?.company
    result.manufacturerPrefix = manufacturer?.content ?? Data()
    let serviceData = object.optional("service_data") { (json) -> (CBUUID, Data)? in self.serviceData(json) }
    (result.serviceDataService, result.serviceDataPrefix) = (serviceData?.0, serviceData?.1 ?? Data())
    result.addressRule = object.optional("address") { (json) -> DeviceAddressRule? in self.addressRule(json) }
    object.finish()
    if mistakes.count == before, result.names.isEmpty, result.namePrefix == nil, result.services.isEmpty,
      result.company == nil, result.serviceDataService == nil
    {
      mistakes.note(
        PositionedError(
          json.position,
          "\"match\" needs one of \"names\", \"name_prefix\", \"services\", \"manufacturer\", \"service_data\""))
    }
    return result
  }

  static func uuids(_ json: PositionedJSON) throws(PositionedError) -> [CBUUID] {
    try json.list("a list of UUIDs", 0...mostServices) { (json) throws(PositionedError) in try json.uuid() }
  }

  struct Manufacturer {
    var company: UInt16
    var content: Data
  }

  /// `{"company": 76, "prefix": "0215"}`.
  private func manufacturer(_ json: PositionedJSON) -> Manufacturer? {
    guard var object = FileObject(json, "\"manufacturer\"", mistakes) else { return nil }
    let company = object.required("company") { (json) throws(PositionedError) in
      try json.integer(0...0xFFFF, "the company's number")
    }
    let prefix = object.optional("prefix") { (json) throws(PositionedError) in
      try json.octets(0...27, "the prefix of the data")
    }
    object.finish()
    return company.map { Manufacturer(company: UInt16($0), content: prefix ?? Data()) }
  }

  /// `{"service": "FCD2", "prefix": "40"}`.
  private func serviceData(_ json: PositionedJSON) -> (CBUUID, Data)? {
    guard var object = FileObject(json, "\"service_data\"", mistakes) else { return nil }
    let service = object.required("service") { (json) throws(PositionedError) in try json.uuid() }
    let prefix = object.optional("prefix") { (json) throws(PositionedError) in
      try json.octets(0...27, "the prefix of the data")
    }
    object.finish()
    return service.map { ($0, prefix ?? Data()) }
  }

  private func addressRule(_ json: PositionedJSON) -> DeviceAddressRule? {
    guard var object = FileObject(json, "\"address\"", mistakes) else { return nil }
    let offset = object.required("offset") { (json) throws(PositionedError) in
      try json.integer(0...21, "the place of the address")
    }
    let order: ByteOrder? = object.optional("order") { (json) throws(PositionedError) in try json.word("an order") }
    object.finish()
    return offset.map { DeviceAddressRule(offset: $0, order: order ?? .bigEndian) }
  }
}

/// What the reader of a layout needs to know about the rest of the file.
struct LayoutContext {
  var hasConversation = false
  /// Whether the conversation has no mistakes: otherwise mistakes that depend on it are not reported.
  var isConversationClear = true
  /// The frames' type field; if there is one, messages of the conversation have a type.
  var typeField: FrameFormat.Field?
  /// The defaults for commands.
  var standard: (timeLimit: Double?, retries: Int?)?
}

/// A conversation, with the part that is read when all commands are known.
struct ReadConversation {
  var value: DeviceConversation
  var handshake: PositionedJSON?
  var times: (timeLimit: Double?, retries: Int?)
}

extension DeviceRecognition {
  /// Reads the member `match` of a file, also of one of another kind.
  package static func read(_ json: PositionedJSON, _ mistakes: MistakeList) -> DeviceRecognition? {
    DeviceFileReader(mistakes: mistakes).recognition(json)
  }
}
