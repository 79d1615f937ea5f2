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

  @Test func advertisementAndScanResponseAreMergedAndUnchangedOctetsKeepTheObject() {
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

  @Test func aTornStructureDoesNotEatTheScanResponse() {
    var devices = ScannedDevices(directory: directory)
    _ = devices.update(report(1, [9, 0x03, 0x11, 0xFF]))
    let content = content(report(1, [3, 0x09, 0x48, 0x69], isScanResponse: true), &devices)
    #expect(content.localName == "Hi")
    #expect(content.serviceUUIDs.isEmpty)
  }

  @Test func theDeviceUnheardForLongestMakesRoom() {
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

  @Test func anAdvertiserThatChangesItsAddressEachTimeIsBounded() {
    var devices = ScannedDevices(directory: directory)
    for address in 0..<100_000 { _ = devices.update(report(0x3000_0000_0000 + UInt64(address), [2, 1, 6])) }
    #expect(devices.count == devices.limit)
  }
}
