import BLECore

extension AdvertisingField {
  /// The structure that carries the field.
  public var structure: AdvertisingStructure {
    switch self {
    case .flags(let flags): octet(.flags, flags.rawValue)
    case .serviceUUIDs(let uuids, let isComplete):
      AdvertisingStructure(type: Self.serviceType(uuids.width, isComplete: isComplete), data: uuids.octets)
    case .solicitedServiceUUIDs(let uuids):
      AdvertisingStructure(type: Self.solicitedType(uuids.width), data: uuids.octets)
    case .localName(let name):
      AdvertisingStructure(type: name.isComplete ? .completeLocalName : .shortenedLocalName, data: name.octets)
    case .txPowerLevel(let level): octet(.txPowerLevel, UInt8(bitPattern: level))
    case .classOfDevice(let value): written(.classOfDevice) { $0.append(uint24: value) }
    case .securityManagerTKValue(let data): AdvertisingStructure(type: .securityManagerTKValue, data: data)
    case .securityManagerOutOfBandFlags(let flags): octet(.securityManagerOutOfBandFlags, flags)
    case .peripheralConnectionIntervalRange(let range):
      written(.peripheralConnectionIntervalRange) {
        $0.append(range.minimum)
        $0.append(range.maximum)
      }
    case .serviceData(let entry):
      written(Self.serviceDataType(entry.uuid.width)) {
        $0.append(entry.uuid)
        $0.append(contentsOf: entry.data)
      }
    case .targetAddresses(let addresses, let kind):
      written(kind == .public ? .publicTargetAddress : .randomTargetAddress) {
        for address in addresses { $0.append(address) }
      }
    case .appearance(let value): written(.appearance) { $0.append(value) }
    case .advertisingInterval(let value, let octetCount):
      written(octetCount == 2 ? .advertisingInterval : .advertisingIntervalLong) {
        $0.append(UInt64(value), width: Swift.min(Swift.max(octetCount, 2), 4))
      }
    case .leBluetoothDeviceAddress(let address):
      written(.leBluetoothDeviceAddress) {
        $0.append(address)
        $0.append(address.kind.rawValue)
      }
    case .leRole(let role): octet(.leRole, role.rawValue)
    case .leSecureConnectionsConfirmationValue(let data):
      AdvertisingStructure(type: .leSecureConnectionsConfirmationValue, data: data)
    case .leSecureConnectionsRandomValue(let data):
      AdvertisingStructure(type: .leSecureConnectionsRandomValue, data: data)
    case .uri(let data): AdvertisingStructure(type: .uri, data: data)
    case .leSupportedFeatures(let data): AdvertisingStructure(type: .leSupportedFeatures, data: data)
    case .channelMapUpdateIndication(let channelMap, let instant):
      written(.channelMapUpdateIndication) {
        $0.append(contentsOf: channelMap, paddedTo: 5)
        $0.append(instant)
      }
    case .broadcastCode(let data): AdvertisingStructure(type: .broadcastCode, data: data)
    case .resolvableSetIdentifier(let data): AdvertisingStructure(type: .resolvableSetIdentifier, data: data)
    case .broadcastName(let data): AdvertisingStructure(type: .broadcastName, data: data)
    case .encryptedAdvertisingData(let data): AdvertisingStructure(type: .encryptedAdvertisingData, data: data)
    case .manufacturerSpecificData(let manufacturer):
      written(.manufacturerSpecificData) {
        $0.append(manufacturer.companyIdentifier)
        $0.append(contentsOf: manufacturer.data)
      }
    case .other(let structure), .malformed(let structure): structure
    }
  }

  private func octet(_ type: AdvertisingDataType, _ value: UInt8) -> AdvertisingStructure {
    AdvertisingStructure(type: type, data: [value])
  }

  private func written(_ type: AdvertisingDataType, _ body: (inout ByteWriter) -> Void) -> AdvertisingStructure {
    var writer = ByteWriter()
    body(&writer)
    return AdvertisingStructure(type: type, data: writer.octets[...])
  }

  static func serviceType(_ width: BLEUUID.Width, isComplete: Bool) -> AdvertisingDataType {
    switch width {
    case .short: isComplete ? .complete16BitServiceUUIDs : .incomplete16BitServiceUUIDs
    case .medium: isComplete ? .complete32BitServiceUUIDs : .incomplete32BitServiceUUIDs
    case .full: isComplete ? .complete128BitServiceUUIDs : .incomplete128BitServiceUUIDs
    }
  }

  static func solicitedType(_ width: BLEUUID.Width) -> AdvertisingDataType {
    switch width {
    case .short: .solicited16BitServiceUUIDs
    case .medium: .solicited32BitServiceUUIDs
    case .full: .solicited128BitServiceUUIDs
    }
  }

  static func serviceDataType(_ width: BLEUUID.Width) -> AdvertisingDataType {
    switch width {
    case .short: .serviceData16Bit
    case .medium: .serviceData32Bit
    case .full: .serviceData128Bit
    }
  }
}

extension AdvertisingField: WirePacket {
  public static let name = "AD structure"

  /// Reads one structure: length, type and data.
  public init(from reader: inout ByteReader) throws(DecodeError) {
    let start = reader
    let length = Int(try reader.uint8("AD Length"))
    guard length > 0 else { throw start.failure("AD Length", .invalid("a length of zero ends the data")) }
    let type = AdvertisingDataType(try reader.uint8("AD Type"))
    self.init(AdvertisingStructure(type: type, data: try reader.octets(length - 1, "AD Data")))
  }

  public func encode(into writer: inout ByteWriter) {
    let structure = structure
    let data = structure.data.prefix(254)
    writer.append(UInt8(truncatingIfNeeded: data.count + 1))
    writer.append(structure.type.rawValue)
    writer.append(contentsOf: data)
  }
}
