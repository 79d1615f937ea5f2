import BLECore

/// LL_TERMINATE_IND: the sender ends the connection (Core, Vol 6 Part B 2.4.2.3).
public struct TerminateIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_TERMINATE_IND", UInt8(0x02))

  /// ErrorCode: why (Core, Vol 1 Part F).
  public let reason: UInt8

  public init(reason: UInt8) { self.reason = reason }

  static let layout = Layout(Self.init, Field("ErrorCode", \.reason))
}

/// LL_UNKNOWN_RSP: the sender does not know a control PDU (Core, Vol 6 Part B 2.4.2.8).
public struct UnknownResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_UNKNOWN_RSP", UInt8(0x07))

  /// UnknownType: its opcode.
  public let unknownType: UInt8

  public init(unknownType: UInt8) { self.unknownType = unknownType }

  static let layout = Layout(Self.init, Field("UnknownType", \.unknownType))
}

/// LL_REJECT_IND: the sender refuses a procedure (Core, Vol 6 Part B 2.4.2.14).
public struct RejectIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_REJECT_IND", UInt8(0x0D))

  /// ErrorCode: why (Core, Vol 1 Part F).
  public let reason: UInt8

  public init(reason: UInt8) { self.reason = reason }

  static let layout = Layout(Self.init, Field("ErrorCode", \.reason))
}

/// LL_REJECT_EXT_IND: the sender refuses a procedure, and says which (Core, Vol 6 Part B 2.4.2.18).
public struct RejectExtendedIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_REJECT_EXT_IND", UInt8(0x11))

  /// RejectOpcode: the opcode of the PDU that is refused.
  public let rejectedOpcode: UInt8
  /// ErrorCode: why (Core, Vol 1 Part F).
  public let reason: UInt8

  public init(rejectedOpcode: UInt8, reason: UInt8) {
    self.rejectedOpcode = rejectedOpcode
    self.reason = reason
  }

  static let layout = Layout(Self.init, Field("RejectOpcode", \.rejectedOpcode), Field("ErrorCode", \.reason))
}

/// LL_PING_REQ: are you there (Core, Vol 6 Part B 2.4.2.19).
public struct PingRequest: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_PING_REQ", UInt8(0x12))

  public init() {}
}

/// LL_PING_RSP: yes (Core, Vol 6 Part B 2.4.2.20).
public struct PingResponse: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_PING_RSP", UInt8(0x13))

  public init() {}
}
