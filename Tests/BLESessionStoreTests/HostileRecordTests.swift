import BLESession
import CoreBluetooth
import Testing

@testable import BLESessionStore

/// Record files that an attacker has prepared, and places that an attacker has prepared for them.
@Suite("A hostile record")
struct HostileRecordTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A record with a value in it, changed by `script` as with the sqlite3 shell.
  private func prepare(_ script: SQLText) async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "ride")
    store.add(Sample.value(1), to: session)
    try await store.close()
    let database = try Database(folder.file.path, .writing, patience: .zero)
    try database.run(script: script)
  }

  @Test(
    "I11.9 a record with more or other contents than this library writes is refused before it is used",
    arguments: [
      // A table that never ends.
      """
      DROP TABLE session;
      CREATE VIEW session(id, title, began, until, ending) AS
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n, 'x', n, n, NULL FROM r
      """,
      // A disk that fills up with each value.
      """
      CREATE TRIGGER more AFTER INSERT ON value BEGIN
        INSERT INTO event(session, device, time, kind, detail)
          WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 1000000000)
          SELECT NEW.session, NEW.device, 0, 'x', hex(zeroblob(1000000)) FROM r;
      END
      """,
      "CREATE TRIGGER more AFTER UPDATE ON connection BEGIN DELETE FROM value; END",
      "CREATE INDEX dear ON value(length(hex(zeroblob(1000000))))",
      "CREATE VIEW stranger AS SELECT 1",
      "CREATE TABLE stranger(id)",
      "DROP INDEX value_time",
      "ALTER TABLE value ADD COLUMN size INTEGER AS (length(octets))",
    ] as [SQLText])
  func schema(script: SQLText) async throws {
    try await prepare(script)
    let before = try Data(contentsOf: folder.file)
    let attempts: [() throws -> Void] = [
      { _ = try StoreReader(file: folder.file) }, { _ = try SessionStore(file: folder.file) },
    ]
    for attempt in attempts {
      let error = #expect(throws: StoreError.self) { try attempt() }
      #expect(error?.code == .notAStore)
    }
    #expect(try Data(contentsOf: folder.file) == before)
    #expect(folder.names == ["seen.sqlite"])
  }

  @Test("I11.9 tables of an endless tree of pages are read up to a limit, with an error that says what is wrong")
  func endlessTree() async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "long")
    for number in 0..<8_000 { store.add(Sample.value(number), to: session) }
    try await store.close()
    // The table and its indexes: whichever of them is read.
    let roots = try StoreCursor(
      try Database(folder.file.path, .readingUnchanged, patience: .zero),
      "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'value'", []
    ) { $0.integer(0) }.all()
    try #require(roots.count == 4)
    for root in roots { try Self.stack(storeys: 6, on: root, in: folder.file) }
    let reader = try StoreReader(file: folder.file)
    let attempts: [() throws -> Void] = [
      { _ = try reader.summary() },
      {
        let values = try reader.values()
        while try values.next() != nil {}
      },
    ]
    for attempt in attempts {
      let error = #expect(throws: StoreError.self) { try attempt() }
      #expect(error?.code == .corrupt)
    }
  }

  /// Appends copies of a tree's root to the file, and lets each cell of each point at the next copy: a tree with as many
  /// levels, and with more rows than a machine can count.
  private static func stack(storeys: Int, on root: Int64, in file: URL) throws {
    var octets = [UInt8](try Data(contentsOf: file))
    let size = Int(octets[16]) << 8 | Int(octets[17])
    let start = Int(root - 1) * size
    let original = Array(octets[start..<start + size])
    try #require(original[0] == 5 || original[0] == 2, "a page with pages below it")
    func number(_ place: Int) -> Int { Int(original[place]) << 8 | Int(original[place + 1]) }
    let cells = (0..<number(3)).map { number(12 + 2 * $0) }
    try #require(cells.count > 10)
    let pages = octets.count / size
    func pointing(at page: Int) -> [UInt8] {
      var copy = original
      for place in cells + [8] { copy.replaceSubrange(place..<place + 4, with: big(page)) }
      return copy
    }
    octets.replaceSubrange(start..<start + size, with: pointing(at: pages + 1))
    for storey in 1..<storeys { octets += storey == storeys - 1 ? original : pointing(at: pages + storey + 1) }
    octets.replaceSubrange(28..<32, with: big(octets.count / size))
    try Data(octets).write(to: file)
  }

  private static func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  // MARK: Owner and permissions

  private func mode(_ name: String) -> Int? {
    let path = folder.url.appendingPathComponent(name).path
    return (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  @Test("I11.10 a record and the files beside it are for this user only, also older ones")
  func modes() async throws {
    for round in 0..<2 {
      let store = try SessionStore(file: folder.file)
      let session = try await store.beginSession(title: "ride")
      store.add(Sample.value(1), to: session)
      try await store.flush()
      #expect(folder.names == ["seen.sqlite", "seen.sqlite-shm", "seen.sqlite-wal", "seen.sqlite-writer"])
      for name in folder.names { #expect(mode(name) == 0o600, "\(name) in round \(round)") }
      try await store.close()
      chmod(folder.file.path, 0o644)
    }
  }

  @Test(
    "I11.10 a writer's lock follows no link, waits for no pipe and truncates nothing",
    arguments: ["link", "hard link", "pipe"])
  func lock(kind: String) throws {
    let target = folder.url.appendingPathComponent("precious")
    try Data("precious".utf8).write(to: target)
    let lock = folder.file.path + "-writer"
    switch kind {
    case "link": symlink(target.path, lock)
    case "hard link": link(target.path, lock)
    default: mkfifo(lock, 0o600)
    }
    #expect(code { _ = try SessionStore(file: folder.file) } == .cannotOpen)
    #expect(try String(contentsOf: target, encoding: .utf8) == "precious")
  }

  @Test("I11.10 nothing is recorded through a link, nor into another user's file")
  func places() async throws {
    let target = folder.url.appendingPathComponent("target")
    try Data().write(to: target)
    symlink(target.path, folder.file.path)
    #expect(code { _ = try SessionStore(file: folder.file) } == .cannotOpen)
    #expect(try Data(contentsOf: target).isEmpty)
    unlink(folder.file.path)
    symlink(folder.url.appendingPathComponent("missing").path, folder.file.path)
    #expect(code { _ = try SessionStore(file: folder.file) } == .cannotOpen)
    #expect(!folder.names.contains("missing"))
    unlink(folder.file.path)
    guard geteuid() == 0 else { return }
    try await SessionStore(file: folder.file).close()
    chown(folder.file.path, 4_242, 4_242)
    let error = #expect(throws: StoreError.self) { _ = try SessionStore(file: folder.file) }
    #expect(error?.message.contains("another user") == true)
    // Reading it is harmless.
    #expect(try StoreReader(file: folder.file).summary().sessions == 0)
  }

  @Test("I11.9 a reader writes nothing: a prepared journal beside the record is not replayed")
  func preparedJournal() async throws {
    let store = try SessionStore(file: folder.file)
    _ = try await store.beginSession(title: "ride")
    try await store.close()
    let before = try Data(contentsOf: folder.file)
    // A journal that names another file as the one that several databases share: SQLite removes that when it is done.
    let precious = folder.url.appendingPathComponent("precious")
    try Data("precious".utf8).write(to: precious)
    let name = Array(precious.path.utf8)
    let big = Self.big
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    var journal = magic + big(0) + big(7) + big(before.count / 4_096) + big(512) + big(4_096)
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
    journal += big(0x4000_0000 / 4_096 + 1) + name + big(name.count) + big(sum) + magic
    try Data(journal).write(to: URL(fileURLWithPath: folder.file.path + "-journal"))
    _ = try? StoreReader(file: folder.file).summary()
    #expect(code { _ = try SessionStore(file: folder.file) } == .cannotOpen)
    #expect(try String(contentsOf: precious, encoding: .utf8) == "precious")
    #expect(try Data(contentsOf: folder.file) == before)
  }
}
