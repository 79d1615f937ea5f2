import BLEAdapter
import BLECore

/// The changed parts of a device.
struct DeviceChanges: OptionSet {
  let rawValue: Int
  /// The content of its advertisements.
  static let advertisement = DeviceChanges(rawValue: 1 << 0)
  /// The daemon has received a packet from it.
  static let heard = DeviceChanges(rawValue: 1 << 1)
  static let name = DeviceChanges(rawValue: 1 << 2)
  static let address = DeviceChanges(rawValue: 1 << 3)
  static let connection = DeviceChanges(rawValue: 1 << 4)
  static let resolution = DeviceChanges(rawValue: 1 << 5)
  static let services = DeviceChanges(rawValue: 1 << 6)
  static let pairing = DeviceChanges(rawValue: 1 << 7)
  /// It was heard, and had been heard before.
  static let heardAgain = DeviceChanges(rawValue: 1 << 8)
}

/// A device as the daemon shows it, with its discovered attributes.
final class DeviceObject {
  let path: String
  /// The path of the adapter that it belongs to.
  let adapter: String
  /// Unique to this object, even where the daemon removes a device and adds it again.
  let number: UInt64
  /// The device's identity address, once the daemon knows it.
  private(set) var address: DeviceAddress
  /// The address before the last change.
  private(set) var formerAddress: DeviceAddress?
  private(set) var name: String?
  /// The advertised services and, after a connection, those discovered.
  private(set) var services: [BLEUUID] = []
  /// In dBm; `nil` while the device is not heard.
  private(set) var rssi: Int8?
  private(set) var txPower: Int8?
  private(set) var manufacturerData: [UInt16: [UInt8]] = [:]
  private(set) var serviceData: [(uuid: BLEUUID, data: [UInt8])] = []
  /// Advertising data structures by type: those for which the daemon has no property.
  private(set) var advertisingData: [UInt8: [UInt8]] = [:]
  private(set) var isConnected = false
  private(set) var areServicesResolved = false
  private(set) var isPaired = false
  /// The discovered attributes.
  var attributes = RemoteAttributes()
  /// Incremented when the advertised content changes.
  private(set) var version: UInt64 = 1
  private var content: AdvertisementContent?

  init(path: String, adapter: String, number: UInt64, address: DeviceAddress) {
    self.path = path
    self.adapter = adapter
    self.number = number
    self.address = address
  }

  /// The advertised content; the same object as long as that is unchanged.
  var advertisement: AdvertisementContent {
    if let content { return content }
    let made = AdvertisementContent(self)
    content = made
    return made
  }

  /// The address in the properties; `nil` where they contain none.
  /// - Parameter kind: its kind where they do not contain that.
  static func address(
    in properties: ReportedProperties, else kind: DeviceAddress.Kind = .public, _ reader: PropertyReader
  ) -> DeviceAddress? {
    let type = reader.read("AddressType", of: BlueZName.device, in: properties) { $0.text }
    let kind = type.map { $0 == "random" ? .random : .public } ?? kind
    return reader.read("Address", of: BlueZName.device, in: properties) { value in
      value.text.flatMap { DeviceAddress($0, kind: kind) }
    }
  }

  /// Applies reported properties: all of the object's where it is new.
  func take(_ properties: ReportedProperties, invalidated: [String], _ reader: PropertyReader) -> DeviceChanges {
    var changes: DeviceChanges = []
    let wasHeard = rssi != nil
    // Iterates over what was reported, not over all known names: most signals have one property, and there is one for each packet.
    var hasAddress = false
    for reported in properties.list {
      let property = ReportedProperty(name: reported.name, value: reported.value, reader: reader)
      switch reported.name {
      case "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData", "UUIDs":
        takeAdvertisement(property, &changes)
      case "Paired", "Connected", "ServicesResolved": takeLink(property, &changes)
      case "Name": takeName(property, &changes)
      case "Address": hasAddress = true
      default: break
      }
    }
    if hasAddress { takeAddress(properties, reader, &changes) }
    if wasHeard, changes.contains(.heard) { changes.insert(.heardAgain) }
    for name in invalidated { forget(name, &changes) }
    if changes.contains(.advertisement) {
      version &+= 1
      content = nil
    }
    return changes
  }

  /// One reported property.
  private struct ReportedProperty {
    let name: String
    let value: BusValue
    let reader: PropertyReader

    /// The value as `read` interprets it; `nil` where it has another type.
    func read<Value>(_ read: (BusValue) -> Value?) -> Value? {
      reader.read(name, of: BlueZName.device, from: value, read)
    }
  }

  private func takeAddress(
    _ properties: ReportedProperties, _ reader: PropertyReader, _ changes: inout DeviceChanges
  ) {
    // An unchanged kind is not reported again.
    if let address = Self.address(in: properties, else: address.kind, reader), address != self.address {
      formerAddress = self.address
      self.address = address
      changes.insert(.address)
    }
  }

  private func takeName(_ property: ReportedProperty, _ changes: inout DeviceChanges) {
    guard let name = property.read({ $0.text }), name != self.name else { return }
    self.name = name
    changes.formUnion([.name, .advertisement])
  }

  private func takeAdvertisement(_ property: ReportedProperty, _ changes: inout DeviceChanges) {
    switch property.name {
    case "RSSI":
      guard let rssi = property.read({ $0.signed16 }) else { return }
      self.rssi = Int8(clamping: rssi)
      changes.insert(.heard)
    case "TxPower":
      if let power = property.read({ $0.signed16 }) { note(&txPower, Int8(clamping: power), &changes) }
    case "UUIDs":
      guard let uuids = property.read({ $0.uuids }), uuids != services else { return }
      services = uuids
      changes.formUnion([.services, .advertisement])
    // The daemon reports these for each packet, even if they are unchanged.
    case "ManufacturerData":
      guard let data = property.read({ $0.manufacturerData }) else { return }
      note(&manufacturerData, data, &changes)
      changes.insert(.heard)
    case "ServiceData":
      guard let data = property.read({ $0.serviceData }) else { return }
      if !data.elementsEqual(serviceData, by: ==) {
        serviceData = data
        changes.insert(.advertisement)
      }
      changes.insert(.heard)
    case "AdvertisingData":
      guard let data = property.read({ $0.advertisingData }) else { return }
      note(&advertisingData, data, &changes)
      changes.insert(.heard)
    default: return
    }
  }

  private func takeLink(_ property: ReportedProperty, _ changes: inout DeviceChanges) {
    guard let flag = property.read({ $0.flag }) else { return }
    switch property.name {
    case "Paired": take(flag, in: &isPaired, .pairing, &changes)
    case "Connected": take(flag, in: &isConnected, .connection, &changes)
    default: take(flag, in: &areServicesResolved, .resolution, &changes)
    }
  }

  private func take(
    _ flag: Bool, in place: inout Bool, _ change: DeviceChanges, _ changes: inout DeviceChanges
  ) {
    if place == flag { return }
    place = flag
    changes.insert(change)
  }

  /// Called when the daemon has removed the device, and with it the link.
  func wasRemoved() { isConnected = false }

  private func forget(_ name: String, _ changes: inout DeviceChanges) {
    switch name {
    // The device is no longer heard, which is not reported to scans.
    case "RSSI": rssi = nil
    case "TxPower": note(&txPower, nil, &changes)
    case "ManufacturerData": note(&manufacturerData, [:], &changes)
    case "AdvertisingData": note(&advertisingData, [:], &changes)
    case "ServiceData":
      if !serviceData.isEmpty { changes.insert(.advertisement) }
      serviceData = []
    default: break
    }
  }

  private func note<Value: Equatable>(_ place: inout Value, _ value: Value, _ changes: inout DeviceChanges) {
    if place == value { return }
    place = value
    changes.insert(.advertisement)
  }
}

extension BusValue {
  /// `as` of UUIDs. An invalid one is omitted: a device may advertise anything.
  fileprivate var uuids: [BLEUUID]? { list?.compactMap { $0.text.flatMap { BLEUUID($0)?.forAttributeProtocol } } }

  /// `a{qv}` of `ay`, by company identifier.
  fileprivate var manufacturerData: [UInt16: [UInt8]]? { table { $0.unsigned16 } }

  /// `a{yv}` of `ay`, by type of the data structure.
  fileprivate var advertisingData: [UInt8: [UInt8]]? {
    table { key in if case .octet(let type) = key { type } else { nil } }
  }

  /// `a{sv}` of `ay`, sorted by UUID.
  fileprivate var serviceData: [(uuid: BLEUUID, data: [UInt8])]? {
    let table: [BLEUUID: [UInt8]]? = table { $0.text.flatMap { BLEUUID($0)?.forAttributeProtocol } }
    return table?.map { (uuid: $0.key, data: $0.value) }
      .sorted { ($0.uuid.high, $0.uuid.low) < ($1.uuid.high, $1.uuid.low) }
  }

  private func table<Key: Hashable>(_ key: (BusValue) -> Key?) -> [Key: [UInt8]]? {
    guard let entries else { return nil }
    var table: [Key: [UInt8]] = [:]
    for (name, value) in entries {
      guard let name = key(name), let octets = value.octetsValue else { return nil }
      table[name] = octets
    }
    return table
  }
}
