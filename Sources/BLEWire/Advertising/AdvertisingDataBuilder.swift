import BLECore

/// Builds advertising data within a limit. What does not fit is refused and changes nothing.
public struct AdvertisingDataBuilder: Sendable {
  /// The space of a legacy advertisement and of a legacy scan response, in octets.
  public static let legacyLimit = 31
  /// The longest data that an extended advertising set can carry, in octets.
  public static let extendedLimit = 1650
  /// The longest data of a single structure, in octets.
  public static let structureDataLimit = 254

  /// Octets, at most.
  public let limit: Int
  public private(set) var octets: [UInt8] = []

  public init(limit: Int = AdvertisingDataBuilder.legacyLimit) { self.limit = limit }

  /// Octets that are free. A structure needs two besides its data.
  public var remaining: Int { limit - octets.count }

  /// Whether there was room.
  @discardableResult
  public mutating func append(_ structure: AdvertisingStructure) -> Bool {
    let count = structure.data.count
    guard count <= Self.structureDataLimit, count + 2 <= remaining else { return false }
    octets.append(UInt8(truncatingIfNeeded: count + 1))
    octets.append(structure.type.rawValue)
    octets.append(contentsOf: structure.data)
    return true
  }

  /// Whether there was room.
  @discardableResult
  public mutating func append(_ field: AdvertisingField) -> Bool { append(field.structure) }

  /// The name, or as many of its characters as fit, marked as shortened. Returns how much was taken: nothing where there is
  /// no room for a single character.
  @discardableResult
  public mutating func append(localName name: String) -> AdvertisedName? {
    let room = Swift.min(remaining - 2, Self.structureDataLimit)
    guard room >= 0 else { return nil }
    var kept: [UInt8] = []
    var isComplete = true
    for character in name {
      if kept.count + character.utf8.count > room {
        isComplete = false
        break
      }
      kept.append(contentsOf: character.utf8)
    }
    if kept.isEmpty && !isComplete { return nil }
    let advertised = AdvertisedName(octets: kept[...], isComplete: isComplete)
    append(.localName(advertised))
    return advertised
  }

  /// As many of the UUIDs as fit, one structure for each width. Returns those that were left out, in their order.
  @discardableResult
  public mutating func append(serviceUUIDs uuids: [BLEUUID]) -> [BLEUUID] {
    var leftOut: [BLEUUID] = []
    for width in [BLEUUID.Width.short, .medium, .full] {
      let wanted = uuids.filter { $0.width == width }
      if wanted.isEmpty { continue }
      let room = Swift.min(remaining - 2, Self.structureDataLimit)
      let fitting = Array(wanted.prefix(Swift.max(0, room / width.rawValue)))
      if !fitting.isEmpty {
        let isComplete = fitting.count == wanted.count
        append(.serviceUUIDs(AdvertisedUUIDs(fitting, width: width), isComplete: isComplete))
      }
      leftOut.append(contentsOf: wanted.dropFirst(fitting.count))
    }
    return uuids.filter { leftOut.contains($0) }
  }
}

/// A legacy advertisement and its scan response, laid out as Core Bluetooth does.
///
/// In the foreground the advertisement has 28 octets for UUIDs and name, beside the flags. UUIDs come first; those that find no room go into
/// an overflow area in the scan response. The name goes behind the UUIDs where it fits whole, otherwise into the scan
/// response, shortened to what is left there: 10 octets of structure beside an overflow area.
public struct ConnectableAdvertisement: Equatable, Sendable {
  public let advertisingData: [UInt8]
  public let scanResponseData: [UInt8]

  /// As Core Bluetooth does for an application in the background: no name, and all services in the overflow area.
  public init(inBackground serviceUUIDs: [BLEUUID]) {
    var advertisement = AdvertisingDataBuilder()
    advertisement.append(.flags([.leGeneralDiscoverableMode, .brEDRNotSupported]))
    if !serviceUUIDs.isEmpty {
      advertisement.append(.manufacturerSpecificData(OverflowArea(serviceUUIDs).manufacturerData))
    }
    advertisingData = advertisement.octets
    scanResponseData = []
  }

  public init(localName: String?, serviceUUIDs: [BLEUUID]) {
    var advertisement = AdvertisingDataBuilder()
    var scanResponse = AdvertisingDataBuilder()
    advertisement.append(.flags([.leGeneralDiscoverableMode, .brEDRNotSupported]))

    let overflowing = advertisement.append(serviceUUIDs: serviceUUIDs)
    if !overflowing.isEmpty {
      scanResponse.append(.manufacturerSpecificData(OverflowArea(overflowing).manufacturerData))
    }
    if let localName {
      if localName.utf8.count + 2 <= advertisement.remaining {
        advertisement.append(localName: localName)
      } else {
        scanResponse.append(localName: localName)
      }
    }
    advertisingData = advertisement.octets
    scanResponseData = scanResponse.octets
  }
}
