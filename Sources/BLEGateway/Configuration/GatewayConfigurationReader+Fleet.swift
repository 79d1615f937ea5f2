import BLEDeviceFiles
import BLEText

extension GatewayConfigurationReader {
  /// - Parameter file: the whole configuration.
  func fleet(
    _ json: PositionedJSON, _ devices: [GatewayConfiguration.Device], _ topics: GatewayTopics, in file: PositionedJSON
  ) -> GatewayConfiguration.Fleet? {
    guard var object = FileObject(json, "\"fleet\"", mistakes) else { return nil }
    let names = deviceNames(file)
    var fleet = GatewayConfiguration.Fleet(devices: Set(names))
    object.set(&fleet.devices, "devices") { (json) -> Set<String>? in
      if case .string("all") = json.content { return Set(names) }
      let listed = mistakes.list(json, "\"all\" or a list of the names of devices", 1...Self.mostDevices) {
        (json) throws(PositionedError) -> String? in
        let name = try json.name("the name of a device")
        if names.contains(name) { return name }
        throw PositionedError(
          json.position,
          "there is no device \"\(name)\" in \"devices\"\(Suggestion.sentence(for: name, among: names))")
      }
      return listed.map { Set($0) }
    }
    object.set(&fleet.hysteresis, "hysteresis") { (json) throws(PositionedError) in
      Double(try json.integer(1...60, "the difference in dB"))
    }
    object.set(&fleet.isolation, "without_broker") { (json) throws(PositionedError) in
      try json.word("what is done without a broker")
    }
    object.finish()
    if mistakes.count == 0, devices.isEmpty {
      mistakes.note(PositionedError(json.position, "\"fleet\" needs \"devices\" in the configuration"))
    }
    // On a topic of several gateways a command could be done twice, when the device changes hands.
    for device in devices where fleet.devices.contains(device.name) {
      guard let topic = device.commands?.topic, !topic.hasPrefix(topics.root + "/") else { continue }
      mistakes.note(
        PositionedError(
          json.position,
          "the commands of \"\(device.name)\", which is in the fleet, need a topic of this gateway: leave \"topic\" out, or begin it with \"\(topics.root)/\""
        ))
    }
    return fleet
  }

  /// Also of devices that have mistakes.
  private func deviceNames(_ file: PositionedJSON) -> [String] {
    guard case .array(let entries)? = file.member("devices") else { return [] }
    return entries.compactMap { entry in
      if case .string(let name)? = entry.member("name") { name } else { nil }
    }
  }
}

extension PositionedJSON {
  /// What a member of an object is; `nil` if there is none.
  fileprivate func member(_ key: String) -> Content? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value.content
  }
}
