import BLECore

/// LL_ENC_REQ: the central starts encryption (Core, Vol 6 Part B 2.4.2.4).
public struct EncryptionRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_ENC_REQ", UInt8(0x03))

  /// Rand, 8 octets.
  public let random: [UInt8]
  /// EDIV.
  public let diversifier: UInt16
  /// SKD_C, 8 octets.
  public let sessionKeyDiversifier: [UInt8]
  /// IV_C, 4 octets.
  public let initializationVector: [UInt8]

  public init(random: [UInt8], diversifier: UInt16, sessionKeyDiversifier: [UInt8], initializationVector: [UInt8]) {
    self.random = random
    self.diversifier = diversifier
    self.sessionKeyDiversifier = sessionKeyDiversifier
    self.initializationVector = initializationVector
  }

  static let layout = Layout(
    Self.init, Field("Rand", \.random, .octets(8)), Field("EDIV", \.diversifier),
    Field("SKD_C", \.sessionKeyDiversifier, .octets(8)), Field("IV_C", \.initializationVector, .octets(4)))
}

/// LL_ENC_RSP: the peripheral's half of the session's material (Core, Vol 6 Part B 2.4.2.5).
public struct EncryptionResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_ENC_RSP", UInt8(0x04))

  /// SKD_P, 8 octets.
  public let sessionKeyDiversifier: [UInt8]
  /// IV_P, 4 octets.
  public let initializationVector: [UInt8]

  public init(sessionKeyDiversifier: [UInt8], initializationVector: [UInt8]) {
    self.sessionKeyDiversifier = sessionKeyDiversifier
    self.initializationVector = initializationVector
  }

  static let layout = Layout(
    Self.init, Field("SKD_P", \.sessionKeyDiversifier, .octets(8)), Field("IV_P", \.initializationVector, .octets(4)))
}

/// LL_START_ENC_REQ: the peripheral has the key (Core, Vol 6 Part B 2.4.2.6).
public struct StartEncryptionRequest: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_START_ENC_REQ", UInt8(0x05))

  public init() {}
}

/// LL_START_ENC_RSP: encrypted from here on (Core, Vol 6 Part B 2.4.2.7).
public struct StartEncryptionResponse: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_START_ENC_RSP", UInt8(0x06))

  public init() {}
}

/// LL_PAUSE_ENC_REQ: the central wants a new key (Core, Vol 6 Part B 2.4.2.11).
public struct PauseEncryptionRequest: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_PAUSE_ENC_REQ", UInt8(0x0A))

  public init() {}
}

/// LL_PAUSE_ENC_RSP: encryption pauses (Core, Vol 6 Part B 2.4.2.12).
public struct PauseEncryptionResponse: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_PAUSE_ENC_RSP", UInt8(0x0B))

  public init() {}
}
