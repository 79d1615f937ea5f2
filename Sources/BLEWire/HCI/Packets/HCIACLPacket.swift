import BLECore

/// A piece of an L2CAP frame between host and controller (Core, Vol 4 Part E 5.4.2).
public struct HCIACLPacket: Equatable, Sendable {
  /// Which piece of a frame this is.
  public enum Boundary: UInt8, Sendable, CaseIterable {
    /// Begins a frame, from the host: LE frames are never flushed.
    case firstNonFlushable = 0b00
    /// Continues a frame.
    case continuing = 0b01
    /// Begins a frame, from the controller.
    case firstFlushable = 0b10
    /// A whole frame; not used on LE.
    case complete = 0b11
  }

  public static let headerLength = 4
  /// The bits of the first two octets that name the link.
  public static let handleMask: UInt16 = 0x0FFF

  public let connectionHandle: ConnectionHandle
  public let boundary: Boundary
  /// Two bits; 0 is point to point, the only one on LE.
  public let broadcast: UInt8
  /// Shares the packet's storage.
  public let payload: ArraySlice<UInt8>

  public init(
    connectionHandle: ConnectionHandle, boundary: Boundary, broadcast: UInt8 = 0, payload: ArraySlice<UInt8>
  ) {
    self.connectionHandle = connectionHandle
    self.boundary = boundary
    self.broadcast = broadcast & 0b11
    self.payload = payload
  }

  /// Reads the octets from the handle on; the length must be that of the payload.
  @inlinable
  public init(_ octets: [UInt8]) throws(DecodeError) {
    let length = octets.count - Self.headerLength
    guard length >= 0, length == Int(octets[2]) | Int(octets[3]) << 8 else { throw Self.malformed(octets) }
    let flags = octets[1] >> 4
    connectionHandle = ConnectionHandle((UInt16(octets[0]) | UInt16(octets[1]) << 8) & Self.handleMask)
    boundary = Self.boundary(flags)
    broadcast = flags >> 2
    payload = octets[Self.headerLength...]
  }

  @inlinable
  static func boundary(_ flags: UInt8) -> Boundary {
    switch flags & 0b11 {
    case 0b00: .firstNonFlushable
    case 0b01: .continuing
    case 0b10: .firstFlushable
    default: .complete
    }
  }

  @usableFromInline
  static func malformed(_ octets: [UInt8]) -> DecodeError {
    let layer = WireLayer.hciData.rawValue
    if octets.count < headerLength {
      return DecodeError(
        layer: layer, field: "Handle", offset: 0, reason: .truncated(needed: headerLength, available: octets.count),
        octets: octets)
    }
    let announced = Int(octets[2]) | Int(octets[3]) << 8
    let available = octets.count - headerLength
    let reason: DecodeError.Reason =
      announced > available
      ? .truncated(needed: announced, available: available) : .trailing(count: available - announced)
    return DecodeError(layer: layer, field: "Data_Total_Length", offset: 2, reason: reason, octets: octets)
  }

  /// The data of a packet between host and controller; the length in its header must be that of the payload.
  public init(_ packet: consuming HCIPacket) throws(DecodeError) {
    switch packet.content {
    case .data(let data): self = data
    case .octets(let octets): try self.init(octets)
    }
  }

  /// Handle, flags and length, the first octet the least significant.
  var header: UInt32 {
    let handle = UInt32(connectionHandle.rawValue & Self.handleMask)
    let flags = UInt32(boundary.rawValue | broadcast << 2) << 12
    return handle | flags | UInt32(UInt16(truncatingIfNeeded: payload.count)) << 16
  }
}

extension HCIACLPacket: WirePacket {
  public static let name = "HCI ACL Data"

  public init(from reader: inout ByteReader) throws(DecodeError) {
    let word = try reader.uint16("Handle")
    let length = Int(try reader.uint16("Data_Total_Length"))
    self.init(
      connectionHandle: ConnectionHandle(word & Self.handleMask),
      boundary: Self.boundary(UInt8(truncatingIfNeeded: word >> 12)),
      broadcast: UInt8(truncatingIfNeeded: word >> 14), payload: try reader.octets(length, "Data"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(header)
    writer.append(contentsOf: payload)
  }

  public static var examples: [Self] {
    [
      Self(
        connectionHandle: ConnectionHandle(0x0040), boundary: .firstNonFlushable, payload: [3, 0, 4, 0, 0x0A, 1, 0]),
      Self(connectionHandle: ConnectionHandle(0x0EFF), boundary: .continuing, payload: [1]),
      Self(connectionHandle: ConnectionHandle(0x0001), boundary: .firstFlushable, broadcast: 2, payload: []),
    ]
  }
}
