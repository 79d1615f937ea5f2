import BLESession
import CoreBluetooth

/// A device that a command keeps connected.
@MainActor final class KeptDevice {
  let device: DeviceSession
  /// The device's identifier and the name under which it was found; `nil` before it was found.
  private(set) var identifier: UUID?
  private(set) var name: String?
  private let called: String?
  private let session: Session
  private var observation: Observation?
  private var tasks: [Task<Void, Never>] = []

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
  convenience init(_ target: Target, policy: ReconnectPolicy, in session: Session) async throws(ToolError) {
    let central = try await Central.started(in: session)
    let (identifier, name) = try await central.find(target, in: session)
    var rule = MatchRule.identifier(identifier)
    // A device that was named on the command line may return with a new identifier.
    if case .name(let name) = target { rule = .either([rule, .names([name])]) }
    self.init(
      DeviceTarget(identifier: identifier, rule: rule), nil, SessionConfiguration(policy: policy), by: central,
      in: session)
    self.identifier = identifier
    self.name = name
  }

  /// Calls `tell` for each event from now on.
  func observe(_ tell: @escaping @MainActor (SessionEvent) -> Void) async {
    observation = await device.observeNews { news in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { [weak self] in
          guard let self else { return }
          identifier = identifier ?? news.identifier
          name = name ?? news.name
          tell(news.event)
        }
      }
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
