import BLECore

/// A PDU on the advertising physical channels, header and payload (Core, Vol 6 Part B 2.3).
///
/// The type field does not always tell a PDU by itself: type 3 is SCAN_REQ on channels 37 to 39 and AUX_SCAN_REQ elsewhere,
/// and all PDUs with the common extended advertising payload share type 7. Their layouts are the same, so the cases here are
/// by layout.
public enum AdvertisingChannelPDU: WirePacket {
  /// ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND or SCAN_RSP: an address and data.
  case advertisement(LegacyAdvertisement)
  /// ADV_DIRECT_IND.
  case directed(DirectedAdvertisement)
  /// SCAN_REQ and AUX_SCAN_REQ.
  case scanRequest(ScanRequest)
  /// CONNECT_IND and AUX_CONNECT_REQ.
  case connectIndication(ConnectIndication)
  /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP, AUX_SYNC_IND, AUX_CHAIN_IND and AUX_CONNECT_RSP.
  case extended(ExtendedAdvertisement)
  /// A type that the specification has not given out.
  case unknown(header: UInt8, payload: [UInt8])

  public static let name = "Advertising physical channel PDU"

  /// The access address of the primary advertising channels (Core, Vol 6 Part B 2.1.2).
  public static let accessAddress: UInt32 = 0x8E89_BED6

  public init(from reader: inout ByteReader) throws(DecodeError) {
    let header = AdvertisingChannelHeader(rawValue: try reader.uint8("Header"))
    let count = Int(try reader.uint8("Length"))
    var payload = ByteReader(try reader.octets(count, "Payload"), layer: reader.layer)
    switch header.type {
    case 0, 2, 4, 6: self = .advertisement(try LegacyAdvertisement(header: header, from: &payload))
    case 1: self = .directed(try DirectedAdvertisement(header: header, from: &payload))
    case 3: self = .scanRequest(try ScanRequest(header: header, from: &payload))
    case 5: self = .connectIndication(try ConnectIndication(header: header, from: &payload))
    case 7, 8: self = .extended(try ExtendedAdvertisement(header: header, from: &payload))
    default: self = .unknown(header: header.rawValue, payload: Array(payload.rest()))
    }
    try payload.finish()
  }

  public func encode(into writer: inout ByteWriter) {
    let start = writer.count
    writer.append(header.rawValue)
    writer.append(UInt8(0))
    switch self {
    case .advertisement(let pdu): pdu.encodePayload(into: &writer)
    case .directed(let pdu): pdu.encodePayload(into: &writer)
    case .scanRequest(let pdu): pdu.encodePayload(into: &writer)
    case .connectIndication(let pdu): pdu.encodePayload(into: &writer)
    case .extended(let pdu): pdu.encodePayload(into: &writer)
    case .unknown(_, let payload): writer.append(contentsOf: payload.prefix(255))
    }
    writer.store(UInt8(truncatingIfNeeded: writer.count - start - 2), at: start + 1)
  }

  private var header: AdvertisingChannelHeader {
    switch self {
    case .advertisement(let pdu): pdu.header
    case .directed(let pdu): pdu.header
    case .scanRequest(let pdu): pdu.header
    case .connectIndication(let pdu): pdu.header
    case .extended(let pdu): pdu.header
    case .unknown(let header, _): AdvertisingChannelHeader(rawValue: header)
    }
  }

  public static var examples: [AdvertisingChannelPDU] {
    // One after the other: a chain of `+` takes the type checker half a second.
    var examples = LegacyAdvertisement.examples.map(Self.advertisement)
    examples += DirectedAdvertisement.examples.map(Self.directed)
    examples += ScanRequest.examples.map(Self.scanRequest)
    examples += ConnectIndication.examples.map(Self.connectIndication)
    examples += ExtendedAdvertisement.examples.map(Self.extended)
    examples.append(.unknown(header: 0x0F, payload: [1, 2, 3]))
    return examples
  }
}

/// The first octet of an advertising physical channel PDU (Core, Vol 6 Part B 2.3). The reserved bit is kept as it came.
public struct AdvertisingChannelHeader: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public init(
    type: UInt8, supportsChannelSelection2: Bool = false, transmitter: DeviceAddress.Kind = .public,
    receiver: DeviceAddress.Kind = .public, reserved: Bool = false
  ) {
    rawValue =
      type & 0x0F | (reserved ? 0x10 : 0) | (supportsChannelSelection2 ? 0x20 : 0)
      | (transmitter == .random ? 0x40 : 0) | (receiver == .random ? 0x80 : 0)
  }

  /// The PDU type, four bits.
  public var type: UInt8 { rawValue & 0x0F }
  /// The bit that has no meaning yet.
  public var reserved: Bool { rawValue & 0x10 != 0 }
  /// ChSel: the sender knows channel selection algorithm 2.
  public var supportsChannelSelection2: Bool { rawValue & 0x20 != 0 }
  /// TxAdd.
  public var transmitter: DeviceAddress.Kind { rawValue & 0x40 != 0 ? .random : .public }
  /// RxAdd.
  public var receiver: DeviceAddress.Kind { rawValue & 0x80 != 0 ? .random : .public }
}
