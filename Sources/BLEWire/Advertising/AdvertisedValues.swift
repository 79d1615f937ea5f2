import BLECore

/// What kind of device advertises, and whether it can be discovered (Core Specification Supplement, Part A 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let leLimitedDiscoverableMode = AdvertisingFlags(rawValue: 0x01)
  public static let leGeneralDiscoverableMode = AdvertisingFlags(rawValue: 0x02)
  public static let brEDRNotSupported = AdvertisingFlags(rawValue: 0x04)
  public static let simultaneousLEAndBREDRController = AdvertisingFlags(rawValue: 0x08)
}

/// A local name as received: the sender's text, which may contain anything.
public struct AdvertisedName: Equatable, Sendable {
  public var octets: ArraySlice<UInt8>
  public var isComplete: Bool

  public init(octets: ArraySlice<UInt8>, isComplete: Bool) {
    self.octets = octets
    self.isComplete = isComplete
  }

  /// The valid UTF-8 at the beginning of the name: up to a zero octet, or to an incomplete character, which a sender may produce when it
  /// shortens a name.
  public var text: String {
    var decoder = Unicode.UTF8()
    var iterator = octets.makeIterator()
    var text = ""
    while case .scalarValue(let scalar) = decoder.decode(&iterator), scalar.value != 0 {
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}

/// A list of UUIDs of one width, read in place. An incomplete UUID at the end is ignored.
public struct AdvertisedUUIDs: RandomAccessCollection, Equatable, Sendable {
  public let octets: ArraySlice<UInt8>
  public let width: BLEUUID.Width

  public init(octets: ArraySlice<UInt8>, width: BLEUUID.Width) {
    self.octets = octets
    self.width = width
  }

  public init(_ uuids: [BLEUUID], width: BLEUUID.Width) {
    var writer = ByteWriter(capacity: uuids.count * width.rawValue)
    for uuid in uuids where uuid.width == width { writer.append(uuid) }
    self.init(octets: writer.octets[...], width: width)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { octets.count / width.rawValue }

  public subscript(index: Int) -> BLEUUID {
    precondition(index >= 0 && index < endIndex, "Index out of range")
    let start = octets.startIndex + index * width.rawValue
    switch width {
    case .short: return BLEUUID(octets[start...].uint16(at: 0))
    case .medium, .full: return BLEUUID(octets: octets[start..<start + width.rawValue]) ?? BLEUUID(0)
    }
  }
}

/// Data of one service (Core Specification Supplement, Part A 1.11).
public struct AdvertisedServiceData: Equatable, Sendable {
  public var uuid: BLEUUID
  public var data: ArraySlice<UInt8>

  public init(uuid: BLEUUID, data: ArraySlice<UInt8>) {
    self.uuid = uuid
    self.data = data
  }

  /// `nil` if the structure has another type, or is too short for a UUID.
  public init?(_ structure: AdvertisingStructure) {
    guard let width = structure.type.serviceDataUUIDWidth?.rawValue, structure.data.count >= width,
      let uuid = BLEUUID(octets: structure.data.prefix(width))
    else { return nil }
    self.init(uuid: uuid, data: structure.data.dropFirst(width))
  }
}

/// Data whose format the company defines (Core Specification Supplement, Part A 1.4).
public struct ManufacturerData: Equatable, Sendable {
  /// Assigned Numbers, 7.1.
  public var companyIdentifier: UInt16
  public var data: ArraySlice<UInt8>

  public init(companyIdentifier: UInt16, data: ArraySlice<UInt8>) {
    self.companyIdentifier = companyIdentifier
    self.data = data
  }

  /// Parses the data of a structure, company identifier first; `nil` if it has fewer than two octets.
  public init?(octets: ArraySlice<UInt8>) {
    guard octets.count >= 2 else { return nil }
    self.init(companyIdentifier: octets.uint16(at: 0), data: octets.dropFirst(2))
  }
}

/// The connection intervals that a peripheral prefers, in units of 1.25 ms; 0xFFFF means no preference
/// (Core Specification Supplement, Part A 1.9).
public struct PeripheralConnectionIntervalRange: Equatable, Sendable {
  public var minimum: UInt16
  public var maximum: UInt16

  public init(minimum: UInt16, maximum: UInt16) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The data of a structure; `nil` where there are fewer than four octets.
  public init?(octets: ArraySlice<UInt8>) {
    guard octets.count >= 4 else { return nil }
    self.init(minimum: octets.uint16(at: 0), maximum: octets.uint16(at: 2))
  }
}

/// The roles that a device takes (Core Specification Supplement, Part A 1.17).
public struct LERole: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let onlyPeripheral = LERole(rawValue: 0x00)
  public static let onlyCentral = LERole(rawValue: 0x01)
  public static let peripheralPreferred = LERole(rawValue: 0x02)
  public static let centralPreferred = LERole(rawValue: 0x03)
}
