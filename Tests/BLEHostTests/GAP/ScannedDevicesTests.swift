import BLEAdapter
import BLECore
import Testing

@testable import BLEHost

@Suite struct ScannedDevicesTests {
  private let directory = PeerDirectory(store: MemoryPeerStore(entropy: SeededEntropy(seed: 1)))

  private func report(_ address: UInt64, _ data: [UInt8], isScanResponse: Bool = false) -> AdvertisingReport {
    AdvertisingReport(
      address: DeviceAddress(address, kind: .random), isConnectable: true, isScanResponse: isScanResponse,
      isLegacy: true, rssi: -40, data: data[...])
  }

  private func content(_ report: AdvertisingReport, _ devices: inout ScannedDevices) -> AdvertisementContent {
    devices.update(report)?.content ?? .nothing
  }

  @Test("advertisement and scan response are merged, and unchanged octets keep the object")
  func advertisementAndScanResponseAreMergedAndUnchangedOctetsKeepTheObject() {
    var devices = ScannedDevices(directory: directory)
    let first = content(report(1, [3, 0x03, 0x11, 0xFF]), &devices)
    #expect(first.serviceUUIDs == [BLEUUID(0xFF11)])
    #expect(first.localName == nil)
    let merged = content(report(1, [3, 0x09, 0x48, 0x69], isScanResponse: true), &devices)
    #expect(merged.localName == "Hi")
    #expect(merged.serviceUUIDs == [BLEUUID(0xFF11)])
    #expect(merged.octets == [3, 0x03, 0x11, 0xFF, 3, 0x09, 0x48, 0x69])
    #expect(content(report(1, [3, 0x03, 0x11, 0xFF]), &devices) === merged)
    #expect(content(report(1, [3, 0x09, 0x48, 0x69], isScanResponse: true), &devices) === merged)
    #expect(content(report(1, [3, 0x03, 0x12, 0xFF]), &devices) !== merged)
  }

  @Test("a truncated structure does not swallow the scan response")
  func aTornStructureDoesNotEatTheScanResponse() {
    var devices = ScannedDevices(directory: directory)
    _ = devices.update(report(1, [9, 0x03, 0x11, 0xFF]))
    let content = content(report(1, [3, 0x09, 0x48, 0x69], isScanResponse: true), &devices)
    #expect(content.localName == "Hi")
    #expect(content.serviceUUIDs.isEmpty)
  }

  @Test("the least recently heard device makes room")
  func theDeviceUnheardForLongestMakesRoom() {
    var devices = ScannedDevices(directory: directory, limit: 100)
    for address in 0..<100 { _ = devices.update(report(UInt64(address), [])) }
    _ = devices.update(report(0, []))
    for address in 100..<150 { _ = devices.update(report(UInt64(address), [])) }
    #expect(devices.count == 100)
    #expect(devices[DeviceAddress(0, kind: .random)] != nil)
    #expect(devices[DeviceAddress(1, kind: .random)] == nil)
    #expect(devices[DeviceAddress(50, kind: .random)] == nil)
    #expect(devices[DeviceAddress(51, kind: .random)] != nil)
    var slots: Set<Int> = []
    for address in 0..<150 {
      if let device = devices[DeviceAddress(UInt64(address), kind: .random)] { slots.insert(device.slot) }
    }
    #expect(slots.count == 100 && slots.allSatisfy { $0 < 100 })
  }

  @Test("an advertiser that changes its address each time takes bounded room")
  func anAdvertiserThatChangesItsAddressEachTimeIsBounded() {
    var devices = ScannedDevices(directory: directory)
    for address in 0..<100_000 { _ = devices.update(report(0x3000_0000_0000 + UInt64(address), [2, 1, 6])) }
    #expect(devices.count == devices.limit)
  }

  /// A device at `address` that has claimed the identity `identity`.
  private func identify(_ address: UInt64, as identity: UInt64) {
    let peer = directory.peer(at: DeviceAddress(address, kind: .random))
    _ = directory.identify(peer, as: DeviceAddress(identity, kind: .random))
  }

  @Test("H2 I11.1 a device is stored and removed under the address that it was heard by, whatever identity is claimed")
  func filedByTheAddressHeard() {
    identify(0x4000_0000_0001, as: 0xC000_0000_0001)
    var devices = ScannedDevices(directory: directory, limit: 4)
    let heard = report(0x4000_0000_0001, [2, 1, 6])
    #expect(devices.update(heard)?.peer.address == DeviceAddress(0xC000_0000_0001, kind: .random))
    for address in 1...4 { _ = devices.update(report(UInt64(address), [])) }
    #expect(devices.count == 4)
    #expect(devices[heard.address] == nil)
  }

  @Test("H2 I11.1 in any order of reports the table holds the most recent ones, each in its place")
  func comparedWithAList() {
    let limit = 16
    // Some have the addresses of others as identities.
    for number in UInt64(1)...8 { identify(0x4000_0000_0000 | number, as: 0xC000_0000_0000 | number) }
    var devices = ScannedDevices(directory: directory, limit: limit)
    var expected: [DeviceAddress] = []
    let entropy = SeededEntropy(seed: 11)
    for step in 0..<20_000 {
      let kind: UInt64 = entropy.uniform(0..<2) == 0 ? 0x4000_0000_0000 : 0xC000_0000_0000
      let heard = report(kind | entropy.uniform(1..<20), [2, 1, UInt8(entropy.uniform(0..<3))])
      let device = devices.update(heard)
      expected.removeAll { $0 == heard.address }
      expected.append(heard.address)
      if expected.count > limit { expected.removeFirst() }
      #expect(devices.count == expected.count, "step \(step)")
      #expect(device === devices[heard.address], "step \(step)")
      guard step % 50 == 0 else { continue }
      let kept = expected.compactMap { devices[$0] }
      #expect(kept.count == expected.count, "step \(step)")
      #expect(Set(kept.map(\.slot)).count == kept.count && kept.allSatisfy { $0.slot < limit }, "step \(step)")
      if step % 5_000 == 0 {
        devices.removeAll()
        expected = []
      }
    }
  }
}
