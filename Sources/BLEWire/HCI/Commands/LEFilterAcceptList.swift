import BLECore

/// Reads how many devices the filter accept list can hold (Core, Vol 4 Part E 7.8.14).
public struct LEReadFilterAcceptListSize: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Filter_Accept_List_Size", HCIOpcode(0x200F))

  public init() {}

  /// What the controller answers to ``LEReadFilterAcceptListSize``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let size: UInt8

    public init(status: HCIErrorCode = .success, size: UInt8) {
      self.status = status
      self.size = size
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("Filter_Accept_List_Size", \.size))
  }
}

/// Removes all devices from the filter accept list (Core, Vol 4 Part E 7.8.15).
public struct LEClearFilterAcceptList: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Clear_Filter_Accept_List", HCIOpcode(0x2010))

  public init() {}
}

/// Adds a device to the filter accept list (Core, Vol 4 Part E 7.8.16).
public struct LEAddDeviceToFilterAcceptList: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Add_Device_To_Filter_Accept_List", HCIOpcode(0x2011))

  public let address: HCIAddress

  public init(address: HCIAddress) { self.address = address }

  static let layout = Layout(Self.init, Field("Address", \.address))
}

/// Removes a device from the filter accept list (Core, Vol 4 Part E 7.8.17).
public struct LERemoveDeviceFromFilterAcceptList: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Remove_Device_From_Filter_Accept_List", HCIOpcode(0x2012))

  public let address: HCIAddress

  public init(address: HCIAddress) { self.address = address }

  static let layout = Layout(Self.init, Field("Address", \.address))
}
