import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@testable import BLESessionStore

@Suite("Retention of a record")
struct RetentionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func store(_ retention: Retention) throws -> SessionStore {
    try SessionStore(
      file: folder.file, configuration: StoreConfiguration(durability: .processDeath, retention: retention))
  }

  private static func signal(_ number: Int, _ time: Date, of device: UUID = Sample.device) -> StoreEntry {
    StoreEntry(.signal(rssi: -number % 100, smoothed: nil, .connection), device: device, at: time)
  }

  @Test("Old entries are removed, with sessions and devices that have nothing left")
  func oldEntriesAreRemoved() async throws {
    let (now, old) = (Date(), Date().addingTimeInterval(-7_200))
    let before = try store(Retention())
    let first = try await before.beginSession(title: "old", at: old)
    before.add(StoreEntry(.connected(.user), device: Sample.other, at: old), to: first)
    before.add(StoreEntry(.disconnected(.user, error: nil), device: Sample.other, at: old), to: first)
    for number in 0..<100 { before.add(Self.signal(number, old, of: Sample.other), to: first) }
    try await before.endSession(first, at: old)
    try await before.close()

    let after = try store(Retention(age: .seconds(3_600)))
    let second = try await after.beginSession(title: "new", at: now)
    for number in 0..<10 { after.add(Self.signal(number, now), to: second) }
    try await after.close()
    let reader = try StoreReader(file: folder.file)
    #expect(try reader.devices().all().map(\.identifier) == [Sample.device])
    #expect(try reader.sessions().all().map(\.title) == ["new"])
    #expect(try reader.signals().all().count == 10)
    #expect(try reader.summary().connections == 0)
    #expect(after.statistics.expired >= 101)
    #expect(try reader.damages() == [])
  }

  @Test("There are never more rows than configured, and the newest stay")
  func thereAreNeverMoreRowsThanConfigured() async throws {
    let store = try store(Retention(rows: 500))
    let session = try await store.beginSession(title: "rows", at: Sample.start)
    for number in 0..<5_000 {
      store.add(Sample.value(number), to: session)
      store.add(Self.signal(number, Sample.start.addingTimeInterval(Double(number))), to: session)
      if number % 1_000 == 999 { try await store.flush() }
    }
    try await store.close()
    let reader = try StoreReader(file: folder.file)
    let values = try reader.values().all()
    #expect(values.count == 500 && values.first?.octets == Data("value 4500".utf8))
    #expect(try reader.signals().all().count == 500)
  }

  @Test("Invented devices do not fill the record; remembered and connected ones stay")
  func inventedDevicesDoNotFillTheRecord() async throws {
    let store = try store(Retention(rows: 100))
    let session = try await store.beginSession(title: "crowd", at: Sample.start)
    try StoreMemory(store: store).remember(RememberedDevice(identifier: Sample.other, name: "mine"))
    store.add(StoreEntry(.connected(.user), device: Sample.device, name: "here", at: Sample.start), to: session)
    for number in 0..<2_000 {
      let time = Sample.start.addingTimeInterval(Double(number + 1))
      store.add(StoreEntry(.sighting(Advertisement()), device: UUID(), name: "device \(number)", at: time), to: session)
    }
    try await store.flush()
    try await store.close()
    let names = try StoreReader(file: folder.file).devices().all().compactMap(\.name)
    #expect(names.count == 100 && names.contains("here") && names.contains("mine") && names.contains("device 1999"))
  }

  @Test("The file stays within its size, and continues to accept the newest")
  func theFileStaysWithinItsSize() async throws {
    let limit = 1 << 20
    let store = try store(Retention(size: limit))
    let session = try await store.beginSession(title: "size", at: Sample.start)
    for number in 0..<20_000 {
      let octets = Data("value \(number) ".utf8) + Data(repeating: 0x55, count: 200)
      let time = Sample.start.addingTimeInterval(Double(number))
      store.add(StoreEntry(.value(octets, from: Sample.line, .notified), device: Sample.device, at: time), to: session)
      if number % 512 == 511 { try await store.flush() }
    }
    try await store.close()
    let length = try #require(
      try FileManager.default.attributesOfItem(atPath: folder.file.path)[.size] as? NSNumber)
    #expect(length.intValue <= limit)
    let reader = try StoreReader(file: folder.file)
    let values = try reader.values().all()
    #expect(values.count > 1_000 && values.last?.octets.starts(with: Data("value 19999 ".utf8)) == true)
    #expect(try reader.damages() == [])
  }
}
