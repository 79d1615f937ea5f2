import BLECore

/// Advertisements that an extended scanner heard (Core, Vol 4 Part E 7.7.65.13).
public struct LEExtendedAdvertisingReportEvent: HCIEventParameters {
  public static let name = "HCI_LE_Extended_Advertising_Report"
  public static let code = HCIEventCode.lowEnergy(0x0D)

  /// One advertisement or scan response, or a fragment of it.
  public struct Report: Equatable, Sendable {
    public let type: LEExtendedReportType
    public let address: HCIAddress
    public let primaryPHY: LEPHY
    /// ``LEPHY/none`` where there was no auxiliary packet.
    public let secondaryPHY: LEPHY
    /// 0x00 to 0x0F; 0xFF where the advertisement has none.
    public let setIdentifier: UInt8
    /// In dBm; 127 where it was not told.
    public let transmitPower: Int8
    /// In dBm; 127 where it is not known.
    public let rssi: Int8
    /// The time between two periodic advertisements in steps of 1.25 ms; 0 where there are none.
    public let periodicInterval: UInt16
    /// Whom a directed advertisement is for.
    public let directAddress: HCIAddress
    /// Shares the event's storage. At most 229 octets where the controller keeps to the specification.
    public let data: ArraySlice<UInt8>

    public init(
      type: LEExtendedReportType, address: HCIAddress, primaryPHY: LEPHY = .le1M, secondaryPHY: LEPHY = .none,
      setIdentifier: UInt8 = 0xFF, transmitPower: Int8 = 127, rssi: Int8, periodicInterval: UInt16 = 0,
      directAddress: HCIAddress = .none, data: ArraySlice<UInt8>
    ) {
      self.type = type
      self.address = address
      self.primaryPHY = primaryPHY
      self.secondaryPHY = secondaryPHY
      self.setIdentifier = setIdentifier
      self.transmitPower = transmitPower
      self.rssi = rssi
      self.periodicInterval = periodicInterval
      self.directAddress = directAddress
      self.data = data
    }

    init(from reader: inout ByteReader) throws(DecodeError) {
      type = try reader.value("Event_Type")
      address = try reader.value("Address")
      primaryPHY = try reader.value("Primary_PHY")
      secondaryPHY = try reader.value("Secondary_PHY")
      setIdentifier = try reader.uint8("Advertising_SID")
      transmitPower = try reader.int8("TX_Power")
      rssi = try reader.int8("RSSI")
      periodicInterval = try reader.uint16("Periodic_Advertising_Interval")
      directAddress = try reader.value("Direct_Address")
      data = try reader.octets(Int(try reader.uint8("Data_Length")), "Data")
    }

    func encode(into writer: inout ByteWriter) {
      writer.append(type)
      writer.append(address)
      writer.append(primaryPHY)
      writer.append(secondaryPHY)
      writer.append(setIdentifier)
      writer.append(transmitPower)
      writer.append(rssi)
      writer.append(periodicInterval)
      writer.append(directAddress)
      writer.append(UInt8(clamping: data.count))
      writer.append(contentsOf: data.prefix(255))
    }
  }

  /// The reports of an event. Nearly every event has one, which needs no array.
  public struct Reports: RandomAccessCollection, ExpressibleByArrayLiteral, Equatable, Sendable {
    private let firstReport: Report?
    private let others: [Report]

    public init(_ report: Report) { (firstReport, others) = (report, []) }

    public init(_ reports: some Collection<Report>) {
      (firstReport, others) = (reports.first, Array(reports.dropFirst()))
    }

    fileprivate func encode(into writer: inout ByteWriter) {
      writer.append(UInt8(clamping: count))
      if let firstReport { firstReport.encode(into: &writer) }
      for report in others.prefix(254) { report.encode(into: &writer) }
    }

    public init(arrayLiteral reports: Report...) { self.init(reports) }

    init(from reader: inout ByteReader) throws(DecodeError) {
      let count = Int(try reader.uint8("Num_Reports"))
      firstReport = count > 0 ? try Report(from: &reader) : nil
      var others: [Report] = []
      if count > 1 {
        // A report has at least 24 octets: no more room is taken than the body can fill.
        others.reserveCapacity(Swift.min(count - 1, reader.remaining / 24))
        for _ in 1..<count { others.append(try Report(from: &reader)) }
      }
      self.others = others
    }

    /// Without an iterator, which takes a copy of all for each step.
    public func forEach(_ body: (Report) -> Void) {
      if let firstReport { body(firstReport) }
      for report in others { body(report) }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { firstReport == nil ? 0 : others.count + 1 }

    public subscript(position: Int) -> Report {
      guard position == 0, let firstReport else { return others[position - 1] }
      return firstReport
    }
  }

  public let reports: Reports

  public init(reports: Reports) { self.reports = reports }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    reports = try Reports(from: &reader)
  }

  public func encode(into writer: inout ByteWriter) {
    reports.encode(into: &writer)
  }

  public static var examples: [Self] {
    let address = HCIAddress(type: .random, value: 0xC012_3456_789A)
    let legacy = Report(type: [.connectable, .scannable, .legacy], address: address, rssi: -60, data: [2, 1, 6])
    let extended = Report(
      type: [.connectable, .incomplete], address: HCIAddress(type: .anonymous, value: 0), secondaryPHY: .le2M,
      setIdentifier: 3, transmitPower: 4, rssi: -71, periodicInterval: 80,
      directAddress: HCIAddress(type: .unresolved, value: 0x7012_3456_789A), data: [])
    return [Self(reports: []), Self(reports: [legacy]), Self(reports: [legacy, extended])]
  }
}
