import BLECore

/// Advertisements that a legacy scanner heard (Core, Vol 4 Part E 7.7.65.2).
public struct LEAdvertisingReportEvent: HCIEventParameters {
  public static let name = "HCI_LE_Advertising_Report"
  public static let code = HCIEventCode.lowEnergy(0x02)

  /// One advertisement or scan response.
  public struct Report: Equatable, Sendable {
    public let type: LEAdvertisingReportType
    public let address: HCIAddress
    /// Shares the event's storage. At most 31 octets where the controller keeps to the specification.
    public let data: ArraySlice<UInt8>
    /// In dBm; 127 where it is not known.
    public let rssi: Int8

    public init(type: LEAdvertisingReportType, address: HCIAddress, data: ArraySlice<UInt8>, rssi: Int8) {
      self.type = type
      self.address = address
      self.data = data
      self.rssi = rssi
    }
  }

  public let reports: [Report]

  public init(reports: [Report]) { self.reports = reports }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    let count = Int(try reader.uint8("Num_Reports"))
    var reports: [Report] = []
    // A report has at least 10 octets: no more room is taken than the body can fill.
    reports.reserveCapacity(min(count, reader.remaining / 10))
    for _ in 0..<count {
      let type: LEAdvertisingReportType = try reader.value("Event_Type")
      let address: HCIAddress = try reader.value("Address")
      let length = Int(try reader.uint8("Data_Length"))
      reports.append(
        Report(
          type: type, address: address, data: try reader.octets(length, "Data"), rssi: try reader.int8("RSSI")))
    }
    self.reports = reports
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(UInt8(clamping: reports.count))
    for report in reports.prefix(255) {
      writer.append(report.type)
      writer.append(report.address)
      writer.append(UInt8(clamping: report.data.count))
      writer.append(contentsOf: report.data.prefix(255))
      writer.append(report.rssi)
    }
  }

  public static var examples: [Self] {
    let address = HCIAddress(type: .random, value: 0xC012_3456_789A)
    let first = Report(type: .connectable, address: address, data: [0x02, 0x01, 0x06], rssi: -60)
    return [
      Self(reports: []), Self(reports: [first]),
      Self(reports: [first, Report(type: .scanResponse, address: address, data: [], rssi: 127)]),
    ]
  }
}

/// Directed advertisements to a private address that the controller could not resolve (Core, Vol 4 Part E 7.7.65.11).
public struct LEDirectedAdvertisingReportEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Directed_Advertising_Report"
  public static let code = HCIEventCode.lowEnergy(0x0B)

  /// One advertisement, which has no data.
  public struct Report: Equatable, HasLayout, WireValue {
    public let type: LEAdvertisingReportType
    public let address: HCIAddress
    /// Whom it is for.
    public let directAddress: HCIAddress
    /// In dBm; 127 where it is not known.
    public let rssi: Int8

    public init(type: LEAdvertisingReportType, address: HCIAddress, directAddress: HCIAddress, rssi: Int8) {
      self.type = type
      self.address = address
      self.directAddress = directAddress
      self.rssi = rssi
    }

    static let layout = Layout(
      Self.init, Field("Event_Type", \.type), Field("Address", \.address), Field("Direct_Address", \.directAddress),
      Field("RSSI", \.rssi))
  }

  public let reports: [Report]

  public init(reports: [Report]) { self.reports = reports }

  static let layout = Layout(Self.init, Field("Report", \.reports, .counted(by: "Num_Reports")))
}
