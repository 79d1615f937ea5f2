import BLECore

/// Adds a peer whose private addresses the controller shall resolve (Core, Vol 4 Part E 7.8.38).
public struct LEAddDeviceToResolvingList: HCICommand {
  public static let name = "HCI_LE_Add_Device_To_Resolving_List"
  public static let opcode = HCIOpcode(0x2027)
  public typealias ReturnParameters = HCIStatusReturn

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress
  public let peerIdentityResolvingKey: HCISecret
  public let localIdentityResolvingKey: HCISecret

  public init(peerIdentity: HCIAddress, peerIdentityResolvingKey: HCISecret, localIdentityResolvingKey: HCISecret) {
    self.peerIdentity = peerIdentity
    self.peerIdentityResolvingKey = peerIdentityResolvingKey
    self.localIdentityResolvingKey = localIdentityResolvingKey
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    peerIdentity = try reader.address("Peer_Identity_Address")
    peerIdentityResolvingKey = try reader.secret(octets: 16, "Peer_IRK")
    localIdentityResolvingKey = try reader.secret(octets: 16, "Local_IRK")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(peerIdentity)
    writer.append(peerIdentityResolvingKey, width: 16)
    writer.append(localIdentityResolvingKey, width: 16)
  }

  public static var examples: [Self] {
    [
      Self(
        peerIdentity: HCIAddress(type: .random, value: 0xC012_3456_789A), peerIdentityResolvingKey: .example(16),
        localIdentityResolvingKey: .example(16))
    ]
  }
}

/// Removes a peer from the resolving list (Core, Vol 4 Part E 7.8.39).
public struct LERemoveDeviceFromResolvingList: HCICommand {
  public static let name = "HCI_LE_Remove_Device_From_Resolving_List"
  public static let opcode = HCIOpcode(0x2028)
  public typealias ReturnParameters = HCIStatusReturn

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress

  public init(peerIdentity: HCIAddress) {
    self.peerIdentity = peerIdentity
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    peerIdentity = try reader.address("Peer_Identity_Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(peerIdentity)
  }

  public static var examples: [Self] { [Self(peerIdentity: HCIAddress(type: .random, value: 0xC012_3456_789A))] }
}

/// Removes all peers from the resolving list (Core, Vol 4 Part E 7.8.40).
public struct LEClearResolvingList: HCICommand {
  public static let name = "HCI_LE_Clear_Resolving_List"
  public static let opcode = HCIOpcode(0x2029)
  public typealias ReturnParameters = HCIStatusReturn

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}

/// Reads how many peers the resolving list can hold (Core, Vol 4 Part E 7.8.41).
public struct LEReadResolvingListSize: HCICommand {
  public static let name = "HCI_LE_Read_Resolving_List_Size"
  public static let opcode = HCIOpcode(0x202A)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadResolvingListSize``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Resolving_List_Size return parameters"

    public let status: HCIErrorCode
    public let size: UInt8

    public init(status: HCIErrorCode = .success, size: UInt8) {
      self.status = status
      self.size = size
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      size = try reader.uint8("Resolving_List_Size")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(size)
    }

    public static var examples: [Self] { [Self(status: .success, size: 0x05)] }
  }
}

/// Reads the private address that a peer uses now (Core, Vol 4 Part E 7.8.42).
public struct LEReadPeerResolvableAddress: HCICommand {
  public static let name = "HCI_LE_Read_Peer_Resolvable_Address"
  public static let opcode = HCIOpcode(0x202B)

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress

  public init(peerIdentity: HCIAddress) {
    self.peerIdentity = peerIdentity
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    peerIdentity = try reader.address("Peer_Identity_Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(peerIdentity)
  }

  public static var examples: [Self] { [Self(peerIdentity: HCIAddress(type: .random, value: 0xC012_3456_789A))] }

  /// What the controller answers to ``LEReadPeerResolvableAddress``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Peer_Resolvable_Address return parameters"

    public let status: HCIErrorCode
    public let address: DeviceAddress

    public init(status: HCIErrorCode = .success, address: DeviceAddress) {
      self.status = status
      self.address = address
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      address = try reader.deviceAddress(kind: .random, "Peer_Resolvable_Address")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(address)
    }

    public static var examples: [Self] {
      [Self(status: .success, address: DeviceAddress(0x7012_3456_789A, kind: .random))]
    }
  }
}

/// Reads the private address that is used now towards a peer (Core, Vol 4 Part E 7.8.43).
public struct LEReadLocalResolvableAddress: HCICommand {
  public static let name = "HCI_LE_Read_Local_Resolvable_Address"
  public static let opcode = HCIOpcode(0x202C)

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress

  public init(peerIdentity: HCIAddress) {
    self.peerIdentity = peerIdentity
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    peerIdentity = try reader.address("Peer_Identity_Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(peerIdentity)
  }

  public static var examples: [Self] { [Self(peerIdentity: HCIAddress(type: .random, value: 0xC012_3456_789A))] }

  /// What the controller answers to ``LEReadLocalResolvableAddress``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Local_Resolvable_Address return parameters"

    public let status: HCIErrorCode
    public let address: DeviceAddress

    public init(status: HCIErrorCode = .success, address: DeviceAddress) {
      self.status = status
      self.address = address
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      address = try reader.deviceAddress(kind: .random, "Local_Resolvable_Address")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(address)
    }

    public static var examples: [Self] {
      [Self(status: .success, address: DeviceAddress(0x7012_3456_789A, kind: .random))]
    }
  }
}

/// Switches the resolving of addresses (Core, Vol 4 Part E 7.8.44).
public struct LESetAddressResolutionEnable: HCICommand {
  public static let name = "HCI_LE_Set_Address_Resolution_Enable"
  public static let opcode = HCIOpcode(0x202D)
  public typealias ReturnParameters = HCIStatusReturn

  public let isEnabled: Bool

  public init(isEnabled: Bool) {
    self.isEnabled = isEnabled
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    isEnabled = try reader.flag("Address_Resolution_Enable")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(isEnabled)
  }

  public static var examples: [Self] { [Self(isEnabled: true)] }
}

/// Sets how long a private address of this device lives (Core, Vol 4 Part E 7.8.45).
public struct LESetResolvablePrivateAddressTimeout: HCICommand {
  public static let name = "HCI_LE_Set_Resolvable_Private_Address_Timeout [v1]"
  public static let opcode = HCIOpcode(0x202E)
  public typealias ReturnParameters = HCIStatusReturn

  /// 1 to 3600.
  public let seconds: UInt16

  public init(seconds: UInt16) {
    self.seconds = seconds
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    seconds = try reader.uint16("RPA_Timeout")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(seconds)
  }

  public static var examples: [Self] { [Self(seconds: 0x0123)] }
}

/// Says whether a peer's identity address is accepted though it has given an IRK (Core, Vol 4 Part E 7.8.77).
public struct LESetPrivacyMode: HCICommand {
  public static let name = "HCI_LE_Set_Privacy_Mode"
  public static let opcode = HCIOpcode(0x204E)
  public typealias ReturnParameters = HCIStatusReturn

  /// The peer's public or random static address.
  public let peerIdentity: HCIAddress
  public let mode: LEPrivacyMode

  public init(peerIdentity: HCIAddress, mode: LEPrivacyMode) {
    self.peerIdentity = peerIdentity
    self.mode = mode
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    peerIdentity = try reader.address("Peer_Identity_Address")
    mode = try reader.value("Privacy_Mode")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(peerIdentity)
    writer.append(mode)
  }

  public static var examples: [Self] {
    [Self(peerIdentity: HCIAddress(type: .random, value: 0xC012_3456_789A), mode: .device)]
  }
}
