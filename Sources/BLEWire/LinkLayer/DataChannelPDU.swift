import BLECore

/// A PDU on the data physical channels: header, and payload without the integrity check (Core, Vol 6 Part B 2.4).
public struct DataChannelPDU: WirePacket, Hashable {
  /// LLID: what the payload is.
  public enum Kind: UInt8, Sendable, CaseIterable {
    case reserved = 0
    /// A continuation of an L2CAP PDU, or empty.
    case continuation = 1
    /// The start of an L2CAP PDU, or a whole one.
    case start = 2
    /// An LL control PDU.
    case control = 3
  }

  public static let name = "Data physical channel PDU"
  /// The longest payload (Core, Vol 6 Part B 2.4).
  public static let payloadLimit = 251

  /// The header's first octet as it travels.
  public let flags: UInt8
  /// CTEInfo, present where the CP bit is set.
  public let constantToneExtension: UInt8?
  /// L2CAP octets, or an LL control PDU with its opcode.
  public let payload: ArraySlice<UInt8>

  public init(
    _ kind: Kind, sequenceNumber: Bool, nextExpectedSequenceNumber: Bool, moreData: Bool, payload: ArraySlice<UInt8>
  ) {
    flags =
      kind.rawValue | (nextExpectedSequenceNumber ? 0x04 : 0) | (sequenceNumber ? 0x08 : 0) | (moreData ? 0x10 : 0)
    constantToneExtension = nil
    self.payload = payload
  }

  /// LLID.
  public var kind: Kind { Kind(rawValue: flags & 0x03) ?? .reserved }
  /// NESN.
  public var nextExpectedSequenceNumber: Bool { flags & 0x04 != 0 }
  /// SN.
  public var sequenceNumber: Bool { flags & 0x08 != 0 }
  /// MD.
  public var moreData: Bool { flags & 0x10 != 0 }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    flags = try reader.uint8("Header")
    let count = Int(try reader.uint8("Length"))
    constantToneExtension = flags & 0x20 != 0 ? try reader.uint8("CTEInfo") : nil
    payload = try reader.octets(count, "Payload")
  }

  public func encode(into writer: inout ByteWriter) {
    let kept = payload.prefix(255)
    writer.append(flags)
    writer.append(UInt8(kept.count))
    if flags & 0x20 != 0 { writer.append(constantToneExtension ?? 0) }
    writer.append(contentsOf: kept)
  }

  public static var examples: [DataChannelPDU] {
    Kind.allCases.map {
      DataChannelPDU(
        $0, sequenceNumber: true, nextExpectedSequenceNumber: false, moreData: true, payload: [3, 0, 4, 0, 0x0A, 3, 0])
    } + [
      DataChannelPDU(
        .continuation, sequenceNumber: false, nextExpectedSequenceNumber: true, moreData: false, payload: [])
    ]
  }
}
