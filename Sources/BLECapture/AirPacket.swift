import BLECore

/// One packet on the air, as a sniffer records it.
public struct AirPacket: Equatable, Sendable {
  public enum Phy: UInt16, Sendable {
    case le1M = 0
    case le2M = 1
    case leCoded = 2
    case reserved = 3
  }

  /// The link layer's channel index, 0 to 39: 37 to 39 are the primary advertising channels.
  public var channelIndex: UInt8
  public var phy: Phy
  /// In dBm, if known.
  public var signalPower: Int8?
  public var accessAddress: UInt32
  /// Header and payload.
  public var pdu: [UInt8]
  /// The CRC as a number of 24 bits, as on the air.
  public var crc: UInt32

  /// - Parameter crcInit: the initial value of the CRC: the one in CONNECT_IND, or `AirPacket.advertisingCRCInit`.
  public init(
    channelIndex: UInt8, phy: Phy = .le1M, signalPower: Int8? = nil, accessAddress: UInt32, pdu: [UInt8],
    crcInit: UInt32 = AirPacket.advertisingCRCInit
  ) {
    self.init(
      channelIndex: channelIndex, phy: phy, signalPower: signalPower, accessAddress: accessAddress, pdu: pdu,
      crc: Self.crc(of: pdu, initialValue: crcInit))
  }

  init(
    channelIndex: UInt8, phy: Phy, signalPower: Int8?, accessAddress: UInt32, pdu: [UInt8], crc: UInt32
  ) {
    self.channelIndex = channelIndex
    self.phy = phy
    self.signalPower = signalPower
    self.accessAddress = accessAddress
    self.pdu = pdu
    self.crc = crc
  }

  /// The initial value of the CRC of packets on the advertising channels (Core, Vol 6 Part B 3.1.1).
  public static let advertisingCRCInit: UInt32 = 0x55_5555

  /// The CRC of a PDU (Core, Vol 6 Part B 3.1.1), least significant octet first on the air.
  static func crc(of pdu: [UInt8], initialValue: UInt32) -> UInt32 {
    // The register is kept mirrored: on the air each octet is sent least significant bit first, and the CRC most significant bit
    // first, so a mirrored register needs no reversal of its input or output.
    var register = mirrored(initialValue)
    for octet in pdu {
      register ^= UInt32(octet)
      for _ in 0..<8 {
        register = register & 1 == 1 ? register >> 1 ^ 0xDA_6000 : register >> 1
      }
    }
    return register
  }

  private static func mirrored(_ value: UInt32) -> UInt32 {
    var result: UInt32 = 0
    for bit in 0..<24 where value >> UInt32(bit) & 1 == 1 { result |= 1 << UInt32(23 - bit) }
    return result
  }
}

/// Link types of captures (IANA's registry of link-layer header types).
enum CaptureLinkType {
  static let hciH4 = UInt32(187)
  static let hciH4WithDirection = UInt32(201)
  static let linkLayer = UInt32(251)
  /// The Linux kernel's monitor: a number of the controller and an opcode in front.
  static let hciMonitor = UInt32(254)
  static let linkLayerWithHeader = UInt32(256)
  static let all = [hciH4, hciH4WithDirection, linkLayer, hciMonitor, linkLayerWithHeader]
}

/// The layout of an air packet in a capture (LINKTYPE_BLUETOOTH_LE_LL and ..._WITH_PHDR).
extension AirPacket {
  private enum Flags {
    static let dewhitened: UInt16 = 0x0001
    static let signalPowerValid: UInt16 = 0x0002
    static let referenceAddressValid: UInt16 = 0x0010
    static let phyShift = UInt16(14)
  }

  /// With the header that has channel, power and PHY.
  func encode(into writer: inout ByteWriter) {
    writer.append(Self.radioChannel(channelIndex))
    writer.append(signalPower ?? 0)
    writer.append(Int8(0))
    writer.append(UInt8(0))
    writer.append(accessAddress)
    let power = signalPower == nil ? 0 : Flags.signalPowerValid
    writer.append(Flags.dewhitened | Flags.referenceAddressValid | power | phy.rawValue << Flags.phyShift)
    writer.append(accessAddress)
    if phy == .leCoded { writer.append(UInt8(0)) }
    writer.append(contentsOf: pdu)
    writer.append(uint24: crc)
  }

  /// `nil` if the octets are shorter than a PDU's header.
  init?(withHeader octets: ArraySlice<UInt8>) {
    var reader = ByteReader(octets, layer: "capture")
    guard let channel = try? reader.uint8("RF channel"), let power = try? reader.int8("signal power"),
      (try? reader.skip(6, "noise, offences, reference")) != nil, let flags = try? reader.uint16("flags")
    else { return nil }
    let phy = Phy(rawValue: flags >> Flags.phyShift) ?? .reserved
    self.init(
      linkLayer: reader.rest(), channelIndex: Self.channelIndex(channel), phy: phy,
      signalPower: flags & Flags.signalPowerValid == 0 ? nil : power)
  }

  /// From access address, PDU and CRC alone; `nil` if there are fewer octets.
  init?(linkLayer octets: ArraySlice<UInt8>, channelIndex: UInt8 = 37, phy: Phy = .le1M, signalPower: Int8? = nil) {
    var reader = ByteReader(octets, layer: "capture")
    guard let accessAddress = try? reader.uint32("access address"),
      phy != .leCoded || (try? reader.uint8("coding indicator")) != nil,
      let pdu = try? reader.octets(reader.remaining - 3, "PDU"), let crc = try? reader.uint24("CRC")
    else { return nil }
    self.init(
      channelIndex: channelIndex, phy: phy, signalPower: signalPower, accessAddress: accessAddress,
      pdu: Array(pdu), crc: crc)
  }

  /// A capture's header numbers channels by frequency; the link layer numbers the advertising channels last.
  private static func radioChannel(_ index: UInt8) -> UInt8 {
    switch index {
    case 37: 0
    case 38: 12
    case 39: 39
    case 0...10: index + 1
    default: Swift.min(index, 36) + 2
    }
  }

  private static func channelIndex(_ radioChannel: UInt8) -> UInt8 {
    switch radioChannel {
    case 0: 37
    case 12: 38
    case 39...: 39
    case 1...11: radioChannel - 1
    default: radioChannel - 2
    }
  }
}
