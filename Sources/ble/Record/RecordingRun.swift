import BLECore
import BLESession
import BLESessionStore
import CoreBluetooth

/// One run of `ble record`.
@MainActor final class RecordingRun {
  private let command: RecordCommand
  private let session: Session
  private let store: SessionStore
  private let progress: RecordProgress
  private var recorder: SessionRecorder?
  private var central: Central?
  private var targets: [Target]
  private var devices: [DeviceRecording] = []
  private var scan: Observation?
  /// Devices whose addresses were recorded.
  private var addressed: Set<UUID> = []
  private var failure: ToolError?

  /// A limit, because an attacker can simulate any number of devices.
  private static let mostAddressed = 65_536

  /// Opens the file before the radio is used.
  init(_ command: RecordCommand, in session: Session) async throws(ToolError) {
    self.command = command
    self.session = session
    targets = command.targets
    let progress = RecordProgress(session.output)
    self.progress = progress
    let reports = Reports()
    do throws(StoreError) {
      store = try SessionStore(
        file: URL(fileURLWithPath: command.path),
        configuration: StoreConfiguration(
          interval: .milliseconds(Int(command.commitInterval * 1_000)), patience: .seconds(1),
          retention: command.retention
        ) { report in
          onMain { reports.tell?(report) }
        })
    } catch {
      throw ToolError(error)
    }
    reports.tell = { [weak self] in self?.take($0) }
  }

  /// Forwards the store's reports once a receiver is set.
  @MainActor private final class Reports {
    var tell: ((StoreReport) -> Void)?
  }

  func run() async throws(ToolError) {
    try await session.adapterIsReady(within: command.duration)
    let central = try await Central.started(in: session)
    let found = try await resolve(targets, by: central)
    let recorder = try await begin()
    for (target, device) in found { await start(target, device, recorder, by: central) }
    self.central = central
    if command.scans { await startScan(recorder, by: central) }
    progress.begin(store)
    progress.event(
      "recording",
      ["file": .string(command.path), "session": .integer(Int(recorder.session)), "scan": .bool(command.scans)],
      note: "Recording into \(command.path.inert) (session \(recorder.session)). Ctrl-C ends it.")
    do {
      try await session.waiting.until(within: command.duration) { () throws(ToolError) in
        if let failure = self.failure { throw failure }
        for device in self.devices { if let failure = device.failure { throw failure } }
        return false
      }
    } catch {
      guard error.status == .timedOut, failure == nil, devices.allSatisfy({ $0.failure == nil }) else { throw error }
    }
    let missing = devices.filter { !$0.wasReady }.map(\.kept.title)
    if !missing.isEmpty {
      throw ToolError(.notFound, "Never connected: \(missing.joined(separator: ", ")).")
    }
  }

  private func start(_ target: Target, _ device: DeviceTarget, _ recorder: SessionRecorder, by central: Central) async {
    let kept = KeptDevice(device, target.description, DeviceRecording.configuration, by: central, in: session)
    let recording = DeviceRecording(target, kept, command, recorder, progress)
    recording.onChange = { [session] in session.waiting.changed() }
    recording.onIdentified = { [weak self] in self?.record(addressOf: $0, name: $1) }
    devices.append(recording)
    await recording.start()
  }

  /// Records these devices from now on: those that are new are connected, those that are missing are left, the others keep their links.
  func change(to wanted: [Target]) async throws(ToolError) {
    guard !wanted.isEmpty || command.scans else { throw ToolError(.usage, "Nothing to record.") }
    guard let recorder, let central else {
      throw ToolError(.unavailable, "The recording has not begun yet: try again when it has.")
    }
    let new = wanted.filter { target in !devices.contains { $0.target == target } }
    let found = try await resolve(new, by: central)
    let gone = devices.filter { !wanted.contains($0.target) }
    devices.removeAll { !wanted.contains($0.target) }
    targets = wanted
    for device in gone {
      await device.kept.leave()
      progress.event("removed", .object(device.kept.members), note: "No longer recording \(device.kept.title).")
    }
    for (target, device) in found {
      progress.event("added", ["target": .string(target.description)], note: "Recording \(target.description) too.")
      await start(target, device, recorder, by: central)
    }
  }

  private func resolve(_ targets: [Target], by central: Central) async throws(ToolError) -> [(Target, DeviceTarget)] {
    var found: [(Target, DeviceTarget)] = []
    for target in targets { found.append((target, try await resolve(target, by: central))) }
    return found
  }

  /// The system knows an address only after the device was received, so an address is resolved by a scan.
  private func resolve(_ target: Target, by central: Central) async throws(ToolError) -> DeviceTarget {
    switch target {
    case .name(let name): .first(.names([name]))
    case .identifier(let identifier): .device(identifier)
    case .address: .device(try await central.find(target, in: session).identifier)
    }
  }

  private func begin() async throws(ToolError) -> SessionRecorder {
    let title = (["ble record"] + (command.scans ? ["--scan"] : []) + command.targets.map(\.description))
    do throws(StoreError) {
      let recorder = try await SessionRecorder.begin(in: store, title: title.joined(separator: " "))
      self.recorder = recorder
      return recorder
    } catch {
      throw ToolError(error)
    }
  }

  private func startScan(_ recorder: SessionRecorder, by central: Central) async {
    await recorder.recordScan(by: central)
    scan = await central.observeDiscoveries { discovery in
      onMain { [weak self] in self?.record(addressOf: discovery.identifier, name: discovery.name) }
    }
  }

  private func record(addressOf identifier: UUID, name: String?) {
    guard addressed.count < Self.mostAddressed, !addressed.contains(identifier),
      let address = PeerAddresses.address(of: identifier)
    else { return }
    addressed.insert(identifier)
    recorder?.add(.sighting(Advertisement()), device: identifier, name: name, address: address.description)
  }

  private func take(_ report: StoreReport) {
    switch report {
    case .committed(let statistics): progress.committed(statistics, session: recorder?.session)
    case .failed(let error) where error.isTransient:
      progress.note("\(error.description.inert): recorded data is kept, and writing is retried every second.")
    case .failed(let error):
      failure = ToolError(error)
      session.waiting.changed()
    }
  }

  /// Disconnects the devices and commits everything.
  func end() async throws(ToolError) {
    scan?.cancel()
    var isOver = false
    var problem: StoreError?
    let (devices, recorder, store) = (devices, recorder, store)
    Task { [session] in
      await withTaskGroup(of: Void.self) { group in
        for device in devices { group.addTask { await device.kept.leave() } }
      }
      do throws(StoreError) {
        try await recorder?.end()
        try await store.close()
      } catch {
        problem = error
        try? await store.close()
      }
      isOver = true
      session.waiting.changed()
    }
    // A second Ctrl-C does not wait, nor does a disk that never answers: see `Signals`.
    try await session.waiting.until(within: nil, isCleanUp: true) { isOver }
    progress.finish(store.statistics, command.path)
    if let problem, problem.code != .closed { throw ToolError(problem) }
  }
}
