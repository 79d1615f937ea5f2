import BLECore

/// Reads how much data an advertising set can tell (Core, Vol 4 Part E 7.8.57).
public struct LEReadMaximumAdvertisingDataLength: HCICommand {
  public static let name = "HCI_LE_Read_Maximum_Advertising_Data_Length"
  public static let opcode = HCIOpcode(0x203A)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadMaximumAdvertisingDataLength``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Maximum_Advertising_Data_Length return parameters"

    public let status: HCIErrorCode
    /// In octets, 31 to 1650.
    public let length: UInt16

    public init(status: HCIErrorCode = .success, length: UInt16) {
      self.status = status
      self.length = length
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      length = try reader.uint16("Max_Advertising_Data_Length")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(length)
    }

    public static var examples: [Self] { [Self(status: .success, length: 0x0123)] }
  }
}

/// Reads how many advertising sets there can be (Core, Vol 4 Part E 7.8.58).
public struct LEReadNumberOfSupportedAdvertisingSets: HCICommand {
  public static let name = "HCI_LE_Read_Number_of_Supported_Advertising_Sets"
  public static let opcode = HCIOpcode(0x203B)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadNumberOfSupportedAdvertisingSets``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Number_of_Supported_Advertising_Sets return parameters"

    public let status: HCIErrorCode
    public let count: UInt8

    public init(status: HCIErrorCode = .success, count: UInt8) {
      self.status = status
      self.count = count
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      count = try reader.uint8("Num_Supported_Advertising_Sets")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(count)
    }

    public static var examples: [Self] { [Self(status: .success, count: 0x05)] }
  }
}

/// Removes an advertising set that is not enabled (Core, Vol 4 Part E 7.8.59).
public struct LERemoveAdvertisingSet: HCICommand {
  public static let name = "HCI_LE_Remove_Advertising_Set"
  public static let opcode = HCIOpcode(0x203C)
  public typealias ReturnParameters = HCIStatusReturn

  public let advertisingHandle: LEAdvertisingHandle

  public init(advertisingHandle: LEAdvertisingHandle) {
    self.advertisingHandle = advertisingHandle
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    advertisingHandle = try reader.value("Advertising_Handle")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(advertisingHandle)
  }

  public static var examples: [Self] { [Self(advertisingHandle: LEAdvertisingHandle(rawValue: 0x01))] }
}

/// Removes all advertising sets, none of which may be enabled (Core, Vol 4 Part E 7.8.60).
public struct LEClearAdvertisingSets: HCICommand {
  public static let name = "HCI_LE_Clear_Advertising_Sets"
  public static let opcode = HCIOpcode(0x203D)
  public typealias ReturnParameters = HCIStatusReturn

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}
