import BLEDeviceFiles
import BLEProfileFiles
import BLESession
import Foundation

/// `ble serve`: this machine as a peripheral.
struct ServeCommand: ToolCommand {
  static let profile = Parameter<ProfileSource>.argument(
    "profile", "owenli, chat, battery, a profile file, or a device description file.")
  static let name = Parameter.option("name", "name", "Advertise this name instead of the profile's.", \String.self)
  static let untilInputEnds = Parameter.flag(
    "until-input-ends", "End when the standard input does, for programs that start this one.")

  static let faults = Parameter.option(
    "faults", "file", "Have the faults of a file (Docs/faults.md).", \FaultSource.self)

  static let node = CommandNode(
    "serve", abstract: "Be a peripheral: one of the tool's own, or one from a file.",
    discussion: """
      owenli has two services with a counter that notifies each second; chat shows what centrals write and sends what you \
      type to those that have subscribed; battery is the Battery Service with a falling level.

      A profile file is JSON: services with their characteristics, properties, permissions, values, descriptors, \
      notifications by interval, what a write does, and what is asked of those who pair. Examples/profiles describes it. \
      A mistake is reported with file, line and what was expected (status 65).

      A device description file (Docs/device-files.md) is the other side of 'ble command': it is played with its frames, its \
      handshake and its state. Typing the name of a notification says it, charge=50 changes a field of the state. A file of \
      'ble clone' is the device of its log: on the embedded radio with the handles and the advertisements of the log, \
      elsewhere, or where the device paired, by Core Bluetooth's API.

      With --faults this machine is a faulty peripheral: a file (Docs/faults.md) says when a fault strikes and what it does. While \
      it runs, 'faults' lists them, 'fault add read 2A19 nth 2 error 0x0E' adds one, 'fault cause connection_time 1 disconnect \
      0x13' causes one once, 'fault remove 1' removes one. Not on an adapter of BlueZ, whose daemon has the packets.

      Runs until Ctrl-C and prints what happens: advertising, subscribed, unsubscribed, read, written, notified, passkey, \
      paired, pairing-failed, fault.
      """,
    profile, name, faults, SubscribeCommand.duration, untilInputEnds, make: Self.init)

  let source: ProfileSource
  let name: String?
  let faults: FaultSource?
  let duration: Double?
  let endsWithInput: Bool

  func run(in session: Session) async throws(ToolError) {
    try session.pairing.serve(nil)
    // An adapter that is missing may come later: it is waited for.
    session.service.ready("Serving")
    switch try source.load() {
    case .device(let description):
      if let clone = try ClonePlayer(description, name: name, hasFaults: faults != nil, in: session) {
        if let duration { onMain(after: duration) { clone.end() } }
        return try await clone.run()
      }
      try await play(description, in: session)
    case .profile(let profile): try await serve(profile, in: session)
    }
  }

  @MainActor private func serve(_ given: Profile, in session: Session) async throws(ToolError) {
    var profile = given
    if let name { profile.name = name }
    try session.pairing.serve(profile.security)
    let isTyped = profile.services.contains { $0.characteristics.contains { $0.notifications == .input } }
    let faults = try ServedFaults(faults, takesLines: !isTyped || faults != nil, in: session)
    let server = ProfileServer(profile, in: session)
    session.service.ready("Serving") { () async throws(ToolError) in
      guard case .profile(var changed) = try source.load() else {
        throw ToolError(.badData, "The file is a device description now: that takes a restart.")
      }
      guard changed.security == given.security else {
        throw ToolError(.badData, "What pairing requires has changed: that takes a restart.")
      }
      if let name { changed.name = name }
      server.change(to: changed)
    }
    let input = listen(server, isTyped: isTyped, faults)
    defer { input?.stop() }
    if let duration { onMain(after: duration) { server.end() } }
    try await server.run()
  }

  /// Simulates a described device.
  @MainActor private func play(_ description: DeviceDescription, in session: Session) async throws(ToolError) {
    let player = try DevicePlayer(description, name: name, in: session)
    let faults = try ServedFaults(faults, takesLines: true, in: session)
    let endsWithInput = endsWithInput
    let input =
      Self.mayRead
      ? LineInput(
        prompt: "> ", edits: !session.options.isJSON, completer: { ServedFaults.completion(of: $0) },
        onLine: { if !$0.isEmpty, !faults.take($0) { player.type($0) } },
        onEnd: { if endsWithInput { player.end() } }) : nil
    defer { input?.stop() }
    if let duration { onMain(after: duration) { player.end() } }
    try await player.run()
  }

  /// A background process that reads from the terminal is stopped by SIGTTIN.
  private static var mayRead: Bool { isatty(STDIN_FILENO) != 1 || tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Reads the standard input if the profile notifies typed lines, if faults can be typed, or if the end of the input ends the command.
  @MainActor private func listen(_ server: ProfileServer, isTyped: Bool, _ faults: ServedFaults) -> LineInput? {
    let isTerminal = isatty(STDIN_FILENO) == 1
    guard isTyped || endsWithInput || self.faults != nil || isTerminal, isTyped || Self.mayRead else { return nil }
    let endsWithInput = endsWithInput
    let completer: LineEditor.Completer? = faults.takesLines ? { ServedFaults.completion(of: $0) } : nil
    let onLine: (String) -> Void = { line in
      if line.isEmpty || faults.take(line) { return }
      if isTyped { server.type(line) }
    }
    return LineInput(
      prompt: "> ", edits: !server.session.options.isJSON, completer: completer, onLine: onLine,
      onEnd: { if endsWithInput { server.end() } })
  }
}
