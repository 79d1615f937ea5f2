import BLECore

/// Reads how much data an advertising set can tell (Core, Vol 4 Part E 7.8.57).
public struct LEReadMaximumAdvertisingDataLength: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Maximum_Advertising_Data_Length", HCIOpcode(0x203A))

  public init() {}

  /// What the controller answers to ``LEReadMaximumAdvertisingDataLength``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// In octets, 31 to 1650.
    public let length: UInt16

    public init(status: HCIErrorCode = .success, length: UInt16) {
      self.status = status
      self.length = length
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("Max_Advertising_Data_Length", \.length))
  }
}

/// Reads how many advertising sets there can be (Core, Vol 4 Part E 7.8.58).
public struct LEReadNumberOfSupportedAdvertisingSets: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Number_of_Supported_Advertising_Sets", HCIOpcode(0x203B))

  public init() {}

  /// What the controller answers to ``LEReadNumberOfSupportedAdvertisingSets``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let count: UInt8

    public init(status: HCIErrorCode = .success, count: UInt8) {
      self.status = status
      self.count = count
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("Num_Supported_Advertising_Sets", \.count))
  }
}

/// Removes an advertising set that is not enabled (Core, Vol 4 Part E 7.8.59).
public struct LERemoveAdvertisingSet: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Remove_Advertising_Set", HCIOpcode(0x203C))

  public let advertisingHandle: LEAdvertisingHandle

  public init(advertisingHandle: LEAdvertisingHandle) { self.advertisingHandle = advertisingHandle }

  static let layout = Layout(Self.init, Field("Advertising_Handle", \.advertisingHandle))
}

/// Removes all advertising sets, none of which may be enabled (Core, Vol 4 Part E 7.8.60).
public struct LEClearAdvertisingSets: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Clear_Advertising_Sets", HCIOpcode(0x203D))

  public init() {}
}
