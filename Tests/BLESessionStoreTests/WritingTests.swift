import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@testable import BLESessionStore

@Suite("Writing a record")
struct WritingTests {
  private let folder: Folder
  private let reports = Reports()

  init() throws { folder = try Folder() }

  /// Waits until the store's own queue has reached it.
  private func until(_ isThere: @Sendable () -> Bool) async throws {
    for _ in 0..<3_000 where !isThere() { try await Task.sleep(for: .milliseconds(5)) }
    #expect(isThere())
  }

  @Test("Entries are written together, by number or by time, without a request")
  func entriesAreWrittenTogether() async throws {
    let store = try SessionStore(file: folder.file, configuration: reports.configuration { $0.batch = 100 })
    let session = try await store.beginSession(title: "many")
    for number in 0..<1_000 { #expect(store.add(Sample.value(number), to: session)) }
    try await store.flush()
    let statistics = store.statistics
    #expect(statistics.accepted == 1_000 && statistics.committed == 1_000 && statistics.committedValues == 1_000)
    #expect((10...20).contains(statistics.transactions) && statistics.waiting == 0 && statistics.dropped == 0)
    store.add(Sample.value(1_000), to: session)
    try await until { reports.commits.value.last?.committed == 1_001 }
    let numbers = reports.commits.value.map(\.committed)
    #expect(numbers == numbers.sorted())
    let values = try StoreReader(file: folder.file).values().all()
    #expect(values.map { String(decoding: $0.octets, as: UTF8.self) } == (0...1_000).map { "value \($0)" })
    #expect(values.first?.time == Sample.start && values.first?.source == .notified && values.first?.service == "FFF0")
  }

  @Test("While another program locks the file entries wait, and are written when it is unlocked")
  func whileAnotherProgramLocksTheFileEntriesWait() async throws {
    let store = try SessionStore(file: folder.file, configuration: reports.configuration())
    let session = try await store.beginSession(title: "busy")
    let intruder = try Database(folder.file.path, .writing, patience: .zero)
    try intruder.run("BEGIN IMMEDIATE")
    store.add(Sample.value(1), to: session)
    do {
      try await store.flush()
      Issue.record("not busy")
    } catch {
      #expect(error.code == .busy && error.isTransient)
    }
    store.add(Sample.value(2), to: session)
    #expect(store.statistics.waiting == 2 && store.statistics.dropped == 0)
    try intruder.run("COMMIT")
    // It tries again by itself.
    try await until { store.statistics.committed == 2 }
    #expect(reports.errors.value == [.busy])
    try await store.flush()
    #expect(try StoreReader(file: folder.file).values().all().count == 2)
  }

  @Test("On a full disk entries wait, and are written when there is room")
  func onAFullDiskEntriesWait() async throws {
    let store = try SessionStore(file: folder.file, configuration: reports.configuration())
    let session = try await store.beginSession(title: "full")
    try await store.perform("PRAGMA max_page_count = 60")
    let path = CharacteristicPath("FFF1")
    for number in 0..<1_000 {
      store.add(
        StoreEntry(
          .value(Data(repeating: UInt8(number % 256), count: 512), from: path, .read), device: Sample.device),
        to: session)
    }
    do {
      try await store.flush()
      Issue.record("not full")
    } catch {
      #expect(error.code == .full && error.message.contains("make room"))
    }
    #expect(store.statistics.waiting > 0)
    try await store.perform("PRAGMA max_page_count = 1000000")
    try await store.flush()
    #expect(store.statistics.committed == 1_000 && reports.errors.value == [.full])
    let reader = try StoreReader(file: folder.file)
    #expect(try reader.values().all().count == 1_000)
    #expect(try reader.damages() == [])
  }

  @Test("Entries without room in the queue are counted, and the record reports the gap")
  func entriesWithoutRoomInTheQueueAreCounted() async throws {
    let store = try SessionStore(file: folder.file, configuration: reports.configuration { $0.backlog = 10 })
    let session = try await store.beginSession(title: "gap")
    let intruder = try Database(folder.file.path, .writing, patience: .zero)
    try intruder.run("BEGIN IMMEDIATE")
    let taken = (0..<25).map { store.add(Sample.value($0), to: session) }
    #expect(taken == (0..<25).map { $0 < 10 })
    #expect(store.statistics.dropped == 15 && store.statistics.waiting == 10)
    try intruder.run("COMMIT")
    try await store.flush()
    let reader = try StoreReader(file: folder.file)
    #expect(try reader.values().all().count == 10)
    #expect(try reader.events(StoreFilter(kind: "gap")).all().map(\.detail) == ["15 entries had no room"])
    // Reported once.
    store.add(Sample.value(99), to: session)
    try await store.flush()
    #expect(try reader.events(StoreFilter(kind: "gap")).all().count == 1)
  }

  @Test("Entries of no session of the record are skipped and do no harm")
  func entriesOfNoSessionOfTheRecordAreSkipped() async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "mine")
    for number in [session, 99, -1, .max, .min, session] { store.add(Sample.value(1), to: number) }
    store.add(StoreEntry(.value(Data(), from: Sample.line, .read), device: nil), to: session)
    try await store.close()
    #expect(try StoreReader(file: folder.file).values().all().count == 2)
  }

  @Test("A value of more than a MiB is refused and counted")
  func aValueOfMoreThanAMiBIsRefused() async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "large")
    let huge = StoreEntry(.value(Data(count: 1 << 21), from: Sample.line, .read), device: Sample.device)
    #expect(!store.add(huge, to: session))
    #expect(store.statistics.dropped == 1)
    try await store.close()
  }

  @Test("A store that can no longer be written reports that once, ends, and counts lost entries")
  func aStoreThatCanNoLongerBeWrittenReports() async throws {
    let store = try SessionStore(file: folder.file, configuration: reports.configuration())
    let session = try await store.beginSession(title: "end")
    store.add(Sample.value(1), to: session)
    try await store.flush()
    try await store.perform("PRAGMA query_only = ON")
    store.add(Sample.value(2), to: session)
    do {
      try await store.flush()
      Issue.record("still written")
    } catch {
      #expect(error.code == .readOnly)
    }
    #expect(!store.add(Sample.value(3), to: session))
    #expect(store.statistics.dropped == 2 && store.statistics.committed == 1 && store.statistics.waiting == 0)
    #expect(reports.errors.value == [.readOnly])
    await #expect(throws: StoreError.self) { try await store.close() }
    #expect(try StoreReader(file: folder.file).values().all().count == 1)
  }

  @Test("After the end nothing is accepted, and ending again does nothing")
  func afterTheEndNothingIsAccepted() async throws {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "end")
    try await store.endSession(session)
    try await store.close()
    try await store.close()
    #expect(!store.add(Sample.value(1), to: session))
    await #expect(throws: StoreError.self) { try await store.flush() }
    #expect(try StoreReader(file: folder.file).sessions().all().map(\.ending) == [.ended])
  }

  @Test("A store that is released writes its entries")
  func aStoreThatIsReleasedWritesItsEntries() async throws {
    var store: SessionStore? = try SessionStore(
      file: folder.file, configuration: StoreConfiguration(interval: .seconds(1_000)))
    let session = try #require(try await store?.beginSession(title: "gone"))
    store?.add(Sample.value(1), to: session)
    store = nil
    try await until { self.folder.names == ["seen.sqlite"] }
    #expect(try StoreReader(file: folder.file).values().all().count == 1)
  }

  @Test("Sessions left open by a process that died are closed by the next writer")
  func sessionsLeftOpenByAProcessThatDiedAreClosed() async throws {
    let path = folder.file.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try SessionStore(file: URL(fileURLWithPath: path))
      let session = try await store.beginSession(title: "killed", at: Sample.start)
      store.add(StoreEntry(.connected(.user), device: Sample.device, at: Sample.start), to: session)
      store.add(Sample.value(7), to: session)
      try await store.flush()
      store.add(Sample.value(8), to: session)
      kill(getpid(), SIGKILL)
    }
    let before = try StoreReader(file: folder.file)
    #expect(try before.sessions().all().map(\.ending) == [nil])
    #expect(try before.connections().all().map(\.ended) == [nil])
    let store = try SessionStore(file: folder.file)
    let connection = try #require(try before.connections().all().first)
    #expect(connection.ending == .unobserved && connection.ended == Sample.start.addingTimeInterval(7))
    #expect(try before.sessions().all().map(\.ending) == [.cutShort])
    #expect(try before.damages() == [])
    try await store.close()
  }
}
