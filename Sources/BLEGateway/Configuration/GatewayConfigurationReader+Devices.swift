import BLEDeviceFiles
import BLEReports
import BLESession
import BLEText
import CoreBluetooth
import Foundation

extension GatewayConfigurationReader {
  func device(_ json: PositionedJSON, _ topics: GatewayTopics) -> GatewayConfiguration.Device? {
    let before = mistakes.count
    guard var object = FileObject(json, "a device", mistakes) else { return nil }
    let name = object.required("name") { (json) throws(PositionedError) in try json.name("the device's name") }
    let file = object.optional("device_file") { (json) throws(PositionedError) in try self.description(json) }
    let description = file?.0
    let recognition = object.optional("match") { (json) in DeviceRecognition.read(json, mistakes) }
    let identifier = object.optional("identifier") { (json) throws(PositionedError) -> UUID? in
      let text = try json.text(longest: 64, "an identifier")
      guard let identifier = UUID(uuidString: text) else {
        throw PositionedError(json.position, "expected an identifier as 'ble scan' prints it, found '\(text.inert)'")
      }
      return identifier
    }
    var device = GatewayConfiguration.Device(
      name: name ?? "", rule: identifier.map { .identifier($0) } ?? .any, identifier: identifier,
      description: description, deviceFile: file?.octets)
    if let recognition = recognition ?? (identifier == nil ? description?.recognition : nil) {
      device.rule = recognition.rule()
    }
    if description != nil { device.values = .characteristics([]) }
    object.set(&device.values, "values") { (json) in self.values(json) }
    device.readings = object.optional("read") { (json) in self.paths(json) } ?? []
    object.set(&device.readInterval, "read_every") { (json) throws(PositionedError) in try json.duration() }
    device.signalInterval = object.optional("rssi_every") { (json) throws(PositionedError) in try json.duration() }
    device.commands = object.optional("commands") { (json) in self.commands(json, name ?? "", description, topics) }
    object.finish()
    if mistakes.count == before, recognition == nil, identifier == nil, description == nil {
      mistakes.note(
        PositionedError(json.position, "a device needs one of \"match\", \"identifier\", \"device_file\""))
    }
    return mistakes.count == before ? device : nil
  }

  private func values(_ json: PositionedJSON) -> GatewayConfiguration.Values? {
    if case .string("all") = json.content { return .everything }
    return paths(json).map { .characteristics($0) }
  }

  private func paths(_ json: PositionedJSON) -> [CharacteristicPath]? {
    mistakes.list(json, "a list of services with characteristics, such as [\"180F/2A19\"]", 0...Self.mostPaths) {
      (json) throws(PositionedError) in try json.path()
    }
  }

  private func commands(
    _ json: PositionedJSON, _ device: String, _ description: DeviceDescription?, _ topics: GatewayTopics
  ) -> GatewayConfiguration.Commands? {
    guard var object = FileObject(json, "\"commands\"", mistakes) else { return nil }
    let topic = object.optional("topic") { (json) throws(PositionedError) in try json.topic() }
    let known = description?.commands.map(\.name) ?? []
    let names = object.optional("names") { (json) -> [String]? in
      mistakes.list(json, "a list of commands", 0...Self.mostDevices) { (json) throws(PositionedError) -> String? in
        let name = try json.text(longest: 64, "a command's name")
        if known.contains(name) { return name }
        let suggestion = Suggestion.sentence(for: name, among: known)
        let reason = description == nil ? "there is no device file" : "the device file has no such command"
        throw PositionedError(json.position, "\(reason): '\(name.inert)'\(suggestion)")
      }
    }
    let writes = object.optional("write") { (json) in self.paths(json) }
    object.finish()
    return GatewayConfiguration.Commands(
      topic: topic ?? topics.command(for: device), names: names ?? [], writes: writes ?? [])
  }

  func listening(_ json: PositionedJSON) -> GatewayConfiguration.Listening? {
    guard var object = FileObject(json, "an entry of \"listen\"", mistakes) else { return nil }
    var listening = GatewayConfiguration.Listening(rule: .any)
    if let match = object.optional("match", { (json) in DeviceRecognition.read(json, mistakes) }) {
      listening.rule = match.rule()
    }
    object.set(&listening.topic, "topic") { (json) throws(PositionedError) in try json.word("what topics have") }
    if let masks = object.optional("beacon_masks", { (json) in self.masks(json, of: listening.topic) }) {
      listening.masks = masks
    }
    object.set(&listening.onlySensors, "sensors_only") { (json) throws(PositionedError) in try json.boolean() }
    listening.weakest = object.optional("weakest") { (json) throws(PositionedError) in
      try json.integer(-127...20, "the least strength in dBm")
    }
    object.set(&listening.onChange, "on_change") { (json) throws(PositionedError) in try json.boolean() }
    object.set(&listening.leastInterval, "at_most_every") { (json) throws(PositionedError) in try json.duration() }
    listening.interval = object.optional("every") { (json) throws(PositionedError) in try json.duration() }
    object.set(&listening.devices, "devices") { (json) throws(PositionedError) in
      try json.integer(1...65_536, "the number of devices")
    }
    object.set(&listening.isAnnounced, "home_assistant") { (json) throws(PositionedError) in try json.boolean() }
    object.finish()
    if !listening.onChange, listening.interval == nil {
      mistakes.note(
        PositionedError(json.position, "with \"on_change\" false an entry of \"listen\" needs \"every\", in seconds"))
    }
    return listening
  }

  private func masks(_ json: PositionedJSON, of topic: GatewayConfiguration.Listening.Topic) -> BeaconFrame.Masks? {
    guard var object = FileObject(json, "\"beacon_masks\"", mistakes) else { return nil }
    var masks = BeaconFrame.Masks()
    for (key, mask) in [("major", \BeaconFrame.Masks.major), ("minor", \BeaconFrame.Masks.minor)] {
      object.set(&masks[keyPath: mask], key) { (json) throws(PositionedError) in
        UInt16(try json.integer(0...Int(UInt16.max), "the bits that count"))
      }
    }
    object.finish()
    if topic != .beacon {
      mistakes.note(PositionedError(json.position, "\"beacon_masks\" needs \"topic\": \"beacon\""))
    }
    return masks
  }
}

extension PositionedJSON {
  /// A topic without wildcards.
  fileprivate func topic() throws(PositionedError) -> String {
    let text = try text(longest: 512, "a topic")
    guard !text.isEmpty, !text.hasPrefix("$"),
      text.unicodeScalars.allSatisfy({ $0.value > 0x1F && !"+#\u{7F}".unicodeScalars.contains($0) })
    else {
      throw PositionedError(position, "expected a topic without wildcards, such as \"ble/attic/device/lock/command\"")
    }
    return text
  }
}
