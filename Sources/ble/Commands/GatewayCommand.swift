import BLEGateway
import Foundation

/// `ble gateway`: devices on the topics of an MQTT broker.
struct GatewayCommand: ToolCommand {
  static let file = Parameter<GatewayFileSource>.argument(
    "config", "The configuration file (JSON): see Docs/gateway.md.")
  static let isCheck = Parameter.flag("check", "Say whether the file and those with its keys have mistakes, and end.")

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
      do throws(SecretError) { try GatewayKeyFiles.check(configuration) } catch { throw GatewayRun.failure(error) }
      return session.output.isJSON
        ? session.output.json(checked(configuration)) : session.output.line(checkedLine(configuration))
    }
    let run = GatewayRun(configuration, from: source, in: session)
    try await run.run()
  }

  private func checked(_ configuration: GatewayConfiguration) -> JSONValue {
    [
      "file": .string(source.path), "gateway": .string(configuration.name),
      "devices": .array(configuration.devices.map { .string($0.name) }),
      "listens": .bool(!configuration.listening.isEmpty), "collects": .bool(configuration.collection != nil),
      "presence": .bool(configuration.presence != nil), "merges": .bool(configuration.merging != nil),
      "outbox": .string(configuration.outbox),
    ]
  }

  private func checkedLine(_ configuration: GatewayConfiguration) -> String {
    var parts: [String] = []
    let count = configuration.devices.count
    if count > 0 { parts.append(count == 1 ? "keeps 1 device" : "keeps \(count) devices") }
    if !configuration.listening.isEmpty { parts.append("listens to advertisements") }
    if configuration.collection != nil { parts.append("collects what all gateways publish") }
    if configuration.presence != nil { parts.append("publishes in which rooms devices are") }
    if configuration.merging != nil { parts.append("merges what several gateways hear") }
    let last = parts.popLast() ?? ""
    let all = parts.isEmpty ? last : "\(parts.joined(separator: ", ")) and \(last)"
    return
      "\(source.path.inert): no mistakes. The gateway \(configuration.name) \(all); its broker is \(configuration.broker.address)."
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
