import BLECore
import BLEHost
import Testing

@Suite struct KeptLayoutTests {
  /// A layout as discovery makes it.
  private func layout() async throws -> RemoteLayout {
    let server = GATTServer()
    server.addGenericServices(name: "Device")
    let application = TestApplication()
    application.server = server
    for number in 1...3 as ClosedRange<UInt32> {
      _ = server.publish(.example(number, characteristics: 4), application: application)
    }
    let pair = LinkPair(server: server)
    let services = await pair.result { pair.database.discoverServices(nil, $0) }
    for service in try #require(try services?.get()) {
      let found = await pair.result { pair.database.discoverCharacteristics(nil, of: service, $0) }
      for characteristic in try #require(try found?.get()) {
        _ = await pair.result { pair.database.discoverDescriptors(of: characteristic, $0) }
      }
    }
    return pair.database.layout
  }

  @Test("a layout is the same after encoding and decoding")
  func aLayoutIsTheSameAfterEncodingAndDecoding() async throws {
    let layout = try await layout()
    let record = try #require(layout.record)
    let read = try #require(RemoteLayout(record: record))
    #expect(read.record == record && read.hash == layout.hash)
  }

  @Test("truncated, extended or random octets are no layout, or one that can be stored again")
  func truncatedExtendedOrRandomOctetsAreNoLayout()
    async throws
  {
    let record = try #require(try await layout().record)
    for length in 0..<record.count { #expect(RemoteLayout(record: Array(record.prefix(length))) == nil) }
    #expect(RemoteLayout(record: record + [0]) == nil)
    let seed: UInt64 = 0x1A_7007
    print("seed \(seed)")
    let entropy = SeededEntropy(seed: seed)
    for _ in 0..<20_000 {
      var changed = record
      for _ in 0..<3 {
        let index = Int(entropy.uniform(0..<UInt64(record.count)))
        changed[index] = UInt8(truncatingIfNeeded: entropy.next())
      }
      if let read = RemoteLayout(record: changed) { #expect(read.record != nil) }
    }
  }

  @Test("a layout without a hash is not stored")
  func aLayoutWithoutAHashIsNotStored() { #expect(RemoteLayout().record == nil) }
}
