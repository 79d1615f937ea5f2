import BLESession
import CoreBluetooth

/// A device that BLESession keeps for a command: found, connected, won back.
@MainActor final class KeptDevice {
  let device: DeviceSession
  let identifier: UUID
  /// The name under which it was found.
  let name: String?
  private let session: Session
  private var tasks: [Task<Void, Never>] = []

  /// For messages.
  var title: String { name.map { "'\($0.inert)'" } ?? identifier.uuidString }

  /// Looks for the device; nothing is connected yet.
  init(_ target: Target, policy: ReconnectPolicy, in session: Session) async throws(ToolError) {
    let search = ToolCentral(in: session)
    try await search.start()
    let found = try await search.find(target)
    self.session = session
    identifier = found.peripheral.identifier
    name = found.name
    var rule = MatchRule.identifier(identifier)
    // Who was called by name may come back under another identifier.
    if case .name(let name) = target { rule = .either([rule, .names([name])]) }
    let central = Central()
    try await session.wait(within: session.timeout) { () async throws(SessionError) in try await central.ready() }
    device = central.session(
      with: DeviceTarget(identifier: identifier, rule: rule), configuration: SessionConfiguration(policy: policy))
  }

  /// Tells what happens to it from now on.
  func observe(_ tell: @escaping @MainActor (SessionEvent) -> Void) async {
    await device.observe { timed in
      DispatchQueue.main.async { MainActor.assumeIsolated { tell(timed.event) } }
    }
  }

  /// Tells each value of a characteristic, over every loss and return.
  func listen(to path: CharacteristicPath, _ tell: @escaping @MainActor ([UInt8]) -> Void) {
    let values = device.notifications(from: path, buffering: .newest(4_096))
    tasks.append(Task { for await value in values { tell(Array(value)) } })
  }

  /// Tells its signal's strength every so often, while it is there.
  func measure(
    every interval: Double, _ filter: SignalFilter, _ tell: @escaping @MainActor (SignalReading) -> Void
  ) {
    let strengths = device.signalStrengths(every: .milliseconds(Int(interval * 1_000)), filter: filter)
    tasks.append(Task { for await strength in strengths { tell(SignalReading(strength)) } })
  }

  /// Reads a characteristic every so often, where nothing notifies.
  func poll(_ path: CharacteristicPath, every interval: Double, _ tell: @escaping @MainActor ([UInt8]) -> Void) {
    let device = device
    tasks.append(
      Task {
        while !Task.isCancelled {
          if await device.state == .ready, let value = try? await device.read(path) { tell(Array(value)) }
          try? await Task.sleep(for: .milliseconds(Int(max(0.1, interval) * 1_000)))
        }
      })
  }

  /// Leaves the device in good order.
  func close() async {
    for task in tasks { task.cancel() }
    tasks = []
    let device = device
    await session.settle { await device.disconnect() }
  }
}
