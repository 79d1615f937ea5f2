import BLECore
import BLEProfileFiles
import BLESession
import CoreBluetooth

/// `ble scan`: lists devices in range.
struct ScanCommand: ToolCommand {
  static let service = Parameter.options(
    "service", "uuid", "Only devices that advertise this service.", of: BLEUUID.self)
  static let name = Parameter.option("name", "name", "Only devices that advertise exactly this name.", \String.self)
  static let prefix = Parameter.option("prefix", "text", "Only devices whose name begins like this.", \String.self)
  static let leastRSSI = Parameter.option(
    "min-rssi", "dbm", "Only devices that are heard at least so strongly, such as -70.", \SignalLimit.value)
  static let manufacturer = Parameter.option(
    "manufacturer", "company", "Only devices of this company: its number (0x004C) or a part of its name (Apple).",
    \ManufacturerName.self)
  static let duplicates = Parameter.flag("duplicates", "Every packet that is heard, not only what is new; as lines.")
  static let lines = Parameter.flag("lines", "Lines as in a pipe, also on a terminal.")
  static let duration = Parameter.option(
    "duration", "seconds", standard: "5", "How long; 0 is until Ctrl-C.", \Seconds.value)
  static let count = Parameter.option(
    "count", "number", "End as soon as so many devices were found.", \Count.value)

  static let node = CommandNode(
    "scan", abstract: "List the devices around.",
    discussion: """
      On a terminal a table that changes as devices come and go: signal strength now and over the last seconds, when the \
      device was last heard, name, address, services and maker. 's' sorts it by signal, name or time, 'q' ends the scan, \
      and what was found stays as lines.

      Elsewhere a line for each device: signal strength, identifier, name, advertised services. Another line follows where \
      a device has more to say. With --count the status is 68 if fewer devices were found.
      """,
    service, name, prefix, leastRSSI, manufacturer, duplicates, lines, duration, count
  ) { (services, name, prefix, rssi, maker, duplicates, lines, duration, count) throws(UsageError) in
    ScanCommand(
      filter: ScanFilter(services: services, name: name, prefix: prefix, leastRSSI: rssi, manufacturer: maker),
      allowsDuplicates: duplicates, wantsLines: lines, duration: duration == 0 ? nil : duration, count: count)
  }

  let filter: ScanFilter
  let allowsDuplicates: Bool
  let wantsLines: Bool
  let duration: Double?
  let count: Int?

  func run(in session: Session) async throws(ToolError) {
    let central = try await Central.started(in: session)
    let screen = wantsLines || allowsDuplicates ? nil : ScanScreen(in: session)
    let view: any ScanView = screen ?? ScanLines(to: session.output, showsEverything: allowsDuplicates)
    let (filter, count, duration) = (filter, count, duration)
    let services = Set(filter.services.map { CBUUID($0) })
    // The table is drawn eight times a second at most.
    let heard = MainBatch<Discovery>(after: screen == nil ? nil : 0.05) { discoveries in
      for sighting in discoveries.lazy.map({ Sighting($0) }) where filter.admits(sighting) {
        if let count, view.devices >= count { break }
        view.add(sighting)
      }
      session.waiting.changed()
    }
    // The table shows the current RSSI, which needs every packet.
    let scan = await central.observeDiscoveries(
      matching: services.isEmpty ? .any : .services(services), repeats: allowsDuplicates || screen != nil
    ) { heard.add($0) }
    defer { scan.cancel() }
    do {
      try await central.whileWatchingPower(in: session) { (power) async throws(ToolError) in
        try await session.waiting.until(within: duration) { () throws(ToolError) in
          try power.requirePower()
          return screen?.isLeft == true || count.map { view.devices >= $0 } ?? false
        }
      }
    } catch {
      view.finish()
      guard error.status == .timedOut else { throw error }
    }
    view.finish()
    guard let count, view.devices < count, screen?.isLeft != true else { return }
    throw ToolError(.notFound, "Found \(view.devices) of \(count) devices.")
  }
}
