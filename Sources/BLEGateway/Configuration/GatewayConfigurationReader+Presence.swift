import BLEDeviceFiles
import BLEText

extension GatewayConfigurationReader {
  static let mostTracked = 1_000

  /// `presence`: when a device counts as being in a room, and which are expected.
  func presence(_ json: PositionedJSON) -> GatewayConfiguration.Presence? {
    guard var object = FileObject(json, "\"presence\"", mistakes) else { return nil }
    var presence = GatewayConfiguration.Presence()
    object.set(&presence.rules.silence, "silence") { (json) throws(PositionedError) in try json.duration() }
    object.set(&presence.rules.absence, "absence") { (json) throws(PositionedError) in try json.duration() }
    object.set(&presence.rules.dwell, "dwell") { (json) throws(PositionedError) in try json.duration() }
    object.set(&presence.rules.hysteresis, "hysteresis") { (json) throws(PositionedError) in
      Double(try json.integer(1...60, "the difference in dB"))
    }
    object.set(&presence.rules.mostDevices, "devices") { (json) throws(PositionedError) in
      try json.integer(1...100_000, "the number of devices")
    }
    object.set(&presence.tracked, "track") { (json) throws(PositionedError) in
      try json.labels("the name of a device", "devices")
    }
    object.finish()
    if presence.rules.absence < presence.rules.silence {
      mistakes.note(PositionedError(json.position, "\"absence\" is less than \"silence\""))
    }
    if presence.tracked.count > presence.rules.mostDevices {
      mistakes.note(PositionedError(json.position, "\"track\" has more devices than \"devices\" allows"))
    }
    return presence
  }

  /// `merge`: how long the advertisements of other gateways are waited for.
  func merging(_ json: PositionedJSON) -> Duration? {
    guard var object = FileObject(json, "\"merge\"", mistakes) else { return nil }
    var window = Duration.seconds(1)
    object.set(&window, "window") { (json) throws(PositionedError) in
      let window = try json.duration()
      guard window <= .seconds(60) else { throw PositionedError(json.position, "expected 60 seconds at most") }
      return window
    }
    object.finish()
    return window
  }
}

extension PositionedJSON {
  /// The rooms of gateways: `{"attic": "Under the roof"}`.
  func rooms() throws(PositionedError) -> [String: String] {
    try labels("the name of a gateway", "the rooms of gateways")
  }

  /// What names in topics are called for people.
  fileprivate func labels(_ name: String, _ what: String) throws(PositionedError) -> [String: String] {
    guard case .object(let members) = content, members.count <= GatewayConfigurationReader.mostTracked else {
      throw expected("an object with \(what) by their names, 1,000 at most")
    }
    var labels: [String: String] = [:]
    for member in members {
      guard GatewayInstance.isName(member.key) else {
        throw PositionedError(member.position, "expected \(name)")
      }
      let label = try member.value.text(longest: 64, "what it is called")
      guard !label.isEmpty else { throw PositionedError(member.value.position, "expected what it is called") }
      labels[member.key] = label
    }
    return labels
  }
}
