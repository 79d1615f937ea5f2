import BLECore

/// Reads how many devices the filter accept list can hold (Core, Vol 4 Part E 7.8.14).
public struct LEReadFilterAcceptListSize: HCICommand {
  public static let name = "HCI_LE_Read_Filter_Accept_List_Size"
  public static let opcode = HCIOpcode(0x200F)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadFilterAcceptListSize``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Filter_Accept_List_Size return parameters"

    public let status: HCIErrorCode
    public let size: UInt8

    public init(status: HCIErrorCode = .success, size: UInt8) {
      self.status = status
      self.size = size
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      size = try reader.uint8("Filter_Accept_List_Size")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(size)
    }

    public static var examples: [Self] { [Self(status: .success, size: 0x05)] }
  }
}

/// Removes all devices from the filter accept list (Core, Vol 4 Part E 7.8.15).
public struct LEClearFilterAcceptList: HCICommand {
  public static let name = "HCI_LE_Clear_Filter_Accept_List"
  public static let opcode = HCIOpcode(0x2010)
  public typealias ReturnParameters = HCIStatusReturn

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}

/// Adds a device to the filter accept list (Core, Vol 4 Part E 7.8.16).
public struct LEAddDeviceToFilterAcceptList: HCICommand {
  public static let name = "HCI_LE_Add_Device_To_Filter_Accept_List"
  public static let opcode = HCIOpcode(0x2011)
  public typealias ReturnParameters = HCIStatusReturn

  public let address: HCIAddress

  public init(address: HCIAddress) {
    self.address = address
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    address = try reader.address("Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(address)
  }

  public static var examples: [Self] { [Self(address: HCIAddress(type: .random, value: 0xC012_3456_789A))] }
}

/// Removes a device from the filter accept list (Core, Vol 4 Part E 7.8.17).
public struct LERemoveDeviceFromFilterAcceptList: HCICommand {
  public static let name = "HCI_LE_Remove_Device_From_Filter_Accept_List"
  public static let opcode = HCIOpcode(0x2012)
  public typealias ReturnParameters = HCIStatusReturn

  public let address: HCIAddress

  public init(address: HCIAddress) {
    self.address = address
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    address = try reader.address("Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(address)
  }

  public static var examples: [Self] { [Self(address: HCIAddress(type: .random, value: 0xC012_3456_789A))] }
}
