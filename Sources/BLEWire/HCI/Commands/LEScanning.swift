import BLECore

/// Says how to scan (Core, Vol 4 Part E 7.8.10).
public struct LESetScanParameters: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Scan_Parameters", HCIOpcode(0x200B))

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

  static let layout = Layout(
    Self.init, Field("LE_Scan_Type", \.type), Field("LE_Scan_Interval", \.interval), Field("LE_Scan_Window", \.window),
    Field("Own_Address_Type", \.ownAddressType), Field("Scanning_Filter_Policy", \.filterPolicy))
}

/// Starts or stops scanning (Core, Vol 4 Part E 7.8.11).
public struct LESetScanEnable: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Scan_Enable", HCIOpcode(0x200C))

  public let isEnabled: Bool
  public let filtersDuplicates: Bool

  public init(isEnabled: Bool, filtersDuplicates: Bool) {
    self.isEnabled = isEnabled
    self.filtersDuplicates = filtersDuplicates
  }

  static let layout = Layout(
    Self.init, Field("LE_Scan_Enable", \.isEnabled), Field("Filter_Duplicates", \.filtersDuplicates))
}

/// Says how to scan, for each PHY (Core, Vol 4 Part E 7.8.64).
public struct LESetExtendedScanParameters: HCICommand {
  public static let (name, opcode) = ("HCI_LE_Set_Extended_Scan_Parameters", HCIOpcode(0x2041))

  /// How to scan on one PHY.
  public struct Entry: Equatable, HasLayout, WireValue {
    public let type: LEScanType
    public let interval: ScanInterval
    /// At most the interval.
    public let window: ScanInterval

    public init(type: LEScanType, interval: ScanInterval, window: ScanInterval) {
      self.type = type
      self.interval = interval
      self.window = window
    }

    static let layout = Layout(
      Self.init, Field("Scan_Type", \.type), Field("Scan_Interval", \.interval), Field("Scan_Window", \.window))
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
    phys = try reader.value("Scanning_PHYs")
    entries = try reader.values(phys.rawValue.nonzeroBitCount, "Entry")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(ownAddressType)
    writer.append(filterPolicy)
    writer.append(phys)
    for entry in entries { writer.append(entry) }
  }

  public static var examples: [Self] {
    [
      Self(ownAddressType: .random, phys: .le1M, entries: [.example]),
      Self(ownAddressType: .public, filterPolicy: .listOnly, phys: [.le1M, .leCoded], entries: [.example, .example]),
    ]
  }
}

/// Starts or stops extended scanning (Core, Vol 4 Part E 7.8.65).
public struct LESetExtendedScanEnable: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Extended_Scan_Enable", HCIOpcode(0x2042))

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

  static let layout = Layout(
    Self.init, Field("Enable", \.isEnabled), Field("Filter_Duplicates", \.duplicates), Field("Duration", \.duration),
    Field("Period", \.period))
}
