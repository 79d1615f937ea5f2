import CoreBluetooth

/// The advertising data and scan response data received from a device so far, merged.
public struct Advertisement: Sendable, Hashable {
  /// Manufacturer specific data, split into company identifier and content.
  public struct Manufacturer: Sendable, Hashable {
    /// The company identifier assigned by the Bluetooth SIG.
    public var company: UInt16
    /// The octets after the company identifier.
    public var content: Data
  }

  /// The advertised local name, complete or shortened.
  public var localName: String?
  /// The company identifier, least significant octet first, and the octets after it.
  public var manufacturerData: Data?
  /// The advertised service UUIDs.
  public var services: [CBUUID] = []
  /// Service UUIDs that an Apple device advertises in its overflow area.
  public var overflowServices: [CBUUID] = []
  /// Service UUIDs that the device solicits.
  public var solicitedServices: [CBUUID] = []
  /// Service data by service UUID; at most 64 services.
  public var serviceData: [CBUUID: Data] = [:]
  /// The advertised transmit power in dBm.
  public var transmitPower: Int?
  /// Whether the advertising is connectable; `nil` if unknown.
  public var isConnectable: Bool?

  /// An advertisement without any data.
  public init() {}

  /// The manufacturer specific data, split; `nil` if it is shorter than a company identifier.
  public var manufacturer: Manufacturer? {
    guard let data = manufacturerData, let company = UInt16(octets: data.prefix(2), order: .littleEndian),
      data.count >= 2
    else { return nil }
    return Manufacturer(company: company, content: Data(data.dropFirst(2)))
  }

  var allServices: [CBUUID] { services + overflowServices }

  /// Merges the advertisement data of one `didDiscover` callback. Fields that the dictionary lacks keep their value.
  public mutating func merge(_ dictionary: [String: Any]) {
    // There are few entries: to look each key up, which hashes its text, would take longer than all else that is done with a report.
    for (key, value) in dictionary {
      switch key {
      case CBAdvertisementDataIsConnectable:
        if let connectable = value as? NSNumber { isConnectable = connectable.boolValue }
      case CBAdvertisementDataLocalNameKey: if let name = value as? String { localName = name }
      case CBAdvertisementDataServiceUUIDsKey: merge(value, into: &services)
      case CBAdvertisementDataManufacturerDataKey: if let data = value as? Data { manufacturerData = data }
      case CBAdvertisementDataServiceDataKey:
        guard let data = value as? [CBUUID: Data] else { continue }
        for (service, octets) in data where serviceData.count < 64 || serviceData[service] != nil {
          serviceData[service] = octets
        }
      case CBAdvertisementDataTxPowerLevelKey:
        if let power = value as? NSNumber { transmitPower = power.intValue }
      case CBAdvertisementDataOverflowServiceUUIDsKey: merge(value, into: &overflowServices)
      case CBAdvertisementDataSolicitedServiceUUIDsKey: merge(value, into: &solicitedServices)
      default: continue
      }
    }
  }

  /// At most 64 services are kept, so that a device that advertises ever new ones cannot exhaust memory.
  private func merge(_ value: Any, into known: inout [CBUUID]) {
    guard let found = value as? [CBUUID] else { return }
    for service in found where known.count < 64 && !known.contains(service) { known.append(service) }
  }
}

/// One device as it was last received in a scan.
public struct Discovery: Sendable, Hashable, Identifiable {
  /// The identifier that this host assigned to the device. It is not the device's address and differs between hosts.
  public var identifier: UUID
  /// The advertised name, otherwise the name that the system has stored.
  public var name: String?
  /// The advertising data received so far, merged.
  public var advertisement: Advertisement
  /// In dBm; `nil` if unknown.
  public var rssi: Int?
  /// The time of the last advertisement, by the central's clock.
  public var lastSeen: Duration

  /// Creates a discovery, for example to test a `MatchRule`.
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
