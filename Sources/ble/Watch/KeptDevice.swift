import BLESession
import CoreBluetooth

/// A device that a command keeps: found, connected, won back.
@MainActor final class KeptDevice {
  let device: DeviceSession
  /// What this host calls it, and the name under which it was found; not known where it was not found yet.
  private(set) var identifier: UUID?
  private(set) var name: String?
  private let called: String?
  private let session: Session
  private var observation: Observation?
  private var tasks: [Task<Void, Never>] = []

  /// For messages.
  var title: String { called ?? name.map { "'\($0.inert)'" } ?? identifier?.uuidString ?? "the device" }

  /// Keeps a device, found or not; nothing is connected yet.
  init(
    _ target: DeviceTarget, _ called: String?, _ configuration: SessionConfiguration, by central: Central,
    in session: Session
  ) {
    self.called = called
    self.session = session
    device = central.session(with: target, configuration: configuration)
  }

  /// Looks for the device; nothing is connected yet.
  convenience init(_ target: Target, policy: ReconnectPolicy, in session: Session) async throws(ToolError) {
    let central = try await Central.started(in: session)
    let (identifier, name) = try await central.find(target, in: session)
    var rule = MatchRule.identifier(identifier)
    // Who was called by name may come back under another identifier.
    if case .name(let name) = target { rule = .either([rule, .names([name])]) }
    self.init(
      DeviceTarget(identifier: identifier, rule: rule), nil, SessionConfiguration(policy: policy), by: central,
      in: session)
    self.identifier = identifier
    self.name = name
  }

  /// Tells what happens to it from now on.
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

  /// The members that say which device an event is about.
  var members: KeyValuePairs<String, JSONValue> {
    ["identifier": .string(orNull: identifier?.uuidString), "name": .string(orNull: name)]
  }

  /// Does something beside, until the device is left.
  func start(_ work: @escaping @Sendable @MainActor (DeviceSession) async -> Void) {
    tasks.append(Task { [device] in await work(device) })
  }

  /// Tells each value of a characteristic, over every loss and return.
  func listen(to path: CharacteristicPath, _ tell: @escaping @MainActor ([UInt8]) -> Void) {
    let values = device.notifications(from: path, buffering: .newest(4_096))
    start { _ in for await value in values { tell(Array(value)) } }
  }

  /// Tells its signal's strength every so often, while it is there.
  func measure(
    every interval: Double, _ filter: SignalFilter, _ tell: @escaping @MainActor (SignalStrength) -> Void
  ) {
    let strengths = device.signalStrengths(every: .milliseconds(Int(interval * 1_000)), filter: filter)
    start { _ in for await strength in strengths { tell(strength) } }
  }

  /// Does something every so often, while the device is there.
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

  /// Leaves the device, however long that takes.
  func leave() async {
    for task in tasks { task.cancel() }
    tasks = []
    await device.disconnect()
    observation?.cancel()
  }

  /// Leaves the device in good order, but not for long.
  func close() async { await session.settle { await self.leave() } }
}
