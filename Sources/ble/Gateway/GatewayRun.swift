import BLEGateway
import BLEWeb
import BLESession
import BLESessionCryptography
import BLESessionStore
import CoreBluetooth

/// One run of `ble gateway`.
@MainActor final class GatewayRun {
  private let configuration: GatewayConfiguration
  /// The file that a reload reads again.
  private let source: GatewayFileSource
  private let session: Session
  var output: Output { session.output }

  init(_ configuration: GatewayConfiguration, from source: GatewayFileSource, in session: Session) {
    self.configuration = configuration
    self.source = source
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
    let metrics = try startMetrics(of: gateway)
    defer { metrics?.stop() }
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
    session.service.ready(
      "Publishing", reload: { [weak self] () async throws(ToolError) in try await self?.reload(gateway) },
      isAlive: { await gateway.isAlive() })
    let stopping: @Sendable () async -> Void = { await gateway.stop() }
    try await always(
      { await session.settle(within: 5, stopping) },
      after: { () async throws(ToolError) in try await session.waiting.until(within: nil) { false } })
  }

  /// Reads the configuration and its device files again.
  private func reload(_ gateway: Gateway) async throws(ToolError) {
    let changes: GatewayChanges
    do {
      changes = try await gateway.reload(try source.load())
    } catch {
      throw Self.failure(error)
    }
    output.event(
      "reloaded",
      [
        "added": .array(changes.added.map(JSONValue.string)), "removed": .array(changes.removed.map(JSONValue.string)),
        "changed": .array(changes.changed.map(JSONValue.string)), "listening": .bool(changes.listening),
      ], "Reloaded: \(changes.sentence)")
  }

  /// Forwards reports once there is a receiver.
  @MainActor private final class Reports {
    var tell: ((GatewayReport) -> Void)?
  }

  private func attempt<Value>(_ body: () throws -> Value) throws(ToolError) -> Value {
    do { return try body() } catch { throw Self.failure(error) }
  }

  static func failure(_ error: any Error) -> ToolError {
    switch error {
    case let error as ToolError: error
    case let error as GatewayNeedsRestart:
      ToolError(.badData, "\"\(error.member)\" has changed: that takes a restart.")
    case let error as StoreError where error.code == .inUse:
      ToolError(
        .failed, "\(error.file.inert): another gateway has this outbox: end that one, or name another \"file\".")
    case let error as StoreError: ToolError(error)
    case let error as SessionError: ToolError(error)
    case let error as SecretError: ToolError(.badData, "The keys cannot be used: \(error.reason).")
    default: ToolError(.failed, error.localizedDescription.inert)
    }
  }
}

extension GatewayChanges {
  /// The end of a sentence.
  fileprivate var sentence: String {
    var parts: [String] = []
    for (what, names) in [("added", added), ("removed", removed), ("changed", changed)] where !names.isEmpty {
      parts.append("\(what) \(names.joined(separator: ", "))")
    }
    if listening { parts.append("other advertisements") }
    return parts.isEmpty ? "nothing is different." : parts.joined(separator: "; ") + "."
  }
}
