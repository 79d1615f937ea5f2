import BLECore

/// One advertising data structure with its meaning (Core Specification Supplement, Part A 1).
///
/// Nothing is lost: data that is invalid for its type is `malformed`, a type without a case here is `other`.
public enum AdvertisingField: Equatable, Sendable {
  case flags(AdvertisingFlags)
  case serviceUUIDs(AdvertisedUUIDs, isComplete: Bool)
  case solicitedServiceUUIDs(AdvertisedUUIDs)
  case localName(AdvertisedName)
  /// In dBm.
  case txPowerLevel(Int8)
  /// Three octets, as a number.
  case classOfDevice(UInt32)
  /// Sixteen octets, least significant first.
  case securityManagerTKValue(ArraySlice<UInt8>)
  case securityManagerOutOfBandFlags(UInt8)
  case peripheralConnectionIntervalRange(PeripheralConnectionIntervalRange)
  case serviceData(AdvertisedServiceData)
  /// The devices that are meant, all of one kind.
  case targetAddresses([DeviceAddress], kind: DeviceAddress.Kind)
  case appearance(UInt16)
  /// Units of 0.625 ms; the octets it came in (2, or 3 to 4 for the long form).
  case advertisingInterval(UInt32, octetCount: Int)
  case leBluetoothDeviceAddress(DeviceAddress)
  case leRole(LERole)
  /// Sixteen octets, least significant first.
  case leSecureConnectionsConfirmationValue(ArraySlice<UInt8>)
  /// Sixteen octets, least significant first.
  case leSecureConnectionsRandomValue(ArraySlice<UInt8>)
  /// UTF-8, its scheme perhaps abbreviated to one character (Assigned Numbers, 2.7).
  case uri(ArraySlice<UInt8>)
  /// Octets of the feature set without zeros at the end.
  case leSupportedFeatures(ArraySlice<UInt8>)
  /// Five octets of channel map and the periodic advertising event at which it is used.
  case channelMapUpdateIndication(channelMap: ArraySlice<UInt8>, instant: UInt16)
  /// Sixteen octets.
  case broadcastCode(ArraySlice<UInt8>)
  /// Six octets: a hash and a random number.
  case resolvableSetIdentifier(ArraySlice<UInt8>)
  case broadcastName(ArraySlice<UInt8>)
  /// A random number of five octets, the payload, and four octets of integrity check.
  case encryptedAdvertisingData(ArraySlice<UInt8>)
  case manufacturerSpecificData(ManufacturerData)
  case other(AdvertisingStructure)
  case malformed(AdvertisingStructure)

  public init(_ structure: AdvertisingStructure) {
    self = Self.understood(structure) ?? .malformed(structure)
  }

  /// `nil` if the data is invalid for its type.
  private static func understood(_ structure: AdvertisingStructure) -> AdvertisingField? {
    let data = structure.data
    let count = data.count
    func number() -> UInt32 { data.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    switch structure.type {
    case .flags:
      return count == 1 ? data.first.map { .flags(AdvertisingFlags(rawValue: $0)) } : nil
    case .incomplete16BitServiceUUIDs, .incomplete32BitServiceUUIDs, .incomplete128BitServiceUUIDs:
      return uuids(structure, width: structure.type.serviceUUIDWidth).map { .serviceUUIDs($0, isComplete: false) }
    case .complete16BitServiceUUIDs, .complete32BitServiceUUIDs, .complete128BitServiceUUIDs:
      return uuids(structure, width: structure.type.serviceUUIDWidth).map { .serviceUUIDs($0, isComplete: true) }
    case .solicited16BitServiceUUIDs, .solicited32BitServiceUUIDs, .solicited128BitServiceUUIDs:
      return uuids(structure, width: structure.type.solicitedUUIDWidth).map { .solicitedServiceUUIDs($0) }
    case .shortenedLocalName: return .localName(AdvertisedName(octets: data, isComplete: false))
    case .completeLocalName: return .localName(AdvertisedName(octets: data, isComplete: true))
    case .txPowerLevel: return count == 1 ? data.first.map { .txPowerLevel(Int8(bitPattern: $0)) } : nil
    case .classOfDevice: return count == 3 ? .classOfDevice(number()) : nil
    case .securityManagerTKValue: return count == 16 ? .securityManagerTKValue(data) : nil
    case .securityManagerOutOfBandFlags:
      return count == 1 ? data.first.map { .securityManagerOutOfBandFlags($0) } : nil
    case .peripheralConnectionIntervalRange:
      return count == 4
        ? PeripheralConnectionIntervalRange(octets: data).map { .peripheralConnectionIntervalRange($0) } : nil
    case .serviceData16Bit, .serviceData32Bit, .serviceData128Bit:
      return AdvertisedServiceData(structure).map { .serviceData($0) }
    case .publicTargetAddress: return targets(data, kind: .public)
    case .randomTargetAddress: return targets(data, kind: .random)
    case .appearance: return count == 2 ? .appearance(data.uint16(at: 0)) : nil
    case .advertisingInterval: return count == 2 ? .advertisingInterval(number(), octetCount: count) : nil
    case .advertisingIntervalLong:
      return count == 3 || count == 4 ? .advertisingInterval(number(), octetCount: count) : nil
    case .leBluetoothDeviceAddress:
      guard count == 7, let last = data.last, let kind = DeviceAddress.Kind(rawValue: last) else { return nil }
      return .leBluetoothDeviceAddress(DeviceAddress(octets: data.prefix(6), kind: kind))
    case .leRole: return count == 1 ? data.first.map { .leRole(LERole(rawValue: $0)) } : nil
    case .leSecureConnectionsConfirmationValue:
      return count == 16 ? .leSecureConnectionsConfirmationValue(data) : nil
    case .leSecureConnectionsRandomValue: return count == 16 ? .leSecureConnectionsRandomValue(data) : nil
    case .uri: return .uri(data)
    case .leSupportedFeatures: return .leSupportedFeatures(data)
    case .channelMapUpdateIndication:
      return count == 7
        ? .channelMapUpdateIndication(channelMap: data.prefix(5), instant: data.uint16(at: 5)) : nil
    case .broadcastCode: return count == 16 ? .broadcastCode(data) : nil
    case .resolvableSetIdentifier: return count == 6 ? .resolvableSetIdentifier(data) : nil
    case .broadcastName: return .broadcastName(data)
    case .encryptedAdvertisingData: return count >= 9 ? .encryptedAdvertisingData(data) : nil
    case .manufacturerSpecificData: return ManufacturerData(octets: data).map { .manufacturerSpecificData($0) }
    default: return .other(structure)
    }
  }

  private static func uuids(_ structure: AdvertisingStructure, width: BLEUUID.Width?) -> AdvertisedUUIDs? {
    guard let width, structure.data.count % width.rawValue == 0 else { return nil }
    return AdvertisedUUIDs(octets: structure.data, width: width)
  }

  private static func targets(_ data: ArraySlice<UInt8>, kind: DeviceAddress.Kind) -> AdvertisingField? {
    guard data.count % 6 == 0 else { return nil }
    let addresses = stride(from: data.startIndex, to: data.endIndex, by: 6).map {
      DeviceAddress(octets: data[$0..<$0 + 6], kind: kind)
    }
    return .targetAddresses(addresses, kind: kind)
  }
}
