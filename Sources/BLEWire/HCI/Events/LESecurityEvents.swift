import BLECore

/// The central wants to encrypt and asks for the key (Core, Vol 4 Part E 7.7.65.5).
public struct LELongTermKeyRequestEvent: HCIEventParameters {
  public static let name = "HCI_LE_Long_Term_Key_Request"
  public static let code = HCIEventCode.lowEnergy(0x05)

  public let connectionHandle: ConnectionHandle
  public let randomNumber: UInt64
  public let diversifier: UInt16

  public init(connectionHandle: ConnectionHandle, randomNumber: UInt64, diversifier: UInt16) {
    self.connectionHandle = connectionHandle
    self.randomNumber = randomNumber
    self.diversifier = diversifier
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    randomNumber = try reader.uint64("Random_Number")
    diversifier = try reader.uint16("Encrypted_Diversifier")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(randomNumber)
    writer.append(diversifier)
  }

  public static var examples: [Self] {
    [Self(connectionHandle: ConnectionHandle(0x0040), randomNumber: 0x0123_4567_89AB_CDEF, diversifier: 0x0123)]
  }
}

/// The controller has made a key pair (Core, Vol 4 Part E 7.7.65.8).
public struct LEReadLocalP256PublicKeyCompleteEvent: HCIEventParameters {
  public static let name = "HCI_LE_Read_Local_P-256_Public_Key_Complete"
  public static let code = HCIEventCode.lowEnergy(0x08)

  public let status: HCIErrorCode
  /// The coordinates x and y, 32 octets each, least significant first.
  public let publicKey: ArraySlice<UInt8>

  public init(status: HCIErrorCode, publicKey: ArraySlice<UInt8>) {
    self.status = status
    self.publicKey = publicKey
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    publicKey = try reader.octets(64, "Key_P256")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(contentsOf: publicKey, paddedTo: 64)
  }

  public static var examples: [Self] { [Self(status: .success, publicKey: ArraySlice(repeating: 0xA5, count: 64))] }
}

/// The controller has made the shared secret (Core, Vol 4 Part E 7.7.65.9).
public struct LEGenerateDHKeyCompleteEvent: HCIEventParameters {
  public static let name = "HCI_LE_Generate_DHKey_Complete"
  public static let code = HCIEventCode.lowEnergy(0x09)

  public let status: HCIErrorCode
  public let key: HCISecret

  public init(status: HCIErrorCode, key: HCISecret) {
    self.status = status
    self.key = key
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    key = try reader.secret(octets: 32, "DH_Key")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(key, width: 32)
  }

  public static var examples: [Self] { [Self(status: .success, key: .example(32))] }
}
