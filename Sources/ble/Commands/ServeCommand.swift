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

      Runs until Ctrl-C and prints what happens: advertising, subscribed, unsubscribed, read, written, notified, passkey, \
      paired, pairing-failed.
      """,
    profile, name, SubscribeCommand.duration, untilInputEnds, make: Self.init)

  let source: ProfileSource
  let name: String?
  let duration: Double?
  let endsWithInput: Bool

  func run(in session: Session) async throws(ToolError) {
    try session.pairing.serve(nil)
    switch try source.load() {
    case .device(let description):
      if let clone = try ClonePlayer(description, name: name, in: session) {
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
    let server = ProfileServer(profile, in: session)
    let input = listen(for: profile, server)
    defer { input?.stop() }
    if let duration { onMain(after: duration) { server.end() } }
    try await server.run()
  }

  /// Simulates a described device.
  @MainActor private func play(_ description: DeviceDescription, in session: Session) async throws(ToolError) {
    let player = try DevicePlayer(description, name: name, in: session)
    let endsWithInput = endsWithInput
    // A background process that reads from the terminal is stopped by SIGTTIN.
    let mayRead = isatty(STDIN_FILENO) != 1 || tcgetpgrp(STDIN_FILENO) == getpgrp()
    let input =
      mayRead
      ? LineInput(
        prompt: "> ", edits: !session.options.isJSON, onLine: { if !$0.isEmpty { player.type($0) } },
        onEnd: { if endsWithInput { player.end() } }) : nil
    defer { input?.stop() }
    if let duration { onMain(after: duration) { player.end() } }
    try await player.run()
  }

  /// Reads the standard input if the profile notifies typed lines or the end of the input ends the command.
  @MainActor private func listen(for profile: Profile, _ server: ProfileServer) -> LineInput? {
    let isTyped = profile.services.contains { $0.characteristics.contains { $0.notifications == .input } }
    guard isTyped || endsWithInput else { return nil }
    let endsWithInput = endsWithInput
    return LineInput(
      prompt: "> ", edits: isTyped && !server.session.options.isJSON,
      onLine: { if isTyped, !$0.isEmpty { server.type($0) } }, onEnd: { if endsWithInput { server.end() } })
  }
}
