import BLECore

/// LL_ENC_REQ: the central starts encryption (Core, Vol 6 Part B 2.4.2.4).
public struct EncryptionRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_ENC_REQ"
  public static let opcode: UInt8 = 0x03

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    random = Array(try reader.octets(8, "Rand"))
    diversifier = try reader.uint16("EDIV")
    sessionKeyDiversifier = Array(try reader.octets(8, "SKD_C"))
    initializationVector = Array(try reader.octets(4, "IV_C"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(contentsOf: random, paddedTo: 8)
    writer.append(diversifier)
    writer.append(contentsOf: sessionKeyDiversifier, paddedTo: 8)
    writer.append(contentsOf: initializationVector, paddedTo: 4)
  }

  public static var examples: [EncryptionRequest] {
    [
      EncryptionRequest(
        random: Array(1...8), diversifier: 0x1234, sessionKeyDiversifier: Array(11...18),
        initializationVector: [1, 2, 3, 4])
    ]
  }
}

/// LL_ENC_RSP: the peripheral's half of the session's material (Core, Vol 6 Part B 2.4.2.5).
public struct EncryptionResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_ENC_RSP"
  public static let opcode: UInt8 = 0x04

  /// SKD_P, 8 octets.
  public let sessionKeyDiversifier: [UInt8]
  /// IV_P, 4 octets.
  public let initializationVector: [UInt8]

  public init(sessionKeyDiversifier: [UInt8], initializationVector: [UInt8]) {
    self.sessionKeyDiversifier = sessionKeyDiversifier
    self.initializationVector = initializationVector
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    sessionKeyDiversifier = Array(try reader.octets(8, "SKD_P"))
    initializationVector = Array(try reader.octets(4, "IV_P"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(contentsOf: sessionKeyDiversifier, paddedTo: 8)
    writer.append(contentsOf: initializationVector, paddedTo: 4)
  }

  public static var examples: [EncryptionResponse] {
    [EncryptionResponse(sessionKeyDiversifier: Array(11...18), initializationVector: [1, 2, 3, 4])]
  }
}

/// LL_START_ENC_REQ: the peripheral has the key (Core, Vol 6 Part B 2.4.2.6).
public struct StartEncryptionRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_START_ENC_REQ"
  public static let opcode: UInt8 = 0x05

  public init() {}

  public init(from reader: inout ByteReader) throws(DecodeError) {}

  public func encode(into writer: inout ByteWriter) {}

  public static var examples: [StartEncryptionRequest] { [StartEncryptionRequest()] }
}

/// LL_START_ENC_RSP: encrypted from here on (Core, Vol 6 Part B 2.4.2.7).
public struct StartEncryptionResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_START_ENC_RSP"
  public static let opcode: UInt8 = 0x06

  public init() {}

  public init(from reader: inout ByteReader) throws(DecodeError) {}

  public func encode(into writer: inout ByteWriter) {}

  public static var examples: [StartEncryptionResponse] { [StartEncryptionResponse()] }
}

/// LL_PAUSE_ENC_REQ: the central wants a new key (Core, Vol 6 Part B 2.4.2.11).
public struct PauseEncryptionRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PAUSE_ENC_REQ"
  public static let opcode: UInt8 = 0x0A

  public init() {}

  public init(from reader: inout ByteReader) throws(DecodeError) {}

  public func encode(into writer: inout ByteWriter) {}

  public static var examples: [PauseEncryptionRequest] { [PauseEncryptionRequest()] }
}

/// LL_PAUSE_ENC_RSP: encryption pauses (Core, Vol 6 Part B 2.4.2.12).
public struct PauseEncryptionResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PAUSE_ENC_RSP"
  public static let opcode: UInt8 = 0x0B

  public init() {}

  public init(from reader: inout ByteReader) throws(DecodeError) {}

  public func encode(into writer: inout ByteWriter) {}

  public static var examples: [PauseEncryptionResponse] { [PauseEncryptionResponse()] }
}
