import BLECore
import CoreBluetooth

/// `ble scan`: what is to be heard.
struct ScanCommand: Command {
  static let service = Option.values("service", "uuid", "Only devices that advertise this service.")
  static let name = Option.value("name", "name", "Only devices that advertise exactly this name.")
  static let duplicates = Option.flag("duplicates", "Every packet that is heard, not only what is new.")
  static let duration = Option.value("duration", "seconds", standard: "5", "How long; 0 is until Ctrl-C.")
  static let count = Option.value("count", "number", "End as soon as so many devices were found.")

  static let node = CommandNode(
    "scan", abstract: "List the devices around.",
    discussion: """
      A line for each device: signal strength, identifier, name, advertised services. Another line follows where a device \
      has more to say. With --count the status is 68 if fewer devices were found.
      """,
    options: [service, name, duplicates, duration, count]
  ) { (arguments) throws(UsageError) in
    let duration: Seconds = try arguments.value(of: Self.duration) ?? Seconds(5)
    return ScanCommand(
      services: try arguments.values(of: service), name: arguments.text(of: name),
      allowsDuplicates: arguments.isGiven(duplicates), duration: duration.value == 0 ? nil : duration.value,
      count: (try arguments.value(of: count) as Count?)?.value)
  }

  let services: [BLEUUID]
  let name: String?
  let allowsDuplicates: Bool
  let duration: Double?
  let count: Int?

  func run(in session: Session) async throws(ToolError) {
    let central = Central(in: session)
    try await central.start()
    let list = ScanList(of: self, in: session)
    central.onSighting = { sighting, _ in list.add(sighting) }
    central.scan(for: services.isEmpty ? nil : services.map { CBUUID($0) }, duplicates: allowsDuplicates)
    defer { central.stopScan() }
    let count = count
    do {
      try await session.waiting.until(within: duration) { () throws(ToolError) in
        try central.requirePower()
        return count.map { list.devices >= $0 } ?? false
      }
    } catch {
      list.finish()
      guard error.status == .timedOut else { throw error }
    }
    list.finish()
    guard let count, list.devices < count else { return }
    throw ToolError(.notFound, "Found \(list.devices) of \(count) devices.")
  }
}

extension CBUUID {
  convenience init(_ uuid: BLEUUID) { self.init(string: uuid.description) }
}

/// The devices that a scan has found so far.
@MainActor private final class ScanList {
  private let command: ScanCommand
  private let session: Session
  private var known: [UUID: Sighting] = [:]
  /// Heard a moment ago: what the scan response adds belongs in the same line.
  private var fresh: [UUID] = []
  private(set) var devices = 0

  /// Somebody may make up new devices without end.
  private static let limit = 65_536
  private static let settlingTime = 0.25

  init(of command: ScanCommand, in session: Session) {
    self.command = command
    self.session = session
  }

  func add(_ heard: Sighting) {
    if let name = command.name, heard.name != name { return }
    let earlier = known[heard.identifier]
    guard earlier != nil || known.count < Self.limit else { return }
    known[heard.identifier] = heard
    if earlier == nil { devices += 1 }
    if session.output.isJSON || command.allowsDuplicates {
      print(heard)
    } else if earlier.map(heard.differs) ?? true, !fresh.contains(heard.identifier) {
      settle(heard.identifier)
    }
    session.waiting.changed()
  }

  private func settle(_ identifier: UUID) {
    fresh.append(identifier)
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.settlingTime) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.fresh.first == identifier, let sighting = self.known[identifier] else { return }
        self.fresh.removeFirst()
        self.print(sighting)
      }
    }
  }

  /// Prints what has not been printed yet.
  func finish() {
    for identifier in fresh { known[identifier].map(print) }
    fresh = []
  }

  private func print(_ sighting: Sighting) {
    session.output.event("discovered", sighting.json, sighting.line(session.output.style))
  }
}
