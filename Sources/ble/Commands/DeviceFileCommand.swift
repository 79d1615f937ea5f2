import BLEDeviceFiles
import BLESession

/// `ble command`: communicates with a device that a file describes.
struct DeviceFileCommand: ToolCommand {
  static let file = Parameter<DeviceFileSource>.argument(
    "file", "The device description file, such as Examples/Devices/lock.json.")
  static let action = Parameter<String>.argument(
    "command", "A command of the file; or list, check, listen, raw.", hint: "'list' shows the commands of the file")
  static let values = Parameter.arguments(
    "field=value", "Values for the command's fields; for raw the octets to send.", of: String.self)
  static let target = Parameter.option(
    "target", "device",
    "Which device, where the file recognises several: its name, identifier or address. Where the file says that the address "
      + "stands in the manufacturer data, it is looked for there.", \Target.self)
  static let listen = Parameter.option(
    "listen", "seconds", "Stay connected for this time afterwards, and print the device's notifications.",
    \Seconds.value)
  static let unframed = Parameter.flag("unframed", "For raw: send the octets as they are, without frame and codecs.")
  static let skipHandshake = Parameter.flag("no-handshake", "Skip the handshake.")

  static let node = CommandNode(
    "command", abstract: "Talk to a vendor's device that a file describes.",
    discussion: """
      The file says how the device is recognised, how it proves itself, what its frames look like, and its commands by name; \
      Docs/device-files.md describes it. The same file turned round is a device: 'ble serve FILE'.

        ble command lock.json list                 the device's commands
        ble command lock.json check                what is wrong with the file
        ble command lock.json unlock pin=123456    a command, and its answer
        ble command itag.json listen               the device's notifications
        ble command lock.json raw 12               octets in the file's frames

      Results go to the standard output; what the handshake did, time-outs, retries and hints to wake the device go to the \
      standard error. A device that refuses ends the command with 74, one that does not answer with 75, one that is not there \
      with 68.
      """,
    file, action, values, target, listen, unframed, skipHandshake
  ) { (source, action, words, target, listening, isUnframed, skipsHandshake) throws(UsageError) in
    if isUnframed, action != "raw" { throw UsageError("'--unframed' is for 'raw'") }
    return DeviceFileCommand(
      source: source, action: try DeviceAction(action, words, isUnframed: isUnframed), target: target,
      listening: listening, skipsHandshake: skipsHandshake)
  }

  let source: DeviceFileSource
  let action: DeviceAction
  let target: Target?
  let listening: Double?
  let skipsHandshake: Bool

  func run(in session: Session) async throws(ToolError) {
    var description = try source.load()
    if skipsHandshake { description.conversation?.handshake = nil }
    switch action {
    case .list: return DeviceFilePage(description).printList(to: session.output)
    case .check: return DeviceFilePage(description).printCheck(of: source.path, to: session.output)
    case .command(let name, let texts):
      // Errors in the command line are reported before Bluetooth is started.
      let values = try description.values(of: name, texts)
      try await talk(description, in: session) { (talk) async throws(ToolError) in try await talk.perform(name, values)
      }
    case .listen:
      try await talk(description, in: session) { (_) async throws(ToolError) in }
    case .raw(let octets, let isUnframed):
      guard description.conversation != nil else {
        throw ToolError(.usage, "The file describes no conversation: use 'ble write'.")
      }
      try await talk(description, in: session) { (talk) async throws(ToolError) in
        try await talk.send(octets, isUnframed: isUnframed)
      }
    }
  }

  @MainActor private func talk(
    _ description: DeviceDescription, in session: Session,
    _ work: @escaping @MainActor (DeviceTalk) async throws(ToolError) -> Void
  ) async throws(ToolError) {
    let listens = action == .listen || listening != nil
    if listens, description.notifications.isEmpty {
      throw ToolError(.usage, "The file describes no notifications.")
    }
    let talk = DeviceTalk(description, target, keepsDevice: action == .listen, in: session)
    try await talk.run { () async throws(ToolError) in
      // Begins before the command, so that no notification that it causes is missed.
      if listens { talk.beginListening() }
      try await work(talk)
      if listens { try await talk.listen(for: listening) }
    }
  }
}
