import BLEAdapter
import BLECore
import Glibc

/// The last reports of one advertiser.
final class ScannedDevice {
  let peer: KnownPeer
  /// The index of the device in the tables of the scans.
  let slot: Int
  /// The name to show.
  var name: String?
  /// The last advertisement and scan response, as received.
  fileprivate(set) var advertisement: [UInt8] = []
  fileprivate(set) var scanResponse: [UInt8] = []
  fileprivate(set) var isConnectable: Bool
  /// The parsed content of both; the same object as long as that is unchanged.
  fileprivate(set) var content: AdvertisementContent
  /// Unique to each content of any device: an equal version means an equal content.
  fileprivate(set) var version: UInt64
  /// The generation of overflow services with which `content` was parsed; 0 if it has no overflow area.
  fileprivate(set) var overflowGeneration: UInt64 = 0

  fileprivate init(peer: KnownPeer, slot: Int, isConnectable: Bool, content: AdvertisementContent, version: UInt64) {
    self.peer = peer
    self.slot = slot
    self.isConnectable = isConnectable
    self.content = content
    self.version = version
  }
}

/// The recently heard advertisers, found by address with one lookup. When the table is full, the least recently heard one is replaced.
///
/// A device is stored under the address with which it advertises. `peer.address` may differ: it is the identity address of a device that
/// has distributed it, and that advertises with a private address which no key resolves.
struct ScannedDevices {
  /// A device with its neighbours in the order in which devices were last heard.
  private struct Place {
    var device: ScannedDevice
    /// The address under which it is stored.
    var key: UInt64
    var before: Int?
    var after: Int?
  }

  /// The maximum number of devices.
  let limit: Int
  private let directory: PeerDirectory
  /// A device's slot is its index. No slot is ever free: a new device takes the slot of the one that it replaces.
  private var places: [Place] = []
  private var slots: [UInt64: Int] = [:]
  private var nextVersion: UInt64 = 1
  private var newest: Int?
  private var oldest: Int?
  private var overflowServices: [BLEUUID] = []
  private var overflowGeneration: UInt64 = 1
  /// The number of reports of devices that had been heard before.
  private(set) var repetitionCount = 0

  /// - Parameter limit: at least 1.
  init(directory: PeerDirectory, limit: Int = 16_384) {
    self.directory = directory
    self.limit = limit
  }

  var count: Int { places.count }

  subscript(address: DeviceAddress) -> ScannedDevice? { slots[address.key].map { places[$0].device } }

  /// Sets the services that are searched for in overflow areas.
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

  /// Applies a report. Returns its device, or `nil` for a scan response whose advertisement is unknown.
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
    // A scan response follows an advertisement. One without, as from a device that was just replaced, is ignored until the next
    // advertisement.
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

  /// The slot for a new device: a new one, or that of the least recently heard device, which is removed.
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
