import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@testable import BLESessionStore

@Suite("Opening a record")
struct OpeningTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func attempt() -> StoreError? {
    do {
      _ = try SessionStore(file: folder.file)
      return nil
    } catch {
      return error
    }
  }

  @Test("A new file is made, and no other file remains once it is closed")
  func aNewFileIsMade() async throws {
    let store = try SessionStore(file: folder.file)
    #expect(folder.names.contains("seen.sqlite-writer"))
    let session = try await store.beginSession(title: "first")
    store.add(Sample.value(1), to: session)
    try await store.close()
    #expect(folder.names == ["seen.sqlite"])
    let reader = try StoreReader(file: folder.file)
    #expect(try reader.summary().values == 1)
    #expect(try reader.damages() == [])
  }

  #if os(Linux)
    @Test("R3.9 a new file never has a rollback journal beside it, which a process that is killed would leave there")
    func noJournal() async throws {
      let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      try #require(watch >= 0 && inotify_add_watch(watch, folder.url.path, UInt32(IN_CREATE)) >= 0)
      defer { close(watch) }
      // Also where a killed process has left the file without content.
      try Data().write(to: folder.file)
      let store = try SessionStore(file: folder.file)
      _ = try await store.beginSession(title: "first")
      try await store.close()
      var events = [UInt8](repeating: 0, count: 65_536)
      let count = read(watch, &events, events.count)
      let names = String(decoding: events.prefix(max(0, count)), as: UTF8.self)
      #expect(names.contains("seen.sqlite-wal") && !names.contains("seen.sqlite-journal"))
    }
  #endif

  @Test("X3 a file that is no database is refused and left unchanged")
  func aFileThatIsNoDatabaseIsRefusedAndLeft() throws {
    let text = Data("These are minutes of a meeting, and they are no database at all. ".utf8)
    try text.write(to: folder.file)
    let error = try #require(attempt())
    #expect(error.code == .notADatabase && error.description.hasPrefix(folder.file.path))
    #expect(try Data(contentsOf: folder.file) == text)
    #expect(code { _ = try StoreReader(file: folder.file) } == .notADatabase)
    #expect(folder.names == ["seen.sqlite"])
  }

  @Test("Another program's database is refused and left unchanged")
  func anotherProgramsDatabaseIsRefusedAndLeftUnchanged() throws {
    do {
      let database = try Database(folder.file.path, .writing, patience: .zero)
      try database.run(script: "CREATE TABLE device(id INTEGER PRIMARY KEY)")
    }
    let before = try Data(contentsOf: folder.file)
    #expect(attempt()?.code == .notAStore)
    #expect(code { _ = try StoreReader(file: folder.file) } == .notAStore)
    #expect(try Data(contentsOf: folder.file) == before)
    #expect(folder.names == ["seen.sqlite"])
  }

  @Test("A newer version is refused with a remedy, and the file is not changed")
  func aNewerVersionIsRefusedWithARemedy() async throws {
    let store = try SessionStore(file: folder.file)
    try await store.perform("PRAGMA user_version = 99")
    try await store.close()
    let before = try Data(contentsOf: folder.file)
    let error = try #require(attempt())
    #expect(error.code == .newerVersion)
    #expect(error.message.contains("format 99") && error.message.contains("update this program"))
    #expect(code { _ = try StoreReader(file: folder.file) } == .newerVersion)
    #expect(try Data(contentsOf: folder.file) == before)
    #expect(folder.names == ["seen.sqlite"])
  }

  @Test("An older version is upgraded, and one step that fails leaves it unchanged")
  func anOlderVersionIsUpgraded() async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "old")
    store.add(Sample.value(1), to: session)
    try await store.close()
    let configuration = StoreConfiguration()
    let broken = Schema(migrations: [
      Schema.first, "ALTER TABLE value ADD COLUMN unit TEXT; PRAGMA user_version = 2",
      "ALTER TABLE nothing ADD COLUMN unit TEXT; PRAGMA user_version = 3",
    ])
    #expect(code { _ = try Database.openForWriting(folder.file.path, configuration, schema: broken) } == .failed)
    #expect(try StoreReader(file: folder.file).summary().values == 1)

    let next = Schema(migrations: Array(broken.migrations.prefix(2)))
    do {
      let database = try Database.openForWriting(folder.file.path, configuration, schema: next)
      #expect(try database.number("SELECT COUNT(*) FROM value WHERE unit IS NULL") == 1)
      #expect(try next.version(of: database) == 2)
    }
    // For the present version it is a newer one.
    #expect(attempt()?.code == .newerVersion)
    // And an old one is not read by a later reader before it was upgraded.
    let refusal = code { _ = try Database.openForReading(folder.file.path, schema: broken) }
    #expect(refusal == .notAStore)
  }

  @Test("A second writer is refused, a second reader is not, and a writer that died does not count")
  func aSecondWriterIsRefused() async throws {
    try Data("4000000\n".utf8).write(to: URL(fileURLWithPath: folder.file.path + "-writer"))
    let store = try SessionStore(file: folder.file)
    let error = try #require(attempt())
    #expect(error.code == .inUse && error.message.contains("this program already"))
    let session = try await store.beginSession(title: "first")
    store.add(Sample.value(1), to: session)
    try await store.flush()
    let readers = try (0..<4).map { _ in try StoreReader(file: folder.file) }
    for reader in readers { #expect(try reader.summary().values == 1) }
    try await store.close()
    #expect(attempt() == nil)
  }

  @Test("A missing file, a folder and a missing folder are distinguished from damage")
  func aMissingFileAFolderAndAMissingFolder() throws {
    #expect(code { _ = try StoreReader(file: folder.file) } == .cannotOpen)
    #expect(code { _ = try StoreReader(file: folder.url) } == .cannotOpen)
    #expect(code { _ = try SessionStore(file: folder.url) } == .cannotOpen)
    #expect(code { _ = try SessionStore(file: folder.url.appendingPathComponent("no/where")) } == .cannotOpen)
    try Data().write(to: folder.file)
    #expect(code { _ = try StoreReader(file: folder.file) } == .notAStore)
    #expect(attempt() == nil)
  }

  @Test("X3 a damaged file is reported as such")
  func aDamagedFileIsReportedAsSuch() async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "long")
    for number in 0..<5_000 { store.add(Sample.value(number), to: session) }
    try await store.close()
    let file = try FileHandle(forUpdating: folder.file)
    let length = try file.seekToEnd()
    for page in stride(from: UInt64(40 * 4_096), to: length, by: 3 * 4_096) {
      try file.seek(toOffset: page)
      file.write(Data(repeating: 0xA5, count: 4_096))
    }
    try file.close()
    let reader = try StoreReader(file: folder.file)
    #expect(code { _ = try reader.values().all() } == .corrupt)
    let damages = (try? reader.damages()) ?? ["it cannot even be looked at"]
    #expect(!damages.isEmpty)
  }

  @Test("A file that cannot be written is refused, and can still be read")
  func aFileThatCannotBeWrittenIsRefused() async throws {
    // A folder that every user can enter.
    let folder = try Folder(in: "/tmp")
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "kept")
    store.add(Sample.value(1), to: session)
    try await store.close()
    let (path, root) = (folder.file.path, folder.url.path)
    chmod(path, 0o444)
    chmod(root, 0o555)
    defer { chmod(root, 0o755) }
    await #expect(processExitsWith: .success) { [path = path as String] in
      // For root nothing is forbidden.
      if geteuid() == 0 { setuid(65_534) }
      let file = URL(fileURLWithPath: path)
      let refusal = code { _ = try SessionStore(file: file) }
      #expect(refusal == .readOnly)
      let values = try StoreReader(file: file).values().all()
      #expect(values.count == 1)
    }
  }

  @Test("A file with special characters in its name is read where it cannot be written")
  func aFileWithSpecialCharactersInItsNameIsRead() async throws {
    let file = folder.url.appendingPathComponent("a ?%23#&=ü.sqlite")
    let store = try SessionStore(file: file)
    _ = try await store.beginSession(title: "name")
    try await store.close()
    let database = try Database(file.path, .readingUnchanged, patience: .zero)
    #expect(try database.number("SELECT COUNT(*) FROM session") == 1)
  }
}
