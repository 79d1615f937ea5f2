import BLEAdapter
import BLECore

/// What of a device has changed.
struct DeviceChanges: OptionSet {
  let rawValue: Int
  /// What it advertises.
  static let advertisement = DeviceChanges(rawValue: 1 << 0)
  /// A packet of it was heard.
  static let heard = DeviceChanges(rawValue: 1 << 1)
  static let name = DeviceChanges(rawValue: 1 << 2)
  static let address = DeviceChanges(rawValue: 1 << 3)
  static let connection = DeviceChanges(rawValue: 1 << 4)
  static let resolution = DeviceChanges(rawValue: 1 << 5)
  static let services = DeviceChanges(rawValue: 1 << 6)
  static let pairing = DeviceChanges(rawValue: 1 << 7)
  /// It was heard again, after it had been heard before.
  static let heardAgain = DeviceChanges(rawValue: 1 << 8)
}

/// A device as the daemon shows it, with the attributes that it has found on it.
final class DeviceObject {
  let path: String
  /// The path of the adapter that it belongs to.
  let adapter: String
  /// Another one for each object, also where the daemon removes a device and adds it again.
  let number: UInt64
  /// The device's identity address, once the daemon knows it.
  private(set) var address: DeviceAddress
  /// Under which it was known before.
  private(set) var formerAddress: DeviceAddress?
  private(set) var name: String?
  /// What it has advertised and, after a connection, has.
  private(set) var services: [BLEUUID] = []
  /// In dBm; `nil` where it is not heard at the moment.
  private(set) var rssi: Int8?
  private(set) var txPower: Int8?
  private(set) var manufacturerData: [UInt16: [UInt8]] = [:]
  private(set) var serviceData: [(uuid: BLEUUID, data: [UInt8])] = []
  /// Advertising data structures by type: those that the daemon does not show otherwise.
  private(set) var advertisingData: [UInt8: [UInt8]] = [:]
  private(set) var isConnected = false
  private(set) var areServicesResolved = false
  private(set) var isPaired = false
  /// What the daemon has found on it.
  var attributes = RemoteAttributes()
  /// Changes with what it advertises.
  private(set) var version: UInt64 = 1
  private var content: AdvertisementContent?

  init(path: String, adapter: String, number: UInt64, address: DeviceAddress) {
    self.path = path
    self.adapter = adapter
    self.number = number
    self.address = address
  }

  /// What it advertises; the same object as long as that is the same.
  var advertisement: AdvertisementContent {
    if let content { return content }
    let made = AdvertisementContent(self)
    content = made
    return made
  }

  /// The address that properties name; `nil` where they name none.
  static func address(in properties: [String: BusValue], _ reader: PropertyReader) -> DeviceAddress? {
    let type = reader.read("AddressType", of: BlueZName.device, in: properties) { $0.text }
    return reader.read("Address", of: BlueZName.device, in: properties) { value in
      value.text.flatMap { DeviceAddress($0, kind: type == "random" ? .random : .public) }
    }
  }

  /// Takes in properties that were told, all of the object's where it is new.
  func take(_ properties: [String: BusValue], invalidated: [String], _ reader: PropertyReader) -> DeviceChanges {
    var changes: DeviceChanges = []
    let wasHeard = rssi != nil
    takeIdentity(properties, reader, &changes)
    takeAdvertisement(properties, reader, &changes)
    if wasHeard, changes.contains(.heard) { changes.insert(.heardAgain) }
    takeLink(properties, reader, &changes)
    for name in invalidated { forget(name, &changes) }
    if changes.contains(.advertisement) {
      version &+= 1
      content = nil
    }
    return changes
  }

  private func takeIdentity(
    _ properties: [String: BusValue], _ reader: PropertyReader, _ changes: inout DeviceChanges
  ) {
    if properties["Address"] != nil {
      // The type alone does not come again where it is the same.
      var named = properties
      if named["AddressType"] == nil { named["AddressType"] = .string(address.kind == .random ? "random" : "public") }
      if let address = Self.address(in: named, reader), address != self.address {
        formerAddress = self.address
        self.address = address
        changes.insert(.address)
      }
    }
    if let name = read("Name", properties, reader, { $0.text }), name != self.name {
      self.name = name
      changes.formUnion([.name, .advertisement])
    }
  }

  private func takeAdvertisement(
    _ properties: [String: BusValue], _ reader: PropertyReader, _ changes: inout DeviceChanges
  ) {
    if let rssi = read("RSSI", properties, reader, { $0.signed16 }) {
      self.rssi = Int8(clamping: rssi)
      changes.insert(.heard)
    }
    if let power = read("TxPower", properties, reader, { $0.signed16 }) {
      note(&txPower, Int8(clamping: power), &changes)
    }
    if let uuids = read("UUIDs", properties, reader, { $0.uuids }), uuids != services {
      services = uuids
      changes.formUnion([.services, .advertisement])
    }
    // With these the daemon tells of each packet, also where they are the same.
    if let data = read("ManufacturerData", properties, reader, { $0.manufacturerData }) {
      note(&manufacturerData, data, &changes)
      changes.insert(.heard)
    }
    if let data = read("ServiceData", properties, reader, { $0.serviceData }) {
      if !data.elementsEqual(serviceData, by: ==) {
        serviceData = data
        changes.insert(.advertisement)
      }
      changes.insert(.heard)
    }
    if let data = read("AdvertisingData", properties, reader, { $0.advertisingData }) {
      note(&advertisingData, data, &changes)
      changes.insert(.heard)
    }
  }

  private func takeLink(_ properties: [String: BusValue], _ reader: PropertyReader, _ changes: inout DeviceChanges) {
    if let paired = read("Paired", properties, reader, { $0.flag }), paired != isPaired {
      isPaired = paired
      changes.insert(.pairing)
    }
    if let connected = read("Connected", properties, reader, { $0.flag }), connected != isConnected {
      isConnected = connected
      changes.insert(.connection)
    }
    if let resolved = read("ServicesResolved", properties, reader, { $0.flag }), resolved != areServicesResolved {
      areServicesResolved = resolved
      changes.insert(.resolution)
    }
  }

  /// The daemon has it no more, and with it no link.
  func wasRemoved() { isConnected = false }

  private func forget(_ name: String, _ changes: inout DeviceChanges) {
    switch name {
    // It is not heard any more, which is no news for those who scan.
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

  private func read<Value>(
    _ name: String, _ properties: [String: BusValue], _ reader: PropertyReader, _ read: (BusValue) -> Value?
  ) -> Value? {
    reader.read(name, of: BlueZName.device, in: properties, read)
  }
}

extension BusValue {
  /// `as` of UUIDs. One that is none is left out: a device may advertise what it likes.
  fileprivate var uuids: [BLEUUID]? { list?.compactMap { $0.text.flatMap { BLEUUID($0)?.forAttributeProtocol } } }

  /// `a{qv}` of `ay`: by the company's number.
  fileprivate var manufacturerData: [UInt16: [UInt8]]? { table { $0.unsigned16 } }

  /// `a{yv}` of `ay`: by the type of the structure.
  fileprivate var advertisingData: [UInt8: [UInt8]]? {
    table { key in if case .octet(let type) = key { type } else { nil } }
  }

  /// `a{sv}` of `ay`, in the order of the UUIDs.
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
