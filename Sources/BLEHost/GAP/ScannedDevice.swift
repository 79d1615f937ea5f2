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

  fileprivate init(peer: KnownPeer, slot: Int, isConnectable: Bool, content: AdvertisementContent, version: UInt64) {
    self.peer = peer
    self.slot = slot
    self.isConnectable = isConnectable
    self.content = content
    self.version = version
  }
}

/// The advertisers heard lately, found by address with one look-up; the one unheard for longest makes room for a new one.
///
/// A device is filed and forgotten by the address that it was heard by. What names it, `peer.address`, may be another: that of a
/// device which has said who it is, and is heard by a private address that no key resolves.
struct ScannedDevices {
  /// A device with its neighbours in the order in which devices were last heard.
  private struct Place {
    var device: ScannedDevice
    /// By which it is filed.
    var key: UInt64
    var before: Int?
    var after: Int?
  }

  /// So many devices are kept.
  let limit: Int
  private let directory: PeerDirectory
  /// A device's slot is its index. None is ever free: who makes room leaves its place to the one that it makes room for.
  private var places: [Place] = []
  private var slots: [UInt64: Int] = [:]
  private var nextVersion: UInt64 = 1
  private var newest: Int?
  private var oldest: Int?
  private var overflowServices: [BLEUUID] = []
  private var overflowGeneration: UInt64 = 1
  /// Reports of devices that were known.
  private(set) var repetitionCount = 0

  /// - Parameter limit: at least 1.
  init(directory: PeerDirectory, limit: Int = 16_384) {
    self.directory = directory
    self.limit = limit
  }

  var count: Int { places.count }

  subscript(address: DeviceAddress) -> ScannedDevice? { slots[address.key].map { places[$0].device } }

  /// Which services are looked for in overflow areas from now on.
  mutating func setOverflowServices(_ wanted: [BLEUUID]) {
    if overflowServices == wanted { return }
    overflowServices = wanted
    overflowGeneration += 1
  }

  mutating func removeAll() {
    places = []
    slots = [:]
    newest = nil
    oldest = nil
  }

  /// Takes a report in; the device that it came from, or `nil` where the report says nothing by itself.
  mutating func update(_ report: borrowing AdvertisingReport) -> ScannedDevice? {
    guard let slot = slots[report.address.key] else { return insert(report) }
    touch(slot)
    repetitionCount &+= 1
    let device = places[slot].device
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
    let slot = takePlace()
    let device = ScannedDevice(
      peer: directory.peer(at: report.address), slot: slot, isConnectable: report.isConnectable, content: .nothing,
      version: 0)
    device.name = device.peer.name
    if report.isScanResponse {
      device.scanResponse = Array(report.data)
    } else {
      device.advertisement = Array(report.data)
    }
    rebuild(device)
    let place = Place(device: device, key: report.address.key)
    if slot < places.count { places[slot] = place } else { places.append(place) }
    slots[place.key] = slot
    append(slot)
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

  /// The slot of a new device: behind all others, or that of the one unheard for longest, which is forgotten.
  private mutating func takePlace() -> Int {
    guard places.count >= limit, let slot = oldest else { return places.count }
    unlink(slot)
    slots[places[slot].key] = nil
    return slot
  }

  private mutating func touch(_ slot: Int) {
    if newest == slot { return }
    unlink(slot)
    append(slot)
  }

  private mutating func append(_ slot: Int) {
    places[slot].before = newest
    places[slot].after = nil
    if let newest { places[newest].after = slot }
    newest = slot
    if oldest == nil { oldest = slot }
  }

  private mutating func unlink(_ slot: Int) {
    let (before, after) = (places[slot].before, places[slot].after)
    if let before { places[before].after = after } else { oldest = after }
    if let after { places[after].before = before } else { newest = before }
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
