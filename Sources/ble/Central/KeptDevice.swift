import BLESession
import CoreBluetooth

/// A device that a command uses, once or for as long as it runs.
@MainActor final class KeptDevice {
  let device: DeviceSession
  /// The device's identifier and the name under which it was found; `nil` before it was found.
  private(set) var identifier: UUID?
  private(set) var name: String?
  private let called: String?
  private var observation: Observation?
  private var tasks: [Task<Void, Never>] = []
  /// Why the device cannot be used; `nil` while it is connected.
  private(set) var linkFailure: ToolError? = KeptDevice.noLink
  let session: Session

  private static let noLink = ToolError(.failed, "There is no connection.")
  private static let year = Duration.seconds(31_536_000)

  /// One connection, made at the first attempt or not at all. The time limits are those of the commands, which are suspended while the
  /// user is asked.
  static let once = SessionConfiguration(
    policy: ReconnectPolicy(
      isAutomatic: false, budget: year, maximumAttempts: 1, backOff: .init(first: .zero), approach: .direct),
    answerTime: year)

  /// The same for what needs no attributes: nothing of the device's database is read.
  static let onceWithoutServices: SessionConfiguration = {
    var configuration = once
    configuration.services = []
    return configuration
  }()

  /// The device's name in messages.
  var title: String { called ?? name.map { "'\($0.inert)'" } ?? identifier?.uuidString ?? "the device" }

  /// Creates a session without searching or connecting.
  init(
    _ target: DeviceTarget, _ called: String?, _ configuration: SessionConfiguration, by central: Central,
    in session: Session
  ) {
    self.called = called
    self.session = session
    device = central.session(with: target, configuration: configuration)
  }

  /// Searches for the device; does not connect.
  convenience init(
    _ target: Target, _ configuration: SessionConfiguration = once, in session: Session
  ) async throws(ToolError) {
    let central = try await Central.started(in: session)
    let (identifier, name) = try await central.find(target, in: session)
    var rule = MatchRule.identifier(identifier)
    // A device that was named on the command line may return with a new identifier.
    if case .name(let name) = target { rule = .either([rule, .names([name])]) }
    self.init(DeviceTarget(identifier: identifier, rule: rule), nil, configuration, by: central, in: session)
    self.identifier = identifier
    self.name = name
  }

  /// Finds a device, connects once, runs `work`, and disconnects in any case.
  static func use<Result: Sendable>(
    _ target: Target, _ configuration: SessionConfiguration = once, in session: Session,
    _ work: @MainActor (KeptDevice) async throws(ToolError) -> Result
  ) async throws(ToolError) -> Result {
    let device = try await KeptDevice(target, configuration, in: session)
    return try await always(device.close) { () async throws(ToolError) in
      try await device.connect()
      return try await work(device)
    }
  }

  /// Calls `tell` for each event from now on.
  func observe(_ tell: @escaping @MainActor (SessionEvent) -> Void = { _ in }) async {
    observation?.cancel()
    observation = await device.observeNews { news in
      onMain { [weak self] in
        guard let self else { return }
        identifier = identifier ?? news.identifier
        name = name ?? news.name
        follow(news.event)
        tell(news.event)
      }
    }
  }

  private func follow(_ event: SessionEvent) {
    switch event {
    case .ready: linkFailure = nil
    case .disconnected(.user): linkFailure = Self.noLink
    case .disconnected(.lost(let error)): linkFailure = linkFailure("The connection to \(title) ended", error)
    default: return
    }
    session.waiting.changed()
  }

  /// Throws if there is no link.
  func requireLink() throws(ToolError) {
    if let linkFailure { throw linkFailure }
  }

  /// Connects, and waits until the device can be used.
  func connect() async throws(ToolError) {
    if observation == nil { await observe() }
    let late = ToolError(.timedOut, "No connection to \(title) within \(session.timeout.plain) s.")
    try await answer("Discovering services", late) { (device) async throws(SessionError) in try await device.connect() }
  }

  /// Sends one request and waits for its answer; `operation` says in messages what it is for.
  func ask<Value: Sendable>(
    _ operation: String, _ request: @escaping @Sendable (DeviceSession) async throws(SessionError) -> Value
  ) async throws(ToolError) -> Value {
    try requireLink()
    let late = ToolError(.timedOut, "\(operation): no answer within \(session.timeout.plain) s.")
    return try await answer(operation, late, request)
  }

  private func answer<Value: Sendable>(
    _ operation: String, _ late: ToolError,
    _ request: @escaping @Sendable (DeviceSession) async throws(SessionError) -> Value
  ) async throws(ToolError) -> Value {
    let device = device
    let result = try await session.result(within: session.timeout, else: late) { () async throws(SessionError) in
      try await request(device)
    }
    do {
      return try result.get()
    } catch {
      throw failure(operation, error)
    }
  }

  private func failure(_ operation: String, _ error: SessionError) -> ToolError {
    let last = error.code == .attemptsSpent ? error.underlying as? SessionError ?? error : error
    switch last.code {
    case .refused: return last.underlying.map { .failed(operation, $0) } ?? ToolError(last)
    // The event says better than the error what has happened to the adapter.
    case .unavailable where linkFailure?.status == .unavailable: return linkFailure ?? ToolError(last)
    case .notConnected, .unavailable: return linkFailure("No connection to \(title)", last)
    case .connectionLost, .bondLost: return linkFailure("The connection to \(title) ended", last)
    default: return ToolError(last)
    }
  }

  /// The error for a link that was not established or has ended.
  private func linkFailure(_ beginning: String, _ error: (any Error)?) -> ToolError {
    var cause = error
    while let error = cause as? SessionError {
      if error.code == .unavailable { return .unavailable(error) }
      cause = error.underlying
    }
    guard let cause else { return Self.noLink }
    var message = "\(beginning): \(cause.localizedDescription.inert)"
    if (cause as? CBError)?.code == .peerRemovedPairingInformation, let identifier {
      message += ". 'ble unpair \(identifier.uuidString)' removes the keys here; then it can be paired again."
    }
    return ToolError(.failed, message)
  }

  /// Waits for a condition that depends on the device, while the link is up.
  func until(within seconds: Double?, _ condition: @escaping @MainActor () -> Bool) async throws(ToolError) {
    try await session.waiting.until(within: seconds) { () throws(ToolError) in
      if condition() { return true }
      try self.requireLink()
      return false
    }
  }

  /// The JSON members that identify the device.
  var members: KeyValuePairs<String, JSONValue> {
    ["identifier": .string(orNull: identifier?.uuidString), "name": .string(orNull: name)]
  }

  /// Runs a task until the device is disconnected.
  func start(_ work: @escaping @Sendable @MainActor (DeviceSession) async -> Void) {
    tasks.append(Task { [device] in await work(device) })
  }

  /// Calls `tell` with each value of a characteristic, over all reconnections.
  func listen(to path: CharacteristicPath, _ tell: @escaping @MainActor ([UInt8]) -> Void) {
    let values = device.notifications(from: path, buffering: .newest(4_096))
    start { _ in for await value in values { tell(Array(value)) } }
  }

  /// Calls `tell` with the RSSI at each interval, while the session is ready.
  func measure(
    every interval: Double, _ filter: SignalFilter, _ tell: @escaping @MainActor (SignalStrength) -> Void
  ) {
    let strengths = device.signalStrengths(every: .milliseconds(Int(interval * 1_000)), filter: filter)
    start { _ in for await strength in strengths { tell(strength) } }
  }

  /// Runs `work` at each interval, while the session is ready.
  func repeating(
    every interval: Double, _ work: @escaping @Sendable @MainActor (DeviceSession) async -> Void
  ) {
    start { device in
      while !Task.isCancelled {
        if await device.state == .ready { await work(device) }
        try? await Task.sleep(for: .milliseconds(Int(max(0.1, interval) * 1_000)))
      }
    }
  }

  /// Disconnects, with a short time limit; the device can be connected again.
  func disconnect() async { await session.settle { [device] in await device.disconnect() } }

  /// Disconnects, without a time limit.
  func leave() async {
    for task in tasks { task.cancel() }
    tasks = []
    await device.disconnect()
    observation?.cancel()
  }

  /// Disconnects, with a short time limit.
  func close() async { await session.settle { await self.leave() } }
}
