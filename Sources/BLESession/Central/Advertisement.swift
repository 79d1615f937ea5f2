import CoreBluetooth

/// What a device advertises: all that was heard of it so far, merged.
public struct Advertisement: Sendable, Hashable {
  /// Manufacturer data, taken apart.
  public struct Manufacturer: Sendable, Hashable {
    /// The company's assigned number.
    public var company: UInt16
    /// What follows it.
    public var content: Data
  }

  public var localName: String?
  public var manufacturerData: Data?
  public var services: [CBUUID] = []
  public var overflowServices: [CBUUID] = []
  public var solicitedServices: [CBUUID] = []
  public var serviceData: [CBUUID: Data] = [:]
  /// In dBm.
  public var transmitPower: Int?
  public var isConnectable: Bool?

  public init() {}

  public var manufacturer: Manufacturer? {
    guard let data = manufacturerData, let company = UInt16(octets: data.prefix(2), order: .littleEndian),
      data.count >= 2
    else { return nil }
    return Manufacturer(company: company, content: Data(data.dropFirst(2)))
  }

  var allServices: [CBUUID] { services + overflowServices }

  /// Takes over what one discovery brought; what it says nothing of stays.
  public mutating func merge(_ dictionary: [String: Any]) {
    if let name = dictionary[CBAdvertisementDataLocalNameKey] as? String { localName = name }
    if let data = dictionary[CBAdvertisementDataManufacturerDataKey] as? Data { manufacturerData = data }
    merge(dictionary[CBAdvertisementDataServiceUUIDsKey], into: &services)
    merge(dictionary[CBAdvertisementDataOverflowServiceUUIDsKey], into: &overflowServices)
    merge(dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey], into: &solicitedServices)
    if let data = dictionary[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] {
      for (service, octets) in data where serviceData.count < 64 || serviceData[service] != nil {
        serviceData[service] = octets
      }
    }
    if let power = dictionary[CBAdvertisementDataTxPowerLevelKey] as? NSNumber { transmitPower = power.intValue }
    if let connectable = dictionary[CBAdvertisementDataIsConnectable] as? NSNumber {
      isConnectable = connectable.boolValue
    }
  }

  /// A device that keeps inventing services is believed 64 of them.
  private func merge(_ value: Any?, into known: inout [CBUUID]) {
    guard let found = value as? [CBUUID] else { return }
    for service in found where known.count < 64 && !known.contains(service) { known.append(service) }
  }
}

/// One device as it was last heard.
public struct Discovery: Sendable, Hashable, Identifiable {
  /// What this host calls the device; not its address, and another one on every host.
  public var identifier: UUID
  /// The name it advertises, else the one the system remembers.
  public var name: String?
  public var advertisement: Advertisement
  /// In dBm; `nil` where it is not known.
  public var rssi: Int?
  /// When it was last heard, by the central's clock.
  public var lastSeen: Duration

  public init(
    identifier: UUID, name: String?, advertisement: Advertisement = Advertisement(), rssi: Int? = nil,
    lastSeen: Duration = .zero
  ) {
    self.identifier = identifier
    self.name = name
    self.advertisement = advertisement
    self.rssi = rssi
    self.lastSeen = lastSeen
  }

  public var id: UUID { identifier }
}
