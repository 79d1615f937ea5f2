import BLECore

/// What a host reports from advertising data. Each walks through the octets once and takes the first structure that serves;
/// a structure too short for its type is passed over.
extension AdvertisingData {
  public var flags: AdvertisingFlags? {
    for structure in self where structure.type == .flags {
      if let octet = structure.data.first { return AdvertisingFlags(rawValue: octet) }
    }
    return nil
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
    for structure in self where structure.type == .txPowerLevel {
      if let octet = structure.data.first { return Int8(bitPattern: octet) }
    }
    return nil
  }

  /// All lists of services joined, in order, each UUID with the width it came in.
  public var serviceUUIDs: [BLEUUID] {
    var uuids: [BLEUUID] = []
    for structure in self {
      if let width = structure.type.serviceUUIDWidth {
        uuids.append(contentsOf: AdvertisedUUIDs(octets: structure.data, width: width))
      }
    }
    return uuids
  }

  /// All lists of services that the advertiser looks for, joined, in order.
  public var solicitedServiceUUIDs: [BLEUUID] {
    var uuids: [BLEUUID] = []
    for structure in self {
      if let width = structure.type.solicitedUUIDWidth {
        uuids.append(contentsOf: AdvertisedUUIDs(octets: structure.data, width: width))
      }
    }
    return uuids
  }

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
  public var serviceData: [AdvertisedServiceData] {
    var entries: [AdvertisedServiceData] = []
    for structure in self {
      if let entry = AdvertisedServiceData(structure) { entries.append(entry) }
    }
    return entries
  }

  /// One entry for each structure, in order.
  public var manufacturerData: [ManufacturerData] {
    var entries: [ManufacturerData] = []
    for structure in self where structure.type == .manufacturerSpecificData {
      if let entry = ManufacturerData(octets: structure.data) { entries.append(entry) }
    }
    return entries
  }

  public var appearance: UInt16? {
    for structure in self where structure.type == .appearance && structure.data.count >= 2 {
      return structure.data.uint16(at: 0)
    }
    return nil
  }

  public var peripheralConnectionIntervalRange: PeripheralConnectionIntervalRange? {
    for structure in self where structure.type == .peripheralConnectionIntervalRange {
      if let range = PeripheralConnectionIntervalRange(octets: structure.data) { return range }
    }
    return nil
  }

  /// The services that an Apple device hides in its overflow area.
  public var overflowArea: OverflowArea? {
    for structure in self where structure.type == .manufacturerSpecificData {
      if let area = ManufacturerData(octets: structure.data).flatMap({ OverflowArea($0) }) { return area }
    }
    return nil
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

  /// The width of the UUIDs in a list of services that are looked for; `nil` for every other type.
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
