import BLECore

/// ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND and SCAN_RSP (Core, Vol 6 Part B 2.3.1, 2.3.2.2).
public struct LegacyAdvertisement: Hashable, Sendable {
  /// Which of the four it is; the raw value is the PDU type.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// ADV_IND: connectable and scannable, undirected.
    case connectable = 0
    /// ADV_NONCONN_IND: neither connectable nor scannable.
    case nonConnectable = 2
    /// SCAN_RSP: the answer to a scan request.
    case scanResponse = 4
    /// ADV_SCAN_IND: scannable, not connectable.
    case scannable = 6
  }

  /// With the kinds of the addresses.
  public let header: AdvertisingChannelHeader
  /// AdvA.
  public let advertiser: DeviceAddress
  /// AdvData or ScanRspData: up to 31 octets where the sender keeps to the specification.
  public let data: [UInt8]

  public init(_ kind: Kind, advertiser: DeviceAddress, data: [UInt8], supportsChannelSelection2: Bool = false) {
    header = AdvertisingChannelHeader(
      type: kind.rawValue, supportsChannelSelection2: supportsChannelSelection2, transmitter: advertiser.kind)
    self.advertiser = advertiser
    self.data = data
  }

  /// Which of the four it is.
  public var kind: Kind { Kind(rawValue: header.type) ?? .nonConnectable }

  init(header: AdvertisingChannelHeader, from reader: inout ByteReader) throws(DecodeError) {
    self.header = header
    advertiser = try reader.deviceAddress(kind: header.transmitter, "AdvA")
    data = Array(reader.rest())
  }

  func encodePayload(into writer: inout ByteWriter) {
    writer.append(advertiser)
    writer.append(contentsOf: data.prefix(249))
  }

  static var examples: [LegacyAdvertisement] {
    let address = DeviceAddress(0xC012_3456_789A, kind: .random)
    return Kind.allCases.map {
      LegacyAdvertisement($0, advertiser: address, data: [2, 1, 6], supportsChannelSelection2: true)
    }
      + [LegacyAdvertisement(.connectable, advertiser: DeviceAddress(0x0012_3456_789A, kind: .public), data: [])]
  }
}

/// ADV_DIRECT_IND (Core, Vol 6 Part B 2.3.1.2).
public struct DirectedAdvertisement: Hashable, Sendable {
  /// With the kinds of the addresses.
  public let header: AdvertisingChannelHeader
  /// AdvA.
  public let advertiser: DeviceAddress
  /// TargetA.
  public let target: DeviceAddress

  public init(advertiser: DeviceAddress, target: DeviceAddress, supportsChannelSelection2: Bool = false) {
    header = AdvertisingChannelHeader(
      type: 1, supportsChannelSelection2: supportsChannelSelection2, transmitter: advertiser.kind, receiver: target.kind
    )
    self.advertiser = advertiser
    self.target = target
  }

  init(header: AdvertisingChannelHeader, from reader: inout ByteReader) throws(DecodeError) {
    self.header = header
    advertiser = try reader.deviceAddress(kind: header.transmitter, "AdvA")
    target = try reader.deviceAddress(kind: header.receiver, "TargetA")
  }

  func encodePayload(into writer: inout ByteWriter) {
    writer.append(advertiser)
    writer.append(target)
  }

  static var examples: [DirectedAdvertisement] {
    [
      DirectedAdvertisement(
        advertiser: DeviceAddress(0xC012_3456_789A, kind: .random),
        target: DeviceAddress(0x0A0B_0C0D_0E0F, kind: .public))
    ]
  }
}

/// SCAN_REQ and AUX_SCAN_REQ (Core, Vol 6 Part B 2.3.2.1).
public struct ScanRequest: Hashable, Sendable {
  /// With the kinds of the addresses.
  public let header: AdvertisingChannelHeader
  /// ScanA.
  public let scanner: DeviceAddress
  /// AdvA.
  public let advertiser: DeviceAddress

  public init(scanner: DeviceAddress, advertiser: DeviceAddress) {
    header = AdvertisingChannelHeader(type: 3, transmitter: scanner.kind, receiver: advertiser.kind)
    self.scanner = scanner
    self.advertiser = advertiser
  }

  init(header: AdvertisingChannelHeader, from reader: inout ByteReader) throws(DecodeError) {
    self.header = header
    scanner = try reader.deviceAddress(kind: header.transmitter, "ScanA")
    advertiser = try reader.deviceAddress(kind: header.receiver, "AdvA")
  }

  func encodePayload(into writer: inout ByteWriter) {
    writer.append(scanner)
    writer.append(advertiser)
  }

  static var examples: [ScanRequest] {
    [
      ScanRequest(
        scanner: DeviceAddress(0x4A0B_0C0D_0E0F, kind: .random),
        advertiser: DeviceAddress(0xC012_3456_789A, kind: .random))
    ]
  }
}
