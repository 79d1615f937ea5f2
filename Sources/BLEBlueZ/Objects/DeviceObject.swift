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
    // By what is told and not by what may be: most signals tell of one property, and there is one for each packet.
    for (name, value) in properties {
      let told = Told(name: name, value: value, reader: reader)
      switch name {
      case "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData", "UUIDs":
        takeAdvertisement(told, &changes)
      case "Paired", "Connected", "ServicesResolved": takeLink(told, &changes)
      case "Name": takeName(told, &changes)
      case "Address": takeAddress(properties, reader, &changes)
      default: break
      }
    }
    if wasHeard, changes.contains(.heard) { changes.insert(.heardAgain) }
    for name in invalidated { forget(name, &changes) }
    if changes.contains(.advertisement) {
      version &+= 1
      content = nil
    }
    return changes
  }

  /// One property that was told.
  private struct Told {
    let name: String
    let value: BusValue
    let reader: PropertyReader

    /// As `read` understands it; `nil` where it is of another type.
    func read<Value>(_ read: (BusValue) -> Value?) -> Value? {
      reader.read(name, of: BlueZName.device, from: value, read)
    }
  }

  private func takeAddress(
    _ properties: [String: BusValue], _ reader: PropertyReader, _ changes: inout DeviceChanges
  ) {
    // The type alone does not come again where it is the same.
    var named = properties
    if named["AddressType"] == nil { named["AddressType"] = .string(address.kind == .random ? "random" : "public") }
    if let address = Self.address(in: named, reader), address != self.address {
      formerAddress = self.address
      self.address = address
      changes.insert(.address)
    }
  }

  private func takeName(_ told: Told, _ changes: inout DeviceChanges) {
    guard let name = told.read({ $0.text }), name != self.name else { return }
    self.name = name
    changes.formUnion([.name, .advertisement])
  }

  private func takeAdvertisement(_ told: Told, _ changes: inout DeviceChanges) {
    switch told.name {
    case "RSSI":
      guard let rssi = told.read({ $0.signed16 }) else { return }
      self.rssi = Int8(clamping: rssi)
      changes.insert(.heard)
    case "TxPower":
      if let power = told.read({ $0.signed16 }) { note(&txPower, Int8(clamping: power), &changes) }
    case "UUIDs":
      guard let uuids = told.read({ $0.uuids }), uuids != services else { return }
      services = uuids
      changes.formUnion([.services, .advertisement])
    // With these the daemon tells of each packet, also where they are the same.
    case "ManufacturerData":
      guard let data = told.read({ $0.manufacturerData }) else { return }
      note(&manufacturerData, data, &changes)
      changes.insert(.heard)
    case "ServiceData":
      guard let data = told.read({ $0.serviceData }) else { return }
      if !data.elementsEqual(serviceData, by: ==) {
        serviceData = data
        changes.insert(.advertisement)
      }
      changes.insert(.heard)
    case "AdvertisingData":
      guard let data = told.read({ $0.advertisingData }) else { return }
      note(&advertisingData, data, &changes)
      changes.insert(.heard)
    default: return
    }
  }

  private func takeLink(_ told: Told, _ changes: inout DeviceChanges) {
    guard let flag = told.read({ $0.flag }) else { return }
    switch told.name {
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
