import BLESession
import CoreBluetooth
import Testing

@testable import BLESessionStore

@Suite("Reading a record")
struct QueryTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func record() async throws -> StoreReader {
    let store = try SessionStore(file: folder.file)
    let session = try await store.beginSession(title: "queries", at: Sample.start)
    let battery = CharacteristicPath("2A19", in: "180F")
    for number in 0..<100 {
      let isOther = number % 2 == 1
      store.add(
        Sample.value(number, of: isOther ? Sample.other : Sample.device, from: number % 4 == 0 ? battery : Sample.line),
        to: session)
    }
    let later = try await store.beginSession(title: "later", at: Sample.start.addingTimeInterval(1_000))
    store.add(
      StoreEntry(.event(kind: "note", detail: "a\u{0}b"), device: nil, at: Sample.start.addingTimeInterval(1_001)),
      to: later)
    store.add(Sample.value(1_002), to: later)
    try await store.close()
    return try StoreReader(file: folder.file)
  }

  private static func at(_ seconds: Double) -> Date { Sample.start.addingTimeInterval(seconds) }

  @Test("Rows are selected by time, device, characteristic, service and session, and all of these together")
  func rowsAreSelectedByTime()
    async throws
  {
    let reader = try await record()
    func count(_ filter: StoreFilter) throws -> Int { try reader.values(filter).all().count }
    #expect(try count(StoreFilter()) == 101)
    #expect(try count(StoreFilter(from: Self.at(10), until: Self.at(20))) == 10)
    #expect(try count(StoreFilter(devices: [Sample.other])) == 50)
    #expect(try count(StoreFilter(devices: [])) == 0)
    #expect(try count(StoreFilter(devices: [Sample.other, Sample.device])) == 101)
    #expect(try count(StoreFilter(paths: [CharacteristicPath("2A19")])) == 25)
    #expect(try count(StoreFilter(paths: [CharacteristicPath("FFF1", in: "fff0")])) == 76)
    #expect(try count(StoreFilter(paths: [CharacteristicPath("FFF1", in: "180F")])) == 0)
    #expect(try count(StoreFilter(paths: [])) == 0)
    #expect(try count(StoreFilter(session: 2)) == 1)
    let all = StoreFilter(
      from: Self.at(10), until: Self.at(50), devices: [Sample.device], session: 1,
      paths: [CharacteristicPath("2A19", in: "180F"), CharacteristicPath("FFF9")])
    #expect(try count(all) == 10)
  }

  @Test("The last ones are the newest, the oldest of these first")
  func theLastOnesAreTheNewest() async throws {
    let reader = try await record()
    let last = try reader.values(StoreFilter(session: 1, last: 3)).all()
    #expect(last.map(\.octets) == (97...99).map { Data("value \($0)".utf8) })
    #expect(try reader.values(StoreFilter(last: 0)).all().isEmpty)
    #expect(try reader.devices(StoreFilter(last: 1)).all().map(\.identifier) == [Sample.device])
    #expect(try reader.sessions(StoreFilter(last: 1)).all().map(\.title) == ["later"])
    #expect(try reader.connections(StoreFilter(last: 1)).all().isEmpty)
    #expect(try reader.signals(StoreFilter(last: 1)).all().isEmpty)
  }

  @Test("Devices and sessions are those within the requested time")
  func devicesAndSessionsAreThoseWithinTheRequestedTime() async throws {
    let reader = try await record()
    #expect(try reader.sessions(StoreFilter(from: Self.at(500))).all().map(\.id) == [2])
    #expect(try reader.sessions(StoreFilter(until: Self.at(500))).all().map(\.id) == [1])
    #expect(try reader.devices(StoreFilter(from: Self.at(500))).all().map(\.identifier) == [Sample.device])
    #expect(try reader.devices(StoreFilter(session: 1)).all().count == 2)
    #expect(try reader.devices(StoreFilter(session: 2)).all().map(\.identifier) == [Sample.device])
    #expect(try reader.events(StoreFilter(kind: "note")).all().map(\.detail) == ["a\u{0}b"])
    #expect(try reader.events(StoreFilter(devices: [Sample.device])).all().isEmpty)
  }

  @Test("A query sees one state of the file, whatever is written meanwhile")
  func aQuerySeesOneStateOfTheFile() async throws {
    _ = try await record()
    let store = try SessionStore(file: folder.file)
    let reader = try StoreReader(file: folder.file)
    let cursor = try reader.values()
    #expect(try cursor.next() != nil)
    for number in 0..<50 { store.add(Sample.value(number), to: 2) }
    try await store.flush()
    var count = 1
    while try cursor.next() != nil { count += 1 }
    #expect(count == 101)
    #expect(try cursor.next() == nil)
    #expect(try reader.values().all().count == 151)
    try await store.close()
  }

  @Test("X3 rows that another program has corrupted are skipped")
  func rowsThatAnotherProgramHasCorruptedAreSkipped() async throws {
    _ = try await record()
    let store = try SessionStore(file: folder.file)
    try await store.perform(
      """
      UPDATE device SET identifier = 'not a UUID' WHERE id = 2; UPDATE value SET source = 'dreamt' WHERE id = 1;
      UPDATE value SET time = 9223372036854775807 WHERE id = 3; UPDATE session SET ending = x'00ff', title = x'ff' WHERE id = 1
      """)
    try await store.close()
    let reader = try StoreReader(file: folder.file)
    let values = try reader.values().all()
    #expect(values.count == 51 && values.first?.source == nil)
    #expect(try reader.devices().all().count == 1)
    #expect(try reader.sessions().all().first?.title == "\u{FFFD}")
  }
}
