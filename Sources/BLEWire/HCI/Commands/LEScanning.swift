import BLECore

/// Says how to scan (Core, Vol 4 Part E 7.8.10).
public struct LESetScanParameters: HCICommand {
  public static let name = "HCI_LE_Set_Scan_Parameters"
  public static let opcode = HCIOpcode(0x200B)
  public typealias ReturnParameters = HCIStatusReturn

  public let type: LEScanType
  public let interval: ScanInterval
  /// At most the interval.
  public let window: ScanInterval
  public let ownAddressType: LEOwnAddressType
  public let filterPolicy: LEScanFilterPolicy

  public init(
    type: LEScanType, interval: ScanInterval, window: ScanInterval, ownAddressType: LEOwnAddressType,
    filterPolicy: LEScanFilterPolicy
  ) {
    self.type = type
    self.interval = interval
    self.window = window
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    type = try reader.value("LE_Scan_Type")
    interval = try reader.scanInterval("LE_Scan_Interval")
    window = try reader.scanInterval("LE_Scan_Window")
    ownAddressType = try reader.value("Own_Address_Type")
    filterPolicy = try reader.value("Scanning_Filter_Policy")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(type)
    writer.append(interval)
    writer.append(window)
    writer.append(ownAddressType)
    writer.append(filterPolicy)
  }

  public static var examples: [Self] {
    [
      Self(
        type: .active, interval: ScanInterval(rawValue: 96), window: ScanInterval(rawValue: 96),
        ownAddressType: .random, filterPolicy: .all)
    ]
  }
}

/// Starts or stops scanning (Core, Vol 4 Part E 7.8.11).
public struct LESetScanEnable: HCICommand {
  public static let name = "HCI_LE_Set_Scan_Enable"
  public static let opcode = HCIOpcode(0x200C)
  public typealias ReturnParameters = HCIStatusReturn

  public let isEnabled: Bool
  public let filtersDuplicates: Bool

  public init(isEnabled: Bool, filtersDuplicates: Bool) {
    self.isEnabled = isEnabled
    self.filtersDuplicates = filtersDuplicates
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    isEnabled = try reader.flag("LE_Scan_Enable")
    filtersDuplicates = try reader.flag("Filter_Duplicates")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(isEnabled)
    writer.append(filtersDuplicates)
  }

  public static var examples: [Self] { [Self(isEnabled: true, filtersDuplicates: true)] }
}

/// Says how to scan, for each PHY (Core, Vol 4 Part E 7.8.64).
public struct LESetExtendedScanParameters: HCICommand {
  public static let name = "HCI_LE_Set_Extended_Scan_Parameters"
  public static let opcode = HCIOpcode(0x2041)
  public typealias ReturnParameters = HCIStatusReturn

  /// How to scan on one PHY.
  public struct Entry: Equatable, Sendable {
    public let type: LEScanType
    public let interval: ScanInterval
    /// At most the interval.
    public let window: ScanInterval

    public init(type: LEScanType, interval: ScanInterval, window: ScanInterval) {
      self.type = type
      self.interval = interval
      self.window = window
    }
  }

  public let ownAddressType: LEOwnAddressType
  public let filterPolicy: LEScanFilterPolicy
  /// The primary PHYs: 1M, coded or both.
  public let phys: LEPHYSet
  /// One for each of `phys`, in the order of their bits.
  public let entries: [Entry]

  public init(
    ownAddressType: LEOwnAddressType, filterPolicy: LEScanFilterPolicy = .all, phys: LEPHYSet, entries: [Entry]
  ) {
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
    self.phys = phys
    self.entries = entries
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    ownAddressType = try reader.value("Own_Address_Type")
    filterPolicy = try reader.value("Scanning_Filter_Policy")
    phys = try reader.bits("Scanning_PHYs")
    var entries: [Entry] = []
    for _ in 0..<phys.rawValue.nonzeroBitCount {
      entries.append(
        Entry(
          type: try reader.value("Scan_Type"), interval: try reader.scanInterval("Scan_Interval"),
          window: try reader.scanInterval("Scan_Window")))
    }
    self.entries = entries
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(ownAddressType)
    writer.append(filterPolicy)
    writer.append(phys)
    for entry in entries {
      writer.append(entry.type)
      writer.append(entry.interval)
      writer.append(entry.window)
    }
  }

  public static var examples: [Self] {
    let entry = Entry(type: .active, interval: ScanInterval(rawValue: 96), window: ScanInterval(rawValue: 48))
    return [
      Self(ownAddressType: .random, phys: .le1M, entries: [entry]),
      Self(ownAddressType: .public, filterPolicy: .listOnly, phys: [.le1M, .leCoded], entries: [entry, entry]),
    ]
  }
}

/// Starts or stops extended scanning (Core, Vol 4 Part E 7.8.65).
public struct LESetExtendedScanEnable: HCICommand {
  public static let name = "HCI_LE_Set_Extended_Scan_Enable"
  public static let opcode = HCIOpcode(0x2042)
  public typealias ReturnParameters = HCIStatusReturn

  public let isEnabled: Bool
  public let duplicates: LEDuplicateFilter
  /// 0 scans until it is stopped.
  public let duration: HCICentiseconds
  /// The time from one scan to the next in steps of 1.28 s; 0 scans once.
  public let period: UInt16

  public init(isEnabled: Bool, duplicates: LEDuplicateFilter, duration: HCICentiseconds, period: UInt16) {
    self.isEnabled = isEnabled
    self.duplicates = duplicates
    self.duration = duration
    self.period = period
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    isEnabled = try reader.flag("Enable")
    duplicates = try reader.value("Filter_Duplicates")
    duration = try reader.centiseconds("Duration")
    period = try reader.uint16("Period")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(isEnabled)
    writer.append(duplicates)
    writer.append(duration)
    writer.append(period)
  }

  public static var examples: [Self] {
    [Self(isEnabled: true, duplicates: .filter, duration: HCICentiseconds(rawValue: 300), period: 0x0123)]
  }
}
