import BLECore

/// Adds a peer whose private addresses the controller shall resolve (Core, Vol 4 Part E 7.8.38).
public struct LEAddDeviceToResolvingList: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Add_Device_To_Resolving_List", HCIOpcode(0x2027))

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress
  public let peerIdentityResolvingKey: HCISecret
  public let localIdentityResolvingKey: HCISecret

  public init(peerIdentity: HCIAddress, peerIdentityResolvingKey: HCISecret, localIdentityResolvingKey: HCISecret) {
    self.peerIdentity = peerIdentity
    self.peerIdentityResolvingKey = peerIdentityResolvingKey
    self.localIdentityResolvingKey = localIdentityResolvingKey
  }

  static let layout = Layout(
    Self.init, Field("Peer_Identity_Address", \.peerIdentity),
    Field("Peer_IRK", \.peerIdentityResolvingKey, .secret(octets: 16)),
    Field("Local_IRK", \.localIdentityResolvingKey, .secret(octets: 16)))
}

/// Removes a peer from the resolving list (Core, Vol 4 Part E 7.8.39).
public struct LERemoveDeviceFromResolvingList: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Remove_Device_From_Resolving_List", HCIOpcode(0x2028))

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress

  public init(peerIdentity: HCIAddress) { self.peerIdentity = peerIdentity }

  static let layout = Layout(Self.init, Field("Peer_Identity_Address", \.peerIdentity))
}

/// Removes all peers from the resolving list (Core, Vol 4 Part E 7.8.40).
public struct LEClearResolvingList: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Clear_Resolving_List", HCIOpcode(0x2029))

  public init() {}
}

/// Reads how many peers the resolving list can hold (Core, Vol 4 Part E 7.8.41).
public struct LEReadResolvingListSize: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Resolving_List_Size", HCIOpcode(0x202A))

  public init() {}

  /// What the controller answers to ``LEReadResolvingListSize``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let size: UInt8

    public init(status: HCIErrorCode = .success, size: UInt8) {
      self.status = status
      self.size = size
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("Resolving_List_Size", \.size))
  }
}

/// Reads the private address that a peer uses now (Core, Vol 4 Part E 7.8.42).
public struct LEReadPeerResolvableAddress: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Read_Peer_Resolvable_Address", HCIOpcode(0x202B))

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress

  public init(peerIdentity: HCIAddress) { self.peerIdentity = peerIdentity }

  static let layout = Layout(Self.init, Field("Peer_Identity_Address", \.peerIdentity))

  /// What the controller answers to ``LEReadPeerResolvableAddress``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let address: DeviceAddress

    public init(status: HCIErrorCode = .success, address: DeviceAddress) {
      self.status = status
      self.address = address
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Peer_Resolvable_Address", \.address, .address(.random)))
  }
}

/// Reads the private address that is used now towards a peer (Core, Vol 4 Part E 7.8.43).
public struct LEReadLocalResolvableAddress: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Read_Local_Resolvable_Address", HCIOpcode(0x202C))

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress

  public init(peerIdentity: HCIAddress) { self.peerIdentity = peerIdentity }

  static let layout = Layout(Self.init, Field("Peer_Identity_Address", \.peerIdentity))

  /// What the controller answers to ``LEReadLocalResolvableAddress``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let address: DeviceAddress

    public init(status: HCIErrorCode = .success, address: DeviceAddress) {
      self.status = status
      self.address = address
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Local_Resolvable_Address", \.address, .address(.random)))
  }
}

/// Switches the resolving of addresses (Core, Vol 4 Part E 7.8.44).
public struct LESetAddressResolutionEnable: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Address_Resolution_Enable", HCIOpcode(0x202D))

  public let isEnabled: Bool

  public init(isEnabled: Bool) { self.isEnabled = isEnabled }

  static let layout = Layout(Self.init, Field("Address_Resolution_Enable", \.isEnabled))
}

/// Sets how long a private address of this device lives (Core, Vol 4 Part E 7.8.45).
public struct LESetResolvablePrivateAddressTimeout: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Resolvable_Private_Address_Timeout [v1]", HCIOpcode(0x202E))

  /// 1 to 3600.
  public let seconds: UInt16

  public init(seconds: UInt16) { self.seconds = seconds }

  static let layout = Layout(Self.init, Field("RPA_Timeout", \.seconds))
}

/// Says whether a peer's identity address is accepted though it has given an IRK (Core, Vol 4 Part E 7.8.77).
public struct LESetPrivacyMode: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Privacy_Mode", HCIOpcode(0x204E))

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress
  public let mode: LEPrivacyMode

  public init(peerIdentity: HCIAddress, mode: LEPrivacyMode) {
    self.peerIdentity = peerIdentity
    self.mode = mode
  }

  static let layout = Layout(Self.init, Field("Peer_Identity_Address", \.peerIdentity), Field("Privacy_Mode", \.mode))
}
