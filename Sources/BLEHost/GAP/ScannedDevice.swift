import BLEAdapter
import BLECore
import Glibc

/// What a scanner knows of one advertiser.
final class ScannedDevice {
  let peer: KnownPeer
  /// Where the device stands in the tables of those who scan.
  let slot: Int
  /// What to call it.
  var name: String?
  /// The last advertisement and scan response, as they came.
  fileprivate(set) var advertisement: [UInt8] = []
  fileprivate(set) var scanResponse: [UInt8] = []
  fileprivate(set) var isConnectable: Bool
  /// Both together, understood; the same object as long as they say the same.
  fileprivate(set) var content: AdvertisementContent
  /// Another number for each content of any device, so that who has seen a number has seen this content.
  fileprivate(set) var version: UInt64
  /// Of which set of wanted overflow services `content` knows; 0 where it has no overflow area.
  fileprivate(set) var overflowGeneration: UInt64 = 0

  /// The neighbours in the order in which devices were last heard.
  fileprivate unowned(unsafe) var heardBefore: ScannedDevice?
  fileprivate unowned(unsafe) var heardAfter: ScannedDevice?

  fileprivate init(peer: KnownPeer, slot: Int, isConnectable: Bool, content: AdvertisementContent, version: UInt64) {
    self.peer = peer
    self.slot = slot
    self.isConnectable = isConnectable
    self.content = content
    self.version = version
  }
}

/// The advertisers heard lately, found by address with one look-up; the one unheard for longest makes room for a new one.
struct ScannedDevices {
  /// So many devices are kept.
  let limit: Int
  private let directory: PeerDirectory
  private var devices: [UInt64: ScannedDevice] = [:]
  private var freeSlots: [Int] = []
  private var nextVersion: UInt64 = 1
  private unowned(unsafe) var newest: ScannedDevice?
  private unowned(unsafe) var oldest: ScannedDevice?
  private var overflowServices: [BLEUUID] = []
  private var overflowGeneration: UInt64 = 1

  init(directory: PeerDirectory, limit: Int = 16_384) {
    self.directory = directory
    self.limit = limit
  }

  var count: Int { devices.count }

  subscript(address: DeviceAddress) -> ScannedDevice? { devices[address.key] }

  /// Which services are looked for in overflow areas from now on.
  mutating func setOverflowServices(_ wanted: [BLEUUID]) {
    if overflowServices == wanted { return }
    overflowServices = wanted
    overflowGeneration += 1
  }

  mutating func removeAll() {
    devices = [:]
    freeSlots = []
    newest = nil
    oldest = nil
  }

  /// Takes a report in; the device that it came from, or `nil` where the report says nothing by itself.
  mutating func update(_ report: borrowing AdvertisingReport) -> ScannedDevice? {
    guard let device = devices[report.address.key] else { return insert(report) }
    touch(device)
    if device.overflowGeneration != 0, device.overflowGeneration != overflowGeneration { rebuild(device) }
    if report.isScanResponse {
      if !isSame(device.scanResponse, report.data) {
        device.scanResponse = Array(report.data)
        rebuild(device)
      }
      return device
    }
    if device.isConnectable != report.isConnectable || !isSame(device.advertisement, report.data) {
      device.isConnectable = report.isConnectable
      device.advertisement = Array(report.data)
      rebuild(device)
    }
    return device
  }

  private mutating func insert(_ report: borrowing AdvertisingReport) -> ScannedDevice? {
    // A scan response follows an advertisement. One without, which a device just forgotten may have sent, waits for the
    // next advertisement.
    if report.isScanResponse && report.isLegacy { return nil }
    if devices.count >= limit { forgetOldest() }
    let device = ScannedDevice(
      peer: directory.peer(at: report.address), slot: freeSlots.popLast() ?? devices.count,
      isConnectable: report.isConnectable, content: .nothing, version: 0)
    device.name = device.peer.name
    if report.isScanResponse {
      device.scanResponse = Array(report.data)
    } else {
      device.advertisement = Array(report.data)
    }
    rebuild(device)
    devices[report.address.key] = device
    append(device)
    return device
  }

  private mutating func rebuild(_ device: ScannedDevice) {
    device.content = AdvertisementContent(
      advertisement: device.advertisement, scanResponse: device.scanResponse, isConnectable: device.isConnectable,
      overflowServices: overflowServices)
    device.version = nextVersion
    device.overflowGeneration = device.content.hasOverflowArea ? overflowGeneration : 0
    nextVersion += 1
    if let advertised = device.content.localName {
      device.name = directory.setName(advertised, of: device.peer.identifier, from: .advertised)
    }
  }

  private mutating func forgetOldest() {
    guard let device = oldest else { return }
    unlink(device)
    freeSlots.append(device.slot)
    devices[device.peer.address.key] = nil
  }

  private mutating func touch(_ device: ScannedDevice) {
    if newest === device { return }
    unlink(device)
    append(device)
  }

  private mutating func append(_ device: ScannedDevice) {
    device.heardBefore = newest
    device.heardAfter = nil
    newest?.heardAfter = device
    newest = device
    if oldest == nil { oldest = device }
  }

  private mutating func unlink(_ device: ScannedDevice) {
    if oldest === device { oldest = device.heardAfter }
    if newest === device { newest = device.heardBefore }
    device.heardBefore?.heardAfter = device.heardAfter
    device.heardAfter?.heardBefore = device.heardBefore
  }
}

private func isSame(_ kept: [UInt8], _ heard: ArraySlice<UInt8>) -> Bool {
  kept.count == heard.count
    && kept.withUnsafeBufferPointer { kept in
      heard.withUnsafeBufferPointer { heard in
        guard let left = kept.baseAddress, let right = heard.baseAddress else { return true }
        return memcmp(left, right, kept.count) == 0
      }
    }
}
