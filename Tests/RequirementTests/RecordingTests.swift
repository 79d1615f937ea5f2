import BLETestKit
import CSQLite
import CoreBluetooth
import Glibc
import Testing

/// What a program saw, in SQLite: a row is there for good as soon as the callback that made it has returned.
private final class Record {
  private var database: OpaquePointer?

  init?(_ path: String) {
    guard sqlite3_open(path, &database) == SQLITE_OK,
      run("PRAGMA journal_mode = WAL"), run("PRAGMA synchronous = FULL"),
      run("CREATE TABLE IF NOT EXISTS event(kind TEXT NOT NULL, device TEXT NOT NULL, number INTEGER, value BLOB)")
    else { return nil }
  }

  deinit { sqlite3_close(database) }

  @discardableResult
  func run(_ statement: String) -> Bool { sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK }

  func add(_ kind: String, device: UUID, number: Int = 0, value: Data = Data()) {
    let digits = value.map { String(format: "%02x", $0) }.joined()
    run("INSERT INTO event VALUES('\(kind)', '\(device.uuidString)', \(number), x'\(digits)')")
  }

  func count(_ condition: String) -> Int {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard
      sqlite3_prepare_v2(database, "SELECT COUNT(*) FROM event WHERE \(condition)", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return -1 }
    return Int(sqlite3_column_int64(statement, 0))
  }

  var isWhole: Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return false }
    return String(cString: sqlite3_column_text(statement, 0)) == "ok"
  }
}

@Suite("A0: a record of what was seen")
struct RecordingTests {
  @Test("R0.15 devices, events, values and RSSI are stored in SQLite, and a killed process loses no committed row")
  func recording() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("record-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("seen.sqlite").path

    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let world = World(seed: 15)
      let talk = try await Conversation.start(in: world, with: Devices.owenli)
      let record = try #require(Record(path))
      for sighting in talk.central.sightings {
        record.add("seen", device: sighting.peripheral.identifier, number: sighting.rssi)
      }
      record.add("connected", device: talk.found.identifier)
      talk.central.onValue = { peripheral, characteristic in
        record.add("value", device: peripheral.identifier, value: characteristic.value ?? Data())
        let stored = record.count("kind = 'value'")
        if stored == 20 { kill(getpid(), SIGKILL) }
        peripheral.readValue(for: characteristic)
      }
      talk.found.readValue(for: try talk.characteristic("FFF2"))
      await world.advance(by: .seconds(60))
    }

    let record = try #require(Record(path))
    #expect(record.isWhole)
    #expect(record.count("kind = 'seen' AND number < 0") >= 1)
    #expect(record.count("kind = 'connected'") == 1)
    #expect(record.count("kind = 'value' AND value = x'6f77656e6c69'") == 20)
  }
}
