import BLESession
import CoreBluetooth

/// `ble watch`: keeps a device connected and shows its state.
struct WatchCommand: ToolCommand {
  static let characteristic = Parameter.options(
    "characteristic", "characteristic", "Watch this characteristic's values: notified, or otherwise read repeatedly.",
    of: CharacteristicName.self)
  static let budget = Parameter.option(
    "budget", "seconds", standard: "60", "The time limit of each reconnection.", \Seconds.value)
  static let interval = Parameter.option(
    "interval", "seconds", standard: "1", "The time between two measurements of the signal.", \Seconds.value)

  static let node = CommandNode(
    "watch", abstract: "Keep a device connected, and show its signal and values.",
    discussion: """
      Connects, and reconnects whenever the link is lost: directly if the device is known, and additionally by a scan \
      after ten seconds. On a terminal a screen with state, countdown, a chart of the signal, values, and what happened; \
      'q' ends it. Elsewhere a line for each event.

      Runs until Ctrl-C, unless --duration ends it. The status is 75 if the device did not reconnect in time.
      """,
    ExploreCommand.target, characteristic, ReadCommand.format, budget, interval, SubscribeCommand.duration,
    ScanCommand.lines, make: Self.init)

  let target: Target
  let characteristics: [CharacteristicName]
  let format: ValueFormat?
  let budget: Double
  let interval: Double
  let duration: Double?
  let wantsLines: Bool

  func run(in session: Session) async throws(ToolError) {
    try await session.adapterIsReady(within: duration)
    let paths = characteristics.compactMap(\.paths.first)
    let kept = try await KeptDevice(
      target, SessionConfiguration(policy: ReconnectPolicy(budget: .milliseconds(Int(budget * 1_000)))), in: session)
    let watch = DeviceWatch(kept, self, paths, in: session)
    try await always(watch.end, after: watch.run)
  }
}

/// One run of `ble watch`.
@MainActor private final class DeviceWatch {
  private let kept: KeptDevice
  private let command: WatchCommand
  private let paths: [CharacteristicPath]
  private let session: Session
  private var board: DeviceBoard
  private var screen: Screen?
  private let start = Date()
  private var failure: ToolError?
  private var isLeft = false
  /// Set when the command ends: later events are ignored.
  private var isOver = false

  private var time: Double { Date().timeIntervalSince(start) }

  init(_ kept: KeptDevice, _ command: WatchCommand, _ paths: [CharacteristicPath], in session: Session) {
    self.kept = kept
    self.command = command
    self.paths = paths
    self.session = session
    board = DeviceBoard(
      title: "\(kept.name?.inert ?? "(no name)")  \(kept.identifier?.uuidString ?? "")", values: paths.map(Self.title))
    guard !command.wantsLines else { return }
    screen = Screen(
      in: session,
      picture: { [weak self] columns, rows in
        guard let self else { return [] }
        return self.board.picture(columns: columns, rows: rows, at: self.time, session.output.style)
      },
      onKey: { [weak self] key in
        guard key == "q" else { return }
        self?.isLeft = true
        session.waiting.changed()
      })
  }

  private static func title(_ path: CharacteristicPath) -> String {
    AssignedNames.labelled(characteristic: path.characteristic.uuidString)
  }

  func run() async throws(ToolError) {
    await kept.observe { [weak self] in self?.take($0) }
    for (index, path) in paths.enumerated() {
      kept.listen(to: path) { [weak self] in self?.take($0, of: index) }
    }
    kept.measure(every: command.interval, SignalFilter()) { [weak self] in self?.take($0) }
    let device = kept.device
    try await session.wait { () async throws(SessionError) in try await device.connect() }
    do {
      try await session.waiting.until(within: command.duration) { () throws(ToolError) in
        if let failure = self.failure { throw failure }
        return self.isLeft
      }
    } catch {
      guard error.status == .timedOut, failure == nil else { throw error }
    }
  }

  func end() async {
    isOver = true
    if let screen {
      screen.close()
      session.output.note("\(kept.title): \(board.situation(at: time)).")
    }
    await kept.close()
  }

  private func take(_ event: SessionEvent) {
    if isOver { return }
    board.apply(event, at: time)
    screen?.changed()
    if case .subscriptionFailed(let path, _) = event, let index = paths.firstIndex(of: path) {
      kept.repeating(every: command.interval) { [weak self] device in
        if let value = try? await device.read(path) { self?.take(Array(value), of: index) }
      }
    }
    if case .state(.stopped(let reason)) = event { failure = SessionReport.failure(reason, of: kept.title) }
    let report = SessionReport(event)
    if screen == nil, session.output.isJSON ? report.name != nil : report.sentence != nil {
      tell(report.name ?? "", report.members, report.sentence ?? "")
    }
    session.waiting.changed()
  }

  private func take(_ strength: SignalStrength) {
    if isOver { return }
    board.apply(strength)
    screen?.changed()
    if screen == nil { tell("rssi", strength.json, strength.sentence(session.output.style)) }
  }

  private func take(_ value: [UInt8], of index: Int) {
    if isOver { return }
    let uuid = paths[index].characteristic.uuidString
    let text = command.format.flatMap { try? $0.text(of: value) } ?? AssignedValues.describe(value, of: uuid)
    board.apply(text, of: index, at: time)
    screen?.changed()
    guard screen == nil else { return }
    var members = AttributePlace.values(value, of: uuid, command.format)
    members = members.preceded(by: [
      "service": .string(orNull: paths[index].service?.uuidString), "characteristic": .string(uuid),
    ])
    tell("value", members, "\(board.values[index].title)  \(text)")
  }

  private func tell(_ name: String, _ members: JSONValue, _ sentence: @autoclosure () -> String) {
    session.output.event(name, members.preceded(by: kept.members), sentence())
  }
}
