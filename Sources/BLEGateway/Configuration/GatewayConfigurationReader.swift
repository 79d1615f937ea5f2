import BLEDeviceFiles
import BLEFiles
import BLESession
import BLESessionStore
import BLEText
import CoreBluetooth
import Foundation

/// Parses a configuration file. Mistakes are recorded with their positions, and reading continues, so that one pass finds all of them.
package struct GatewayConfigurationReader {
  let mistakes = MistakeList()
  /// Where files are searched that are named without a folder in front.
  let folder: String
  /// Where files begin that the gateway writes.
  let stateFolder: String
  private let deviceFile: (String) throws -> Data

  static let mostDevices = 256
  static let mostPaths = 64
  static let longestPath = 4_096

  /// - Parameters:
  ///   - folder: the folder of the configuration.
  ///   - stateFolder: where the outbox and what is collected are, if they are named without a folder in front; `nil`: `folder`.
  ///   - deviceFile: the octets of a device description file.
  package static func read(
    octets: some Sequence<UInt8>, folder: String, stateFolder: String? = nil,
    deviceFile: (String) throws -> Data = { try DeviceDescription.octets(of: $0) }
  ) throws(FileMistakes) -> GatewayConfiguration {
    let json: PositionedJSON
    do {
      json = try PositionedJSONReader.read(octets: octets)
    } catch {
      throw FileMistakes(error)
    }
    return try withoutActuallyEscaping(deviceFile) { (deviceFile) throws(FileMistakes) in
      let reader = GatewayConfigurationReader(
        folder: folder, stateFolder: stateFolder ?? folder, deviceFile: deviceFile)
      guard let configuration = reader.configuration(json), reader.mistakes.count == 0 else {
        throw FileMistakes(reader.mistakes)
      }
      return configuration
    }
  }

  init(
    folder: String, stateFolder: String, deviceFile: @escaping (String) throws -> Data
  ) {
    self.folder = folder
    self.stateFolder = stateFolder
    self.deviceFile = deviceFile
  }

  /// The name of the format; `nil`, and noted as a mistake, where it is another one.
  func format(_ file: inout FileObject) -> String? {
    file.required("format") { (json) throws(PositionedError) -> String? in
      let text = try json.text(longest: 64, "the format")
      if text == GatewayConfiguration.formatName { return text }
      throw PositionedError(
        json.position, "expected \"\(GatewayConfiguration.formatName)\", found \"\(text.inert)\"")
    }
  }

  private func configuration(_ json: PositionedJSON) -> GatewayConfiguration? {
    guard var file = FileObject(json, "the configuration", mistakes) else { return nil }
    let format = format(&file)
    let name = file.required("gateway") { (json) throws(PositionedError) -> String? in
      let name = try json.name("the gateway's name")
      // The leases of all gateways are below this level.
      guard name != "fleet" else { throw PositionedError(json.position, "no gateway can be called \"fleet\"") }
      return name
    }
    let prefix = file.optional("prefix") { (json) throws(PositionedError) in try json.prefix() } ?? "ble"
    let broker = file.required("broker") { (json) -> BrokerSettings? in self.broker(json) }
    let outbox = file.optional("outbox") { (json) -> (String?, OutboxLimits)? in self.outbox(json) }
    let topics = GatewayTopics(prefix: prefix, gateway: name ?? "gateway")
    let devices =
      file.optional("devices") { (json) -> [GatewayConfiguration.Device]? in
        mistakes.list(json, "a list of devices", 0...Self.mostDevices) { self.device($0, topics) }
      } ?? []
    let listening =
      file.optional("listen") { (json) -> [GatewayConfiguration.Listening]? in
        mistakes.list(json, "a list of objects", 0...Self.mostPaths) { self.listening($0) }
      } ?? []
    let sensorKeys = file.optional("sensor_keys") { (json) throws(PositionedError) in try self.keys(json) }
    let identityKeys = file.optional("identity_keys") { (json) throws(PositionedError) in try self.keys(json) }
    let homeAssistant = file.optional("home_assistant") { (json) in self.homeAssistant(json) }
    let collection = file.optional("collect") { (json) in self.collection(json) }
    let fleet = file.optional("fleet") { (entry) in self.fleet(entry, devices, topics, in: json) }
    let metricsPort = file.optional("metrics") { (json) in self.metricsPort(json) }
    let presence = file.optional("presence") { (json) in self.presence(json) }
    let merging = file.optional("merge") { (json) in self.merging(json) }
    let rooms = file.optional("rooms") { (json) throws(PositionedError) in try json.rooms() }
    file.finish()
    if homeAssistant == nil, listening.contains(where: \.isAnnounced) {
      mistakes.note(
        PositionedError(
          json.position, "\"home_assistant\" of an entry of \"listen\" needs \"home_assistant\" of the configuration"))
    }
    noteDoubles(devices, json)
    guard format != nil, let name, let broker else { return nil }
    if mistakes.count == 0, devices.isEmpty, listening.isEmpty, collection == nil, presence == nil, merging == nil {
      mistakes.note(
        PositionedError(
          json.position,
          "the configuration needs one of \"devices\", \"listen\", \"collect\", \"presence\", \"merge\""))
    }
    return GatewayConfiguration(
      name: name, prefix: prefix, broker: broker, outbox: outbox?.0 ?? path(name + ".outbox", in: stateFolder),
      limits: outbox?.1 ?? OutboxLimits(), devices: devices, listening: listening, sensorKeys: sensorKeys,
      identityKeys: identityKeys, fleet: fleet,
      collection: collection?.file, retention: collection?.retention ?? Retention(), presence: presence,
      merging: merging, rooms: rooms ?? [:], homeAssistant: homeAssistant,
      metricsPort: metricsPort)
  }

  /// Two devices of one name would have the same topics, and one topic of commands would be for two devices.
  private func noteDoubles(_ devices: [GatewayConfiguration.Device], _ json: PositionedJSON) {
    guard case .object(let members) = json.content,
      case .array(let entries)? = members.first(where: { $0.key == "devices" })?.value.content,
      entries.count == devices.count
    else { return }
    var (names, topics): (Set<String>, Set<String>) = ([], [])
    for (device, entry) in zip(devices, entries) {
      if !names.insert(device.name).inserted {
        mistakes.note(PositionedError(entry.position, "there is a device \"\(device.name)\" already"))
      } else if let topic = device.commands?.topic, !topics.insert(topic).inserted {
        mistakes.note(PositionedError(entry.position, "another device has its commands on \"\(topic.inert)\" already"))
      }
    }
  }

  /// A file's path, from this folder on.
  func path(_ text: String, in folder: String) -> String { text.hasPrefix("/") ? text : folder + "/" + text }

  func file(_ json: PositionedJSON, in folder: String? = nil) throws(PositionedError) -> String {
    let text = try json.text(longest: Self.longestPath, "a path")
    if text.isEmpty || text.contains("\0") { throw PositionedError(json.position, "expected the path of a file") }
    return path(text, in: folder ?? self.folder)
  }

  private func outbox(_ json: PositionedJSON) -> (String?, OutboxLimits)? {
    guard var object = FileObject(json, "\"outbox\"", mistakes) else { return nil }
    var limits = OutboxLimits()
    let file = object.optional("file") { (json) throws(PositionedError) in
      try self.file(json, in: stateFolder)
    }
    object.set(&limits.rows, "rows") { (json) throws(PositionedError) in
      try json.integer(100...100_000_000, "the number of messages")
    }
    object.set(&limits.octets, "octets") { (json) throws(PositionedError) in
      try json.integer(100_000...(1 << 40), "the size")
    }
    object.set(&limits.policy, "when_full") { (json) throws(PositionedError) in try json.word("a policy") }
    object.finish()
    return (file, limits)
  }

  /// The description in a device file; a mistake in it is one of the configuration.
  func description(_ json: PositionedJSON) throws(PositionedError) -> (DeviceDescription, octets: Data)? {
    let path = try file(json)
    do {
      let octets = try deviceFile(path)
      return (try DeviceDescription(octets: octets, file: path), octets)
    } catch let error as DeviceFileError {
      throw PositionedError(
        json.position, "this device file has mistakes: \(error.lines.prefix(3).joined(separator: "; "))")
    } catch {
      throw PositionedError(json.position, "this device file cannot be read: \(error.localizedDescription.inert)")
    }
  }
}

extension DeviceDescription {
  /// One octet more than a description has at most says that it is too long.
  package static func octets(of path: String) throws -> Data {
    Data(try UntrustedFile.beginning(of: path, limit: largestFile + 1))
  }
}

extension FileObject {
  /// Changes a setting if the file has it.
  mutating func set<Value>(
    _ setting: inout Value, _ key: String, _ read: (PositionedJSON) throws(PositionedError) -> Value?
  ) {
    if let value = optional(key, read) { setting = value }
  }
}

extension PositionedJSON {
  /// One level of a topic.
  func name(_ what: String) throws(PositionedError) -> String {
    let text = try text(longest: 64, what)
    guard GatewayInstance.isName(text) else {
      throw PositionedError(position, "expected \(what): 1 to 64 letters, digits, -, _, . and :")
    }
    return text
  }

  /// Levels of a topic.
  func prefix() throws(PositionedError) -> String {
    let text = try text(longest: 256, "the prefix")
    guard
      text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ GatewayInstance.isName(String($0)) })
    else { throw PositionedError(position, "expected the levels of a topic, such as \"ble\" or \"site/ble\"") }
    return text
  }

  /// Seconds, as a duration.
  func duration() throws(PositionedError) -> Duration { .milliseconds(Int64(try seconds() * 1_000)) }
}
