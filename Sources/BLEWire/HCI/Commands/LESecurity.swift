import BLECore

/// Encrypts one block by AES-128 (Core, Vol 4 Part E 7.8.22).
public struct LEEncrypt: HCICommand {
  public static let name = "HCI_LE_Encrypt"
  public static let opcode = HCIOpcode(0x2017)

  public let key: HCISecret
  public let plaintext: HCISecret

  public init(key: HCISecret, plaintext: HCISecret) {
    self.key = key
    self.plaintext = plaintext
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    key = try reader.secret(octets: 16, "Key")
    plaintext = try reader.secret(octets: 16, "Plaintext_Data")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(key, width: 16)
    writer.append(plaintext, width: 16)
  }

  public static var examples: [Self] { [Self(key: .example(16), plaintext: .example(16))] }

  /// What the controller answers to ``LEEncrypt``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Encrypt return parameters"

    public let status: HCIErrorCode
    public let encrypted: HCISecret

    public init(status: HCIErrorCode = .success, encrypted: HCISecret) {
      self.status = status
      self.encrypted = encrypted
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      encrypted = try reader.secret(octets: 16, "Encrypted_Data")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(encrypted, width: 16)
    }

    public static var examples: [Self] { [Self(status: .success, encrypted: .example(16))] }
  }
}

/// Asks for a random number (Core, Vol 4 Part E 7.8.23).
public struct LERand: HCICommand {
  public static let name = "HCI_LE_Rand"
  public static let opcode = HCIOpcode(0x2018)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LERand``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Rand return parameters"

    public let status: HCIErrorCode
    public let number: UInt64

    public init(status: HCIErrorCode = .success, number: UInt64) {
      self.status = status
      self.number = number
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      number = try reader.uint64("Random_Number")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(number)
    }

    public static var examples: [Self] { [Self(status: .success, number: 0x0123_4567_89AB_CDEF)] }
  }
}

/// Starts encryption of a link, as its central; an encryption event follows (Core, Vol 4 Part E 7.8.24).
public struct LEEnableEncryption: HCIStatusCommand {
  public static let name = "HCI_LE_Enable_Encryption"
  public static let opcode = HCIOpcode(0x2019)

  public let connectionHandle: ConnectionHandle
  /// Names the key on the peripheral; 0 for a key of Secure Connections.
  public let randomNumber: UInt64
  /// Names the key on the peripheral; 0 for a key of Secure Connections.
  public let diversifier: UInt16
  public let key: HCISecret

  public init(connectionHandle: ConnectionHandle, randomNumber: UInt64, diversifier: UInt16, key: HCISecret) {
    self.connectionHandle = connectionHandle
    self.randomNumber = randomNumber
    self.diversifier = diversifier
    self.key = key
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    randomNumber = try reader.uint64("Random_Number")
    diversifier = try reader.uint16("Encrypted_Diversifier")
    key = try reader.secret(octets: 16, "Long_Term_Key")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(randomNumber)
    writer.append(diversifier)
    writer.append(key, width: 16)
  }

  public static var examples: [Self] {
    [
      Self(
        connectionHandle: ConnectionHandle(0x0040), randomNumber: 0x0123_4567_89AB_CDEF, diversifier: 0x0123,
        key: .example(16))
    ]
  }
}

/// Gives the key that the central wants to encrypt with (Core, Vol 4 Part E 7.8.25).
public struct LELongTermKeyRequestReply: HCICommand {
  public static let name = "HCI_LE_Long_Term_Key_Request_Reply"
  public static let opcode = HCIOpcode(0x201A)

  public let connectionHandle: ConnectionHandle
  public let key: HCISecret

  public init(connectionHandle: ConnectionHandle, key: HCISecret) {
    self.connectionHandle = connectionHandle
    self.key = key
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    key = try reader.secret(octets: 16, "Long_Term_Key")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(key, width: 16)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040), key: .example(16))] }

  /// What the controller answers to ``LELongTermKeyRequestReply``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Long_Term_Key_Request_Reply return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle) {
      self.status = status
      self.connectionHandle = connectionHandle
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
    }

    public static var examples: [Self] { [Self(status: .success, connectionHandle: ConnectionHandle(0x0040))] }
  }
}

/// Says that there is no key that the central could encrypt with (Core, Vol 4 Part E 7.8.26).
public struct LELongTermKeyRequestNegativeReply: HCICommand {
  public static let name = "HCI_LE_Long_Term_Key_Request_Negative_Reply"
  public static let opcode = HCIOpcode(0x201B)

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) {
    self.connectionHandle = connectionHandle
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040))] }

  /// What the controller answers to ``LELongTermKeyRequestNegativeReply``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Long_Term_Key_Request_Negative_Reply return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle) {
      self.status = status
      self.connectionHandle = connectionHandle
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
    }

    public static var examples: [Self] { [Self(status: .success, connectionHandle: ConnectionHandle(0x0040))] }
  }
}

/// Makes a key pair in the controller; the event of the same name follows (Core, Vol 4 Part E 7.8.36).
public struct LEReadLocalP256PublicKey: HCIStatusCommand {
  public static let name = "HCI_LE_Read_Local_P-256_Public_Key"
  public static let opcode = HCIOpcode(0x2025)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}

/// Makes the shared secret with the peer's public key; the event of the same name follows (Core, Vol 4 Part E 7.8.37).
public struct LEGenerateDHKey: HCIStatusCommand {
  public static let name = "HCI_LE_Generate_DHKey [v1]"
  public static let opcode = HCIOpcode(0x2026)

  /// The coordinates x and y, 32 octets each, least significant first.
  public let publicKey: ArraySlice<UInt8>

  public init(publicKey: ArraySlice<UInt8>) {
    self.publicKey = publicKey
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    publicKey = try reader.octets(64, "Key_P256")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(contentsOf: publicKey, paddedTo: 64)
  }

  public static var examples: [Self] { [Self(publicKey: ArraySlice(repeating: 0xA5, count: 64))] }
}

/// Makes the shared secret with the peer's public key; the event of the same name follows (Core, Vol 4 Part E 7.8.37).
public struct LEGenerateDHKeyV2: HCIStatusCommand {
  public static let name = "HCI_LE_Generate_DHKey [v2]"
  public static let opcode = HCIOpcode(0x205E)

  /// The coordinates x and y, 32 octets each, least significant first.
  public let publicKey: ArraySlice<UInt8>
  /// Uses the debug key that everybody knows.
  public let usesDebugKey: Bool

  public init(publicKey: ArraySlice<UInt8>, usesDebugKey: Bool) {
    self.publicKey = publicKey
    self.usesDebugKey = usesDebugKey
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    publicKey = try reader.octets(64, "Key_P256")
    usesDebugKey = try reader.flag("Key_Type")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(contentsOf: publicKey, paddedTo: 64)
    writer.append(usesDebugKey)
  }

  public static var examples: [Self] { [Self(publicKey: ArraySlice(repeating: 0xA5, count: 64), usesDebugKey: true)] }
}
