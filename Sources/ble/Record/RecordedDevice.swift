import BLESession
import BLESessionStore
import CoreBluetooth

/// One target of a recording: kept connected, and all that was asked for recorded.
@MainActor final class RecordedDevice {
  /// For messages.
  let title: String
  private(set) var wasReady = false
  /// Why there is no sense in going on.
  private(set) var failure: ToolError?
  var onChange: (() -> Void)?
  var onIdentified: ((UUID, String?) -> Void)?

  private let device: DeviceSession
  private let command: RecordCommand
  private let recorder: SessionRecorder
  private let progress: RecordProgress
  private var listened: Set<CharacteristicPath> = []
  private var observation: Observation?
  private var tasks: [Task<Void, Never>] = []
  private var isPrepared = false

  /// A recording goes on as long as its user wants.
  private static let policy = ReconnectPolicy(
    budget: .seconds(365 * 86_400), backOff: .init(longest: .seconds(15)),
    approach: .directThenScan(after: .seconds(5)))

  init(
    _ target: DeviceTarget, _ title: String, _ command: RecordCommand, _ recorder: SessionRecorder,
    _ central: Central, _ progress: RecordProgress
  ) {
    self.title = title
    self.command = command
    self.recorder = recorder
    self.progress = progress
    device = central.session(
      with: target,
      configuration: SessionConfiguration(
        policy: Self.policy, wakeHint: "not there yet: is it switched on and near?", patience: .seconds(10)))
  }

  func start() async {
    let device = device
    observation = await device.observeNews { news in
      DispatchQueue.main.async { MainActor.assumeIsolated { [weak self] in self?.take(news) } }
    }
    await recorder.record(device)
    if let interval = command.signalInterval {
      await recorder.recordSignal(of: device, every: .milliseconds(Int(interval * 1_000)))
    }
    // What comes of it is told as news.
    tasks.append(Task { try? await device.connect() })
  }

  nonisolated func stop() async {
    for task in await tasks { task.cancel() }
    await device.disconnect()
    await observation?.cancel()
  }

  private func take(_ news: DeviceNews) {
    let whose: KeyValuePairs<String, JSONValue> = [
      "identifier": .string(orNull: news.identifier?.uuidString), "name": .string(orNull: news.name),
    ]
    switch news.event {
    case .ready(let origin):
      wasReady = true
      progress.event(
        "connected", JSONValue.object(["origin": .string(origin.rawValue)]).preceded(by: whose),
        note: "Connected to \(title).")
      if let identifier = news.identifier { onIdentified?(identifier, news.name) }
      tasks.append(Task { await prepare() })
    case .disconnected(.lost(let error)):
      let reason = error?.localizedDescription
      progress.event(
        "disconnected", JSONValue.object(["reason": .string(orNull: reason)]).preceded(by: whose),
        note: "Lost \(title)\(reason.map { ": \($0.inert)" } ?? ""). It is won back when it is there.")
    case .hint(let hint): progress.note("\(title) is \(hint)")
    case .attemptFailed(_, let error): progress.note("\(title): \(error.localizedDescription.inert)")
    case .subscriptionFailed(let path, let error):
      progress.note("\(title) does not notify \(path): \(error.localizedDescription.inert)")
    case .state(.stopped(let reason)): stopped(reason)
    default: break
    }
    onChange?()
  }

  private func stopped(_ reason: StopReason) {
    switch reason {
    case .user, .poweredOff: break
    case .unauthorized: failure = ToolError(.unauthorized)
    case .unsupported: failure = ToolError(.unsupported)
    case .bondLost:
      failure = ToolError(.failed, "\(title) forgot the pairing: remove it here, too, and pair anew.")
    default: failure = ToolError(.failed, "\(title) cannot be kept: \(reason.rawValue).")
    }
  }

  /// Finds out what there is to listen to and to read.
  private func prepare() async {
    let found = await device.services().flatMap(\.characteristics)
    guard !found.isEmpty else { return }
    let isEverything = command.subscriptions.isEmpty && command.readings.isEmpty
    for characteristic in found where characteristic.notifies && !listened.contains(characteristic.path) {
      guard isEverything || command.subscriptions.contains(where: { $0.matches(characteristic.path) }) else { continue }
      listened.insert(characteristic.path)
      await recorder.recordValues(from: characteristic.path, of: device)
    }
    if isPrepared { return }
    isPrepared = true
    for name in command.subscriptions + command.readings where !found.contains(where: { name.matches($0.path) }) {
      progress.note("\(title) has no characteristic \(name).")
    }
    for name in command.subscriptions
    where !found.contains(where: { name.matches($0.path) && $0.notifies })
      && found.contains(where: { name.matches($0.path) })
    {
      progress.note("\(title) does not notify \(name): try --read.")
    }
    let paths = found.map(\.path).filter { path in command.readings.contains { $0.matches(path) } }
    if !paths.isEmpty { tasks.append(Task { await read(paths) }) }
  }

  private func read(_ paths: [CharacteristicPath]) async {
    while !Task.isCancelled {
      for path in paths where await device.state == .ready {
        do throws(SessionError) {
          _ = try await recorder.read(path, of: device)
        } catch {
          let detail = "\(path): \(error.description)"
          recorder.add(.event(kind: "readFailed", detail: detail), device: await device.identifier)
        }
      }
      try? await Task.sleep(for: .milliseconds(Int(command.readInterval * 1_000)))
    }
  }
}
