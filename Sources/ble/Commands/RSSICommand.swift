import BLESession
import CoreBluetooth

/// `ble rssi`: measures the RSSI of a device.
struct RSSICommand: ToolCommand {
  static let interval = Parameter.option(
    "interval", "seconds", standard: "1", "The time between two measurements.", \Seconds.value)
  static let weight = Parameter.option(
    "weight", "number", standard: "0.25", "What part a new measurement counts for, 0 to 1; 1 does not smooth at all.",
    \Fraction.value)
  static let advertisements = Parameter.flag(
    "advertisements", "Measure what the device advertises instead of connecting to it.")
  static let count = Parameter.option("count", "number", "End after so many measurements.", \Count.value)

  static let node = CommandNode(
    "rssi", abstract: "Measure a device's RSSI.",
    discussion: """
      Connects and measures the link, or with --advertisements what is heard of the device. Strengths are smoothed, and \
      told as immediate, near or far: a hint, as walls and bodies change a signal more than steps do. On a terminal a \
      chart, 'q' ends it; elsewhere a line for each measurement. Runs until Ctrl-C, unless --count or --duration ends it; \
      the status is 75 where --count measurements did not come within --duration.
      """,
    ExploreCommand.target, interval, weight, advertisements, count, SubscribeCommand.duration, ScanCommand.lines,
    make: Self.init)

  let target: Target
  let interval: Double
  let weight: Double
  let readsAdvertisements: Bool
  let count: Int?
  let duration: Double?
  let wantsLines: Bool

  func run(in session: Session) async throws(ToolError) {
    let meter = SignalMeter(self, in: session)
    if readsAdvertisements { return try await listen(session, meter) }
    let kept = try await KeptDevice(target, SessionConfiguration(policy: .manual, services: []), in: session)
    meter.title = kept.title
    try await always({
      meter.close()
      await kept.close()
    }) { () async throws(ToolError) in
      await kept.observe { event in
        if case .state(.stopped(let reason)) = event { meter.failure = SessionReport.failure(reason, of: kept.title) }
        session.waiting.changed()
      }
      try await kept.connect()
      meter.open()
      kept.measure(every: interval, SignalFilter(weight: weight)) { meter.take($0) }
      try await meter.wait()
    }
  }

  /// Measures advertisements, without a connection.
  @MainActor private func listen(_ session: Session, _ meter: SignalMeter) async throws(ToolError) {
    let central = try await Central.started(in: session)
    let found = try await central.find(target, in: session)
    meter.title = found.name.map { "'\($0.inert)'" } ?? found.identifier.uuidString
    let scan = await central.observeDiscoveries(matching: .identifier(found.identifier), repeats: true) { discovery in
      onMain { meter.hear(discovery) }
    }
    defer {
      scan.cancel()
      meter.close()
    }
    meter.open()
    try await central.whileWatchingPower(in: session) { (power) async throws(ToolError) in
      try await meter.wait { () throws(ToolError) in try power.requirePower() }
    }
  }
}

/// A part of a whole, from 0 to 1.
struct Fraction: ArgumentValue, Equatable, Sendable {
  let value: Double

  init(argument: String) throws(ArgumentValueError) {
    guard let value = Double(argument), (0...1).contains(value) else {
      throw ArgumentValueError("expected a number of 0 to 1, such as 0.25")
    }
    self.value = value
  }
}

/// Shows measurements and counts them.
@MainActor private final class SignalMeter {
  var title = ""
  var failure: ToolError?
  private let command: RSSICommand
  private let session: Session
  private var screen: Screen?
  private var chart = SignalChart()
  private var last: SignalStrength?
  private var number = 0
  private var isLeft = false
  /// For advertisements: smoothed here, and measured at most once per interval.
  private var filter: SignalFilter
  private var lastHeard: Duration?

  init(_ command: RSSICommand, in session: Session) {
    self.command = command
    self.session = session
    filter = SignalFilter(weight: command.weight)
  }

  func hear(_ discovery: Discovery) {
    let (time, interval) = (discovery.lastSeen, Duration.milliseconds(Int(command.interval * 1_000)))
    guard let rssi = discovery.rssi, lastHeard.map({ time - $0 >= interval }) ?? true else { return }
    lastHeard = time
    filter.add(rssi)
    guard let smoothed = filter.smoothed, let proximity = filter.proximity else { return }
    take(SignalStrength(rssi: rssi, smoothed: smoothed, proximity: proximity, time: time))
  }

  func open() {
    guard !command.wantsLines else { return }
    screen = Screen(
      in: session, picture: { [weak self] in self?.picture(columns: $0, rows: $1) ?? [] },
      onKey: { [weak self] key in
        guard let self, key == "q" else { return }
        isLeft = true
        session.waiting.changed()
      })
  }

  func take(_ strength: SignalStrength) {
    guard command.count.map({ number < $0 }) ?? true else { return }
    number += 1
    last = strength
    chart.add(Int(strength.smoothed.rounded()))
    screen?.changed()
    if screen == nil {
      let members = strength.json.preceded(by: ["number": .integer(number)])
      session.output.event("rssi", members, strength.sentence(session.output.style))
    }
    session.waiting.changed()
  }

  /// Waits for the end of the measurement.
  func wait(_ check: @escaping @MainActor () throws(ToolError) -> Void = {}) async throws(ToolError) {
    do {
      try await session.waiting.until(within: command.duration) { () throws(ToolError) in
        try check()
        if let failure = self.failure { throw failure }
        return self.isLeft || self.command.count.map { self.number >= $0 } ?? false
      }
    } catch {
      guard error.status == .timedOut, failure == nil, command.count == nil else { throw error }
    }
  }

  private func picture(columns: Int, rows: Int) -> [String] {
    let style = session.output.style
    let line = last.map { $0.sentence(Style(isOn: false)) } ?? "  (no value yet)"
    return [style.strong(title.truncated(toColumns: columns)), line.truncated(toColumns: columns), ""]
      + chart.lines(columns: columns, rows: max(1, min(16, rows - 5)))
      + ["", style.faint("\(number) measurements  q: end".truncated(toColumns: columns))]
  }

  /// Restores the terminal; the last measurement stays visible.
  func close() {
    guard let screen else { return }
    screen.close()
    self.screen = nil
    if let last { session.output.line(last.sentence(session.output.style)) }
  }
}
