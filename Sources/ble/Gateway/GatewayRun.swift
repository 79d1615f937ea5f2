import BLEGateway
import BLESession
import BLESessionCryptography
import BLESessionStore
import CoreBluetooth

/// One run of `ble gateway`.
@MainActor final class GatewayRun {
  private let configuration: GatewayConfiguration
  private let session: Session
  private var output: Output { session.output }

  init(_ configuration: GatewayConfiguration, in session: Session) {
    self.configuration = configuration
    self.session = session
  }

  func run() async throws(ToolError) {
    let reports = Reports()
    var surroundings = GatewaySurroundings(version: Tool.version) { PeerAddresses.address(of: $0) }
    surroundings.cryptography = SystemCryptography()
    let gateway = try attempt {
      try Gateway(configuration, central: Central(), surroundings) { report in onMain { reports.tell?(report) } }
    }
    reports.tell = { [weak self] in self?.take($0) }
    if !configuration.devices.isEmpty || !configuration.listening.isEmpty {
      try await session.adapterIsReady(within: nil)
    }
    output.event(
      "started", ["gateway": .string(configuration.name), "broker": .string(configuration.broker.address)],
      "The gateway \(configuration.name) connects to the broker \(configuration.broker.address). Ctrl-C ends it.")
    do {
      try await gateway.start()
    } catch {
      throw Self.failure(error)
    }
    session.service.ready("Publishing")
    let stopping: @Sendable () async -> Void = { await gateway.stop() }
    try await always(
      { await session.settle(within: 5, stopping) },
      after: { () async throws(ToolError) in try await session.waiting.until(within: nil) { false } })
  }

  /// Forwards reports once there is a receiver.
  @MainActor private final class Reports {
    var tell: ((GatewayReport) -> Void)?
  }

  private func attempt<Value>(_ body: () throws -> Value) throws(ToolError) -> Value {
    do { return try body() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: any Error) -> ToolError {
    switch error {
    case let error as StoreError where error.code == .inUse:
      ToolError(
        .failed, "\(error.file.inert): another gateway has this outbox: end that one, or name another \"file\".")
    case let error as StoreError: ToolError(error)
    case let error as SessionError: ToolError(error)
    default: ToolError(.failed, error.localizedDescription.inert)
    }
  }

  private func take(_ report: GatewayReport) {
    switch report {
    case .connected(let version):
      output.event(
        "broker", ["status": "connected", "mqtt": .string(version.rawValue), "reason": .null, "retry": .null],
        "Connected to the broker, with MQTT \(version.rawValue).")
    case .disconnected(let reason, let pause):
      let seconds = (pause.seconds * 10).rounded() / 10
      output.event(
        "broker",
        ["status": "disconnected", "mqtt": .null, "reason": .string(reason), "retry": .number(seconds)],
        "No link to the broker: \(reason.inert). It is tried again in \(seconds.plain) s.")
    case .device(let name, let event):
      let report = SessionReport(event)
      guard let word = report.name else { return }
      if output.isJSON {
        output.event(word, report.members.preceded(by: ["device": .string(name)]), "")
      } else if let sentence = report.sentence {
        output.event(word, report.members.preceded(by: ["device": .string(name)]), "\(name): \(sentence)")
      }
    case .command(let device, let id, let outcome):
      output.event(
        "command", ["device": .string(device), "id": .string(orNull: id), "outcome": .string(outcome)],
        "\(device): command \(id.map { "'\($0.inert)'" } ?? "without an id"): \(outcome)")
    case .dropped(let losses):
      output.event(
        "dropped",
        [
          "advertisements": .integer(Int(losses.advertisements)), "values": .integer(Int(losses.values)),
          "events": .integer(Int(losses.events)),
        ],
        "The outbox is full: \(losses.advertisements) advertisements, \(losses.values) values and \(losses.events) events were dropped."
      )
    case .notWritten(let reason):
      output.event(
        "outbox", ["status": "failing", "reason": .string(reason)],
        "The outbox cannot be written: \(reason.inert). What comes in is kept in memory, and tried again every second.")
    case .writtenAgain:
      output.event("outbox", ["status": "working", "reason": .null], "The outbox can be written again.")
    case .collected: break
    case .notCollected(let reason):
      output.event(
        "collecting", ["status": "failing", "reason": .string(reason)],
        "Messages cannot be stored: \(reason.inert). The broker sends them again.")
    case .unsendable(let topic):
      output.event(
        "unsendable", ["topic": .string(topic)],
        "A message on \(topic.inert) is longer than the broker takes, and was dropped.")
    }
  }
}
