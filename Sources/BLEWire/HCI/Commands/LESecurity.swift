import BLECore

/// Encrypts one block by AES-128 (Core, Vol 4 Part E 7.8.22).
public struct LEEncrypt: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Encrypt", HCIOpcode(0x2017))

  public let key: HCISecret
  public let plaintext: HCISecret

  public init(key: HCISecret, plaintext: HCISecret) {
    self.key = key
    self.plaintext = plaintext
  }

  static let layout = Layout(
    Self.init, Field("Key", \.key, .secret(octets: 16)), Field("Plaintext_Data", \.plaintext, .secret(octets: 16)))

  /// What the controller answers to ``LEEncrypt``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let encrypted: HCISecret

    public init(status: HCIErrorCode = .success, encrypted: HCISecret) {
      self.status = status
      self.encrypted = encrypted
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Encrypted_Data", \.encrypted, .secret(octets: 16)))
  }
}

/// Asks for a random number (Core, Vol 4 Part E 7.8.23).
public struct LERand: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Rand", HCIOpcode(0x2018))

  public init() {}

  /// What the controller answers to ``LERand``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let number: UInt64

    public init(status: HCIErrorCode = .success, number: UInt64) {
      self.status = status
      self.number = number
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("Random_Number", \.number))
  }
}

/// Starts encryption of a link, as its central; an encryption event follows (Core, Vol 4 Part E 7.8.24).
public struct LEEnableEncryption: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Enable_Encryption", HCIOpcode(0x2019))

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

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Random_Number", \.randomNumber),
    Field("Encrypted_Diversifier", \.diversifier), Field("Long_Term_Key", \.key, .secret(octets: 16)))
}

/// Gives the key that the central wants to encrypt with (Core, Vol 4 Part E 7.8.25).
public struct LELongTermKeyRequestReply: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Long_Term_Key_Request_Reply", HCIOpcode(0x201A))
  public typealias ReturnParameters = HCIConnectionReturn

  public let connectionHandle: ConnectionHandle
  public let key: HCISecret

  public init(connectionHandle: ConnectionHandle, key: HCISecret) {
    self.connectionHandle = connectionHandle
    self.key = key
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Long_Term_Key", \.key, .secret(octets: 16)))
}

/// Says that there is no key that the central could encrypt with (Core, Vol 4 Part E 7.8.26).
public struct LELongTermKeyRequestNegativeReply: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Long_Term_Key_Request_Negative_Reply", HCIOpcode(0x201B))
  public typealias ReturnParameters = HCIConnectionReturn

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))
}

/// Makes a key pair in the controller; the event of the same name follows (Core, Vol 4 Part E 7.8.36).
public struct LEReadLocalP256PublicKey: HCIStatusCommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Local_P-256_Public_Key", HCIOpcode(0x2025))

  public init() {}
}

/// Makes the shared secret with the peer's public key; the event of the same name follows (Core, Vol 4 Part E 7.8.37).
public struct LEGenerateDHKey: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Generate_DHKey [v1]", HCIOpcode(0x2026))

  /// The coordinates x and y, 32 octets each, least significant first.
  public let publicKey: ArraySlice<UInt8>

  public init(publicKey: ArraySlice<UInt8>) { self.publicKey = publicKey }

  static let layout = Layout(Self.init, Field("Key_P256", \.publicKey, .octets(64)))
}

/// Makes the shared secret with the peer's public key; the event of the same name follows (Core, Vol 4 Part E 7.8.37).
public struct LEGenerateDHKeyV2: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Generate_DHKey [v2]", HCIOpcode(0x205E))

  /// The coordinates x and y, 32 octets each, least significant first.
  public let publicKey: ArraySlice<UInt8>
  /// Whether to use the publicly known debug key.
  public let usesDebugKey: Bool

  public init(publicKey: ArraySlice<UInt8>, usesDebugKey: Bool) {
    self.publicKey = publicKey
    self.usesDebugKey = usesDebugKey
  }

  static let layout = Layout(Self.init, Field("Key_P256", \.publicKey, .octets(64)), Field("Key_Type", \.usesDebugKey))
}
