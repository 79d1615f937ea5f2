import BLECore

/// The central wants to encrypt and asks for the key (Core, Vol 4 Part E 7.7.65.5).
public struct LELongTermKeyRequestEvent: HCIEventParameters, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Random_Number", \.randomNumber),
    Field("Encrypted_Diversifier", \.diversifier))
}

/// The controller has made a key pair (Core, Vol 4 Part E 7.7.65.8).
public struct LEReadLocalP256PublicKeyCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Read_Local_P-256_Public_Key_Complete"
  public static let code = HCIEventCode.lowEnergy(0x08)

  public let status: HCIErrorCode
  /// The coordinates x and y, 32 octets each, least significant first.
  public let publicKey: ArraySlice<UInt8>

  public init(status: HCIErrorCode, publicKey: ArraySlice<UInt8>) {
    self.status = status
    self.publicKey = publicKey
  }

  static let layout = Layout(Self.init, Field("Status", \.status), Field("Key_P256", \.publicKey, .octets(64)))
}

/// The controller has made the shared secret (Core, Vol 4 Part E 7.7.65.9).
public struct LEGenerateDHKeyCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Generate_DHKey_Complete"
  public static let code = HCIEventCode.lowEnergy(0x09)

  public let status: HCIErrorCode
  public let key: HCISecret

  public init(status: HCIErrorCode, key: HCISecret) {
    self.status = status
    self.key = key
  }

  static let layout = Layout(Self.init, Field("Status", \.status), Field("DH_Key", \.key, .secret(octets: 32)))
}
