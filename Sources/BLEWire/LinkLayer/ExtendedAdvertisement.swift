import BLECore

/// The common extended advertising payload (Core, Vol 6 Part B 2.3.4): what ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP,
/// AUX_SYNC_IND, AUX_CHAIN_IND and AUX_CONNECT_RSP are made of. A field that is not present is `nil`.
public struct ExtendedAdvertisement: Hashable, Sendable {
  /// AdvMode: the upper two bits of the payload's first octet.
  public enum Mode: UInt8, Sendable, CaseIterable {
    case nonConnectableNonScannable = 0
    case connectable = 1
    case scannable = 2
    case reserved = 3
  }

  /// Where and when the auxiliary packet is (Core, Vol 6 Part B 2.3.4.5).
  public struct AuxiliaryPointer: Hashable, Sendable {
    /// The three octets as they travel.
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }

    /// `offset` in microseconds from the start of the packet with the pointer; rounded down to the unit that is sent.
    public init(channel: UInt8, offset microseconds: UInt32, phy: UInt8) {
      let coarse = microseconds >= 245_700
      let count = min(microseconds / (coarse ? 300 : 30), 0x1FFF)
      rawValue =
        UInt32(channel & 0x3F) | (coarse ? 0x80 : 0) | count << 8 | UInt32(phy & 0x07) << 21
    }

    /// The secondary channel, 0 to 36.
    public var channel: UInt8 { UInt8(rawValue & 0x3F) }
    /// In microseconds.
    public var offset: UInt32 { (rawValue >> 8 & 0x1FFF) * (rawValue & 0x80 == 0 ? 30 : 300) }
    /// 0 for LE 1M, 1 for LE 2M, 2 for LE Coded.
    public var phy: UInt8 { UInt8(rawValue >> 21) }
  }

  /// AdvDataInfo: which set and which version of its data.
  public struct DataInformation: Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public init(dataIdentifier: UInt16, setIdentifier: UInt8) {
      rawValue = dataIdentifier & 0x0FFF | UInt16(setIdentifier & 0x0F) << 12
    }
    /// DID, 12 bits.
    public var dataIdentifier: UInt16 { rawValue & 0x0FFF }
    /// SID, 4 bits.
    public var setIdentifier: UInt8 { UInt8(rawValue >> 12) }
  }

  /// With the kinds of both addresses.
  public var header: AdvertisingChannelHeader
  /// AdvMode.
  public var mode: Mode
  /// AdvA.
  public var advertiser: DeviceAddress?
  /// TargetA.
  public var target: DeviceAddress?
  /// CTEInfo.
  public var constantToneExtension: UInt8?
  /// ADI.
  public var dataInformation: DataInformation?
  /// AuxPtr.
  public var auxiliaryPointer: AuxiliaryPointer?
  /// SyncInfo's 18 octets.
  public var synchronization: [UInt8]?
  /// In dBm.
  public var transmitPower: Int8?
  /// ACAD: additional controller advertising data.
  public var controllerData: [UInt8]
  /// AdvData or ScanRspData.
  public var data: [UInt8]
  /// The reserved bit of the extended header's flags, kept as it came; `nil` where the extended header is empty.
  var flags: UInt8?

  /// `isConnectResponse` makes an AUX_CONNECT_RSP.
  public init(
    mode: Mode, isConnectResponse: Bool = false, advertiser: DeviceAddress? = nil, target: DeviceAddress? = nil,
    dataInformation: DataInformation? = nil, auxiliaryPointer: AuxiliaryPointer? = nil, transmitPower: Int8? = nil,
    data: [UInt8] = []
  ) {
    header = AdvertisingChannelHeader(
      type: isConnectResponse ? 8 : 7, transmitter: advertiser?.kind ?? .public, receiver: target?.kind ?? .public)
    self.mode = mode
    self.advertiser = advertiser
    self.target = target
    self.dataInformation = dataInformation
    self.auxiliaryPointer = auxiliaryPointer
    self.transmitPower = transmitPower
    controllerData = []
    self.data = data
  }

  init(header: AdvertisingChannelHeader, from reader: inout ByteReader) throws(DecodeError) {
    self.header = header
    let first = try reader.uint8("Extended Header Length and AdvMode")
    mode = Mode(rawValue: first >> 6) ?? .reserved
    let length = Int(first & 0x3F)
    controllerData = []
    if length > 0 {
      var part = ByteReader(try reader.octets(length, "Extended Header"), layer: reader.layer)
      let flags = try part.uint8("Extended Header Flags")
      self.flags = flags
      if flags & 0x01 != 0 { advertiser = try part.deviceAddress(kind: header.transmitter, "AdvA") }
      if flags & 0x02 != 0 { target = try part.deviceAddress(kind: header.receiver, "TargetA") }
      if flags & 0x04 != 0 { constantToneExtension = try part.uint8("CTEInfo") }
      if flags & 0x08 != 0 { dataInformation = DataInformation(rawValue: try part.uint16("ADI")) }
      if flags & 0x10 != 0 { auxiliaryPointer = AuxiliaryPointer(rawValue: try part.uint24("AuxPtr")) }
      if flags & 0x20 != 0 { synchronization = Array(try part.octets(18, "SyncInfo")) }
      if flags & 0x40 != 0 { transmitPower = try part.int8("TxPower") }
      controllerData = Array(part.rest())
    }
    data = Array(reader.rest())
  }

  func encodePayload(into writer: inout ByteWriter) {
    let start = writer.count
    writer.append(UInt8(0))
    var present: UInt8 = (flags ?? 0) & 0x80
    if advertiser != nil { present |= 0x01 }
    if target != nil { present |= 0x02 }
    if constantToneExtension != nil { present |= 0x04 }
    if dataInformation != nil { present |= 0x08 }
    if auxiliaryPointer != nil { present |= 0x10 }
    if synchronization != nil { present |= 0x20 }
    if transmitPower != nil { present |= 0x40 }
    if present != 0 || flags != nil || !controllerData.isEmpty {
      writer.append(present)
      if let advertiser { writer.append(advertiser) }
      if let target { writer.append(target) }
      if let constantToneExtension { writer.append(constantToneExtension) }
      if let dataInformation { writer.append(dataInformation.rawValue) }
      if let auxiliaryPointer { writer.append(uint24: auxiliaryPointer.rawValue) }
      if let synchronization { writer.append(contentsOf: synchronization, paddedTo: 18) }
      if let transmitPower { writer.append(transmitPower) }
      writer.append(contentsOf: controllerData.prefix(63 - (writer.count - start - 1)))
    }
    writer.store(UInt8(writer.count - start - 1) & 0x3F | mode.rawValue << 6, at: start)
    writer.append(contentsOf: data.prefix(255 - (writer.count - start)))
  }

  static var examples: [ExtendedAdvertisement] {
    let address = DeviceAddress(0xC012_3456_789A, kind: .random)
    let information = DataInformation(dataIdentifier: 0x123, setIdentifier: 5)
    let pointer = AuxiliaryPointer(channel: 12, offset: 3_000, phy: 1)
    var everything = ExtendedAdvertisement(
      mode: .scannable, advertiser: address, target: DeviceAddress(0x0A0B_0C0D_0E0F, kind: .public),
      dataInformation: information, auxiliaryPointer: pointer, transmitPower: -7, data: [2, 1, 6])
    everything.constantToneExtension = 0x14
    everything.synchronization = Array(1...18)
    everything.controllerData = [1, 2, 3]
    return [
      ExtendedAdvertisement(mode: .connectable, dataInformation: information, auxiliaryPointer: pointer),
      ExtendedAdvertisement(mode: .connectable, advertiser: address, dataInformation: information, data: [2, 1, 6]),
      ExtendedAdvertisement(mode: .nonConnectableNonScannable, data: [1, 2, 3]),
      ExtendedAdvertisement(
        mode: .nonConnectableNonScannable, isConnectResponse: true, advertiser: address,
        target: DeviceAddress(0x4A0B_0C0D_0E0F, kind: .random)),
      everything,
    ]
  }
}

extension ExtendedAdvertisement {
  /// Equal where the fields are; how an empty extended header was spelled does not matter.
  public static func == (left: Self, right: Self) -> Bool {
    left.header == right.header && left.mode == right.mode && left.advertiser == right.advertiser
      && left.target == right.target && left.constantToneExtension == right.constantToneExtension
      && left.dataInformation == right.dataInformation && left.auxiliaryPointer == right.auxiliaryPointer
      && left.synchronization == right.synchronization && left.transmitPower == right.transmitPower
      && left.controllerData == right.controllerData && left.data == right.data
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(header)
    hasher.combine(mode)
    hasher.combine(data)
  }
}
