import BLESession
import BLESessionStore
import CoreBluetooth

/// The recording of one device.
@MainActor final class DeviceRecording {
  private(set) var wasReady = false
  /// Why the recording cannot continue.
  private(set) var failure: ToolError?
  var onChange: (() -> Void)?
  var onIdentified: ((UUID, String?) -> Void)?

  /// As it was named.
  let target: Target
  let kept: KeptDevice
  private let command: RecordCommand
  private let recorder: SessionRecorder
  private let progress: RecordProgress
  private var listened: Set<CharacteristicPath> = []
  private var isPrepared = false
  private var device: DeviceSession { kept.device }
  private var title: String { kept.title }

  /// Recordings try to reconnect without a practical time limit.
  static let configuration = SessionConfiguration(
    policy: ReconnectPolicy(
      budget: .seconds(365 * 86_400), backOff: .init(longest: .seconds(15)),
      approach: .directThenScan(after: .seconds(5))),
    wakeHint: "not connected yet: is it on and in range?", patience: .seconds(10))

  init(
    _ target: Target, _ kept: KeptDevice, _ command: RecordCommand, _ recorder: SessionRecorder,
    _ progress: RecordProgress
  ) {
    self.target = target
    self.kept = kept
    self.command = command
    self.recorder = recorder
    self.progress = progress
  }

  func start() async {
    await kept.observe { [weak self] in self?.take($0) }
    await recorder.record(device)
    if let interval = command.signalInterval {
      await recorder.recordSignal(of: device, every: .milliseconds(Int(interval * 1_000)))
    }
    // The outcome is reported by an event.
    kept.start { device in try? await device.connect() }
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .ready(let origin):
      wasReady = true
      progress.event(
        "connected", JSONValue.object(["origin": .string(origin.rawValue)]).preceded(by: kept.members),
        note: "Connected to \(title).")
      if let identifier = kept.identifier { onIdentified?(identifier, kept.name) }
      kept.start { [weak self] _ in await self?.prepare() }
    case .disconnected(.lost(let error)):
      let reason = error?.localizedDescription
      progress.event(
        "disconnected", JSONValue.object(["reason": .string(orNull: reason)]).preceded(by: kept.members),
        note: "Lost \(title)\(reason.map { ": \($0.inert)" } ?? ""). It is reconnected when it is in range.")
    case .hint(let hint): progress.note("\(title) is \(hint)")
    case .attemptFailed(_, let error): progress.note("\(title): \(error.localizedDescription.inert)")
    case .subscriptionFailed(let path, let error):
      progress.note("\(title) does not notify \(path): \(error.localizedDescription.inert)")
    case .state(.stopped(let reason)): failure = SessionReport.failure(reason, of: title)
    default: break
    }
    onChange?()
  }

  /// Determines which characteristics to subscribe to and to read.
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
    guard !paths.isEmpty else { return }
    kept.repeating(every: command.readInterval) { [recorder] device in
      for path in paths where await device.state == .ready {
        do throws(SessionError) {
          _ = try await recorder.read(path, of: device)
        } catch {
          let detail = "\(path): \(error.description)"
          recorder.add(.event(kind: "readFailed", detail: detail), device: await device.identifier)
        }
      }
    }
  }
}
