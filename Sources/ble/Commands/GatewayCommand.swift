import BLEGateway
import Foundation

/// `ble gateway`: devices on the topics of an MQTT broker.
struct GatewayCommand: ToolCommand {
  static let file = Parameter<GatewayFileSource>.argument(
    "config", "The configuration file (JSON): see Docs/gateway.md.")
  static let isCheck = Parameter.flag("check", "Say whether the file has mistakes, and end.")

  static let node = CommandNode(
    "gateway", abstract: "Keep devices, and say what they say on the topics of an MQTT broker.",
    discussion: """
      Connects to the devices that the file names and reconnects whenever a link is lost, listens to advertisements, and publishes \
      values, advertisements and events as JSON. What the broker does not have yet waits in a file, also across restarts and \
      power failures. Commands are taken on topics that the file allows, done once each, and answered.

      Runs until Ctrl-C.

        ble gateway --check attic.json
        ble gateway attic.json
      """,
    file, isCheck
  ) { (source, isCheck) throws(UsageError) in GatewayCommand(source: source, isCheck: isCheck) }

  let source: GatewayFileSource
  let isCheck: Bool

  func run(in session: Session) async throws(ToolError) {
    let configuration = try source.load()
    if isCheck {
      let members: JSONValue = [
        "file": .string(source.path), "gateway": .string(configuration.name),
        "devices": .array(configuration.devices.map { .string($0.name) }),
        "outbox": .string(configuration.outbox),
      ]
      let devices = configuration.devices.count == 1 ? "1 device" : "\(configuration.devices.count) devices"
      if session.output.isJSON { return session.output.json(members) }
      return session.output.line(
        "\(source.path.inert): no mistakes. The gateway \(configuration.name) keeps \(devices); its broker is \(configuration.broker.address)."
      )
    }
    let run = GatewayRun(configuration, from: source, in: session)
    try await run.run()
  }
}

/// A configuration file, by its path.
struct GatewayFileSource: Equatable, Sendable {
  let path: String

  /// Returns the configuration. Throws the mistakes as `file:line:column: what was expected`.
  /// - Parameter environment: of a service, it has the folder that systemd gives it to write in (systemd.exec(5), StateDirectory=).
  func load(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ToolError) -> GatewayConfiguration {
    let octets = try InputFile.read(path, "a configuration", limit: GatewayConfiguration.largestFile)
    do throws(FileMistakes) {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let stateFolder = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map { String($0) }
      return try GatewayConfigurationReader.read(octets: octets, folder: folder, stateFolder: stateFolder)
    } catch {
      throw ToolError(.badData, error.lines(in: path).joined(separator: "\n"))
    }
  }
}

extension GatewayFileSource: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    if argument.isEmpty { throw ArgumentValueError("expected the path of a configuration file") }
    path = argument
  }
}
