import BLECore

/// The values that a host reports from advertising data. Each reads through the octets once and uses the first valid structure; a
/// structure that is too short for its type is skipped.
extension AdvertisingData {
  public var flags: AdvertisingFlags? {
    first(.flags) { $0.first.map(AdvertisingFlags.init(rawValue:)) }
  }

  /// The complete name; without one, the shortened one.
  public var localName: AdvertisedName? {
    var shortened: AdvertisedName?
    for structure in self {
      if structure.type == .completeLocalName { return AdvertisedName(octets: structure.data, isComplete: true) }
      if structure.type == .shortenedLocalName, shortened == nil {
        shortened = AdvertisedName(octets: structure.data, isComplete: false)
      }
    }
    return shortened
  }

  /// In dBm.
  public var txPowerLevel: Int8? {
    first(.txPowerLevel) { $0.first.map(Int8.init(bitPattern:)) }
  }

  /// All lists of services joined, in order, each UUID with its advertised width.
  public var serviceUUIDs: [BLEUUID] { uuids(\.serviceUUIDWidth) }

  /// All lists of solicited services joined, in order.
  public var solicitedServiceUUIDs: [BLEUUID] { uuids(\.solicitedUUIDWidth) }

  /// Whether one of the lists of services holds a UUID that `isWanted`. Allocates nothing.
  public func containsServiceUUID(where isWanted: (BLEUUID) throws -> Bool) rethrows -> Bool {
    for structure in self {
      if let width = structure.type.serviceUUIDWidth,
        try AdvertisedUUIDs(octets: structure.data, width: width).contains(where: isWanted)
      {
        return true
      }
    }
    return false
  }

  /// One entry for each structure, in order.
  public var serviceData: [AdvertisedServiceData] { compactMap { AdvertisedServiceData($0) } }

  /// One entry for each structure, in order.
  public var manufacturerData: [ManufacturerData] {
    compactMap { $0.type == .manufacturerSpecificData ? ManufacturerData(octets: $0.data) : nil }
  }

  public var appearance: UInt16? {
    first(.appearance) { $0.count >= 2 ? $0.uint16(at: 0) : nil }
  }

  public var peripheralConnectionIntervalRange: PeripheralConnectionIntervalRange? {
    first(.peripheralConnectionIntervalRange) { PeripheralConnectionIntervalRange(octets: $0) }
  }

  /// The services in an Apple device's overflow area.
  public var overflowArea: OverflowArea? {
    first(.manufacturerSpecificData) { ManufacturerData(octets: $0).flatMap { OverflowArea($0) } }
  }

  /// The first structure of `type` that can be parsed.
  private func first<Value>(_ type: AdvertisingDataType, _ read: (ArraySlice<UInt8>) -> Value?) -> Value? {
    for structure in self where structure.type == type {
      if let value = read(structure.data) { return value }
    }
    return nil
  }

  /// The UUIDs of all lists whose type has a `width`.
  private func uuids(_ width: (AdvertisingDataType) -> BLEUUID.Width?) -> [BLEUUID] {
    var uuids: [BLEUUID] = []
    for structure in self {
      guard let width = width(structure.type) else { continue }
      uuids.append(contentsOf: AdvertisedUUIDs(octets: structure.data, width: width))
    }
    return uuids
  }
}

extension AdvertisingDataType {
  /// The width of the UUIDs in a list of services; `nil` for every other type.
  public var serviceUUIDWidth: BLEUUID.Width? {
    switch self {
    case .incomplete16BitServiceUUIDs, .complete16BitServiceUUIDs: .short
    case .incomplete32BitServiceUUIDs, .complete32BitServiceUUIDs: .medium
    case .incomplete128BitServiceUUIDs, .complete128BitServiceUUIDs: .full
    default: nil
    }
  }

  /// The width of the UUIDs in a list of solicited services; `nil` for every other type.
  public var solicitedUUIDWidth: BLEUUID.Width? {
    switch self {
    case .solicited16BitServiceUUIDs: .short
    case .solicited32BitServiceUUIDs: .medium
    case .solicited128BitServiceUUIDs: .full
    default: nil
    }
  }

  /// The width of the UUID in front of service data; `nil` for every other type.
  public var serviceDataUUIDWidth: BLEUUID.Width? {
    switch self {
    case .serviceData16Bit: .short
    case .serviceData32Bit: .medium
    case .serviceData128Bit: .full
    default: nil
    }
  }
}
