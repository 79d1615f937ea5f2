import BLECore

/// Adds a part of a value to the server's queue (Core, Vol 3 Part F 3.4.6.1).
public struct ATTPrepareWriteRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.prepareWriteRequest

  public var attributeHandle: AttributeHandle
  /// Octets.
  public var valueOffset: UInt16
  public var partAttributeValue: ArraySlice<UInt8>

  public init(attributeHandle: AttributeHandle, valueOffset: UInt16, partAttributeValue: ArraySlice<UInt8>) {
    self.attributeHandle = attributeHandle
    self.valueOffset = valueOffset
    self.partAttributeValue = partAttributeValue
  }

  static let layout = Layout(
    Self.init, Field("Attribute Handle", \.attributeHandle), Field("Value Offset", \.valueOffset),
    Field("Part Attribute Value", \.partAttributeValue, .rest))
}

/// Repeats the queued part, so that the client can compare (Core, Vol 3 Part F 3.4.6.2).
public struct ATTPrepareWriteResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.prepareWriteResponse

  public var attributeHandle: AttributeHandle
  /// Octets.
  public var valueOffset: UInt16
  public var partAttributeValue: ArraySlice<UInt8>

  public init(attributeHandle: AttributeHandle, valueOffset: UInt16, partAttributeValue: ArraySlice<UInt8>) {
    self.attributeHandle = attributeHandle
    self.valueOffset = valueOffset
    self.partAttributeValue = partAttributeValue
  }

  /// The answer that repeats `request`.
  public init(to request: ATTPrepareWriteRequest) {
    self.init(
      attributeHandle: request.attributeHandle, valueOffset: request.valueOffset,
      partAttributeValue: request.partAttributeValue)
  }

  static let layout = Layout(
    Self.init, Field("Attribute Handle", \.attributeHandle), Field("Value Offset", \.valueOffset),
    Field("Part Attribute Value", \.partAttributeValue, .rest))
}

/// Writes or cancels the queue (Core, Vol 3 Part F 3.4.6.3).
public struct ATTExecuteWriteRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.executeWriteRequest

  /// The operation on the queue. Not validated.
  public struct Flags: WireNumber, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Cancel all prepared writes.
    public static let cancel = Flags(rawValue: 0x00)
    /// Immediately write all pending prepared values.
    public static let write = Flags(rawValue: 0x01)
  }

  public var flags: Flags

  public init(flags: Flags) { self.flags = flags }

  static let layout = Layout(Self.init, Field("Flags", \.flags))
}

/// The queue was written or cancelled (Core, Vol 3 Part F 3.4.6.4).
public struct ATTExecuteWriteResponse: ATTPacket, EmptyPacket {
  public static let opcode = ATTOpcode.executeWriteResponse
  public init() {}
}
