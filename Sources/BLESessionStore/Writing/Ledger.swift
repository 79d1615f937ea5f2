import BLESession
import CoreBluetooth

/// Writes entries, in a transaction of the caller. Caches row numbers until a transaction fails.
final class Ledger {
  private struct Link: Hashable {
    var session: Int64
    var device: Int64
  }

  /// The limit of cached devices; beyond it the cache is cleared.
  private static let mostDevices = 4_096

  private let database: Database
  private var devices: [UUID: Int64] = [:]
  private var connections: [Link: Int64] = [:]
  private var sessions: Set<Int64> = []
  /// Updates of devices and sessions that are written at the end of the batch.
  private var seen: [Int64: Date] = [:]
  private var untils: [Int64: Date] = [:]
  /// How many values the last `write` has written.
  private(set) var values = 0

  init(_ database: Database) { self.database = database }

  /// Clears the cache, whose rows may not be in the file.
  func forget() {
    devices = [:]
    connections = [:]
    sessions = []
    seen = [:]
    untils = [:]
  }

  func write(_ items: [Backlog.Item], gaps: [Int64: Int], at now: Date) throws(StoreError) {
    values = 0
    for item in items { try write(item.entry, item.session) }
    for (session, count) in gaps.sorted(by: { $0.key < $1.key }) {
      let detail = count == 1 ? "1 entry had no room" : "\(count) entries had no room"
      try write(StoreEntry(.event(kind: "gap", detail: detail), device: nil, at: now), session)
    }
    for (device, time) in seen {
      try database.run("UPDATE device SET last_seen = max(last_seen, ?1) WHERE id = ?2", .time(time), .integer(device))
    }
    for (session, time) in untils {
      try database.run("UPDATE session SET until = max(until, ?1) WHERE id = ?2", .time(time), .integer(session))
    }
    seen = [:]
    untils = [:]
  }

  private func write(_ entry: StoreEntry, _ session: Int64) throws(StoreError) {
    guard try exists(session) else { return }
    untils[session] = max(untils[session] ?? .distantPast, entry.time)
    let (run, time) = (SQLValue.integer(session), SQLValue.time(entry.time))
    var device: Int64?
    if entry.device != nil { device = try row(of: entry) }
    if case .event(let kind, let detail) = entry.content {
      return try database.run(
        "INSERT INTO event(session, device, time, kind, detail) VALUES(?, ?, ?, ?, ?)", run,
        device.map { .integer($0) } ?? .null, time, .text(Bounds.text(kind)), .text(orNull: detail.map(Bounds.text)))
    }
    guard let device else { return }
    switch entry.content {
    case .event: break
    case .sighting(let advertisement): try write(advertisement, of: device)
    case .connected(let origin):
      try end(device, session, .unobserved, nil, entry.time)
      try database.run(
        "INSERT INTO connection(session, device, origin, began) VALUES(?, ?, ?, ?)", run, .integer(device),
        .text(origin.rawValue), time)
      connections[Link(session: session, device: device)] = database.lastRow
    case .ready:
      guard let connection = try connection(device, session) else { return }
      try database.run("UPDATE connection SET ready = ? WHERE id = ?", time, .integer(connection))
    case .disconnected(let ending, let error): try end(device, session, ending, error, entry.time)
    case .value(let octets, let path, let source):
      try database.run(
        """
        INSERT INTO value(session, device, time, service, characteristic, instance, source, octets)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?)
        """, run, .integer(device), time, .text(orNull: path.service?.uuidString),
        .text(path.characteristic.uuidString), .integer(path.instance), .text(source.rawValue), .octets(octets))
      values += 1
    case .signal(let rssi, let smoothed, let source):
      try database.run(
        "INSERT INTO signal(session, device, time, rssi, smoothed, source) VALUES(?, ?, ?, ?, ?, ?)", run,
        .integer(device), time, .integer(rssi), .real(orNull: smoothed), .text(source.rawValue))
    }
  }

  private func exists(_ session: Int64) throws(StoreError) -> Bool {
    if sessions.contains(session) { return true }
    guard try database.number("SELECT COUNT(*) FROM session WHERE id = ?", .integer(session)) > 0 else { return false }
    sessions.insert(session)
    return true
  }

  private func write(_ advertisement: Advertisement, of device: Int64) throws(StoreError) {
    let services = (advertisement.services + advertisement.overflowServices).map(\.uuidString)
    try database.run(
      """
      UPDATE device SET services = coalesce(?1, services), manufacturer_data = coalesce(?2, manufacturer_data) WHERE id = ?3
      """, services.isEmpty ? .null : .text(Bounds.text(services.joined(separator: " "))),
      .octets(orNull: advertisement.manufacturerData.map { $0.prefix(Bounds.text) }), .integer(device))
  }

  /// The row of an entry's device, which is inserted where there is none.
  private func row(of entry: StoreEntry) throws(StoreError) -> Int64? {
    guard let identifier = entry.device else { return nil }
    let (name, address) = (entry.name.map(Bounds.text), entry.address.map(Bounds.text))
    var row = devices[identifier]
    if row == nil {
      row =
        try database.first("SELECT id FROM device WHERE identifier = ?", .identifier(identifier)) { $0.integer(0) }
        ?? nil
    }
    guard let row else {
      let time = SQLValue.time(entry.time)
      try database.run(
        "INSERT INTO device(identifier, name, address, first_seen, last_seen) VALUES(?, ?, ?, ?, ?)",
        .identifier(identifier), .text(orNull: name), .text(orNull: address), time, time)
      remember(identifier, database.lastRow)
      return database.lastRow
    }
    remember(identifier, row)
    seen[row] = max(seen[row] ?? .distantPast, entry.time)
    if name != nil || address != nil {
      try database.run(
        """
        UPDATE device SET name = coalesce(?1, name), address = coalesce(?2, address)
        WHERE id = ?3 AND (name IS NOT coalesce(?1, name) OR address IS NOT coalesce(?2, address))
        """, .text(orNull: name), .text(orNull: address), .integer(row))
    }
    return row
  }

  private func remember(_ identifier: UUID, _ row: Int64) {
    if devices.count >= Self.mostDevices { devices = [:] }
    devices[identifier] = row
  }

  private func connection(_ device: Int64, _ session: Int64) throws(StoreError) -> Int64? {
    let link = Link(session: session, device: device)
    if let known = connections[link] { return known }
    let row = try database.first(
      "SELECT id FROM connection WHERE ended IS NULL AND session = ? AND device = ? ORDER BY id DESC LIMIT 1",
      .integer(session), .integer(device), read: { $0.integer(0) })
    guard let row = row ?? nil else { return nil }
    connections[link] = row
    return row
  }

  private func end(
    _ device: Int64, _ session: Int64, _ ending: StoredConnection.Ending, _ error: String?, _ time: Date
  ) throws(StoreError) {
    guard let connection = try connection(device, session) else { return }
    connections[Link(session: session, device: device)] = nil
    try database.run(
      "UPDATE connection SET ended = ?, ending = ?, error = ? WHERE id = ? AND ended IS NULL", .time(time),
      .text(ending.rawValue), .text(orNull: error.map(Bounds.text)), .integer(connection))
  }
}
