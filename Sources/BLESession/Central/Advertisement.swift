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

  /// The name that it advertises, whole or shortened.
  public var localName: String?
  /// Company number, least significant octet first, and what follows it.
  public var manufacturerData: Data?
  /// The services that it advertises.
  public var services: [CBUUID] = []
  /// Services that an Apple device advertises in its overflow area.
  public var overflowServices: [CBUUID] = []
  /// Services that it looks for in others.
  public var solicitedServices: [CBUUID] = []
  /// Data for services, by service.
  public var serviceData: [CBUUID: Data] = [:]
  /// In dBm.
  public var transmitPower: Int?
  /// Whether it says that one may connect to it.
  public var isConnectable: Bool?

  /// Nothing was heard yet.
  public init() {}

  /// The manufacturer data, taken apart; `nil` where it is too short to name a company.
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
  /// All that was heard of it so far, merged.
  public var advertisement: Advertisement
  /// In dBm; `nil` where it is not known.
  public var rssi: Int?
  /// When it was last heard, by the central's clock.
  public var lastSeen: Duration

  /// A discovery as a scan makes it, or a test of a rule.
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
