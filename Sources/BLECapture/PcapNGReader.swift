import BLECore
import BLEWire

/// Reads pcapng files: sections of either byte order, HCI and link-layer interfaces; other blocks are skipped.
public final class PcapNGReader: CaptureReader {
  private struct Interface {
    let linkType: UInt32
    /// The resolution in seconds: `base` (ten or two) to the power of minus `exponent`.
    var base: UInt64 = 10
    var exponent: UInt8 = 6
  }

  private var source: CaptureSource
  private var isBigEndian = false
  private var interfaces: [Interface] = []

  public convenience init(_ input: any CaptureInput) {
    self.init(CaptureSource(input))
  }

  init(_ source: CaptureSource) {
    self.source = source
  }

  public func next() throws(CaptureError) -> CapturedPacket? {
    while let head = try source.next(8, "a block's head") {
      let opensSection = Array(head.prefix(4)) == PcapNGFormat.sectionHeader
      var body: [UInt8] = []
      if opensSection {
        body = try source.need(4, "a section's byte order")
        try readByteOrder(body)
      } else if interfaces.isEmpty && source.offset == 8 {
        throw CaptureError(.unknownFormat, "not a pcapng file: it does not begin with a section")
      }
      let type = number(head[...], at: 0)
      let length = Int(number(head[...], at: 4))
      guard length >= PcapNGFormat.frameLength + body.count, length <= PcapNGFormat.blockLimit, length % 4 == 0 else {
        throw source.malformed("a block of type \(type) claims \(length) octets")
      }
      body += try source.need(length - PcapNGFormat.frameLength - body.count, "a block")
      let tail = try source.need(4, "a block's end")
      guard number(tail[...], at: 0) == UInt32(length) else {
        throw source.malformed("a block claims \(length) octets at its beginning and another number at its end")
      }
      if opensSection { continue }
      if let packet = try read(type, body) { return packet }
    }
    return nil
  }

  private func readByteOrder(_ octets: [UInt8]) throws(CaptureError) {
    isBigEndian = false
    if number(octets[...], at: 0) != PcapNGFormat.byteOrderMagic {
      isBigEndian = true
      guard number(octets[...], at: 0) == PcapNGFormat.byteOrderMagic else {
        throw source.malformed("a section of unknown byte order")
      }
    }
    interfaces.removeAll()
  }

  private func read(_ type: UInt32, _ body: [UInt8]) throws(CaptureError) -> CapturedPacket? {
    switch type {
    case PcapNGFormat.interfaceDescription:
      guard body.count >= 8 else { throw source.malformed("an interface of \(body.count) octets") }
      guard interfaces.count < PcapNGFormat.interfaceLimit else { throw source.malformed("too many interfaces") }
      interfaces.append(interface(body))
      return nil
    case PcapNGFormat.enhancedPacket:
      guard body.count >= 20 else { throw source.malformed("a packet block of \(body.count) octets") }
      let included = Int(number(body[...], at: 12))
      guard included <= body.count - 20 else {
        throw source.malformed("a packet of \(included) octets in a block that has \(body.count - 20)")
      }
      let time = UInt64(number(body[...], at: 4)) << 32 | UInt64(number(body[...], at: 8))
      return try packet(
        Int(number(body[...], at: 0)), time, body[20..<(20 + included)], original: number(body[...], at: 16))
    case PcapNGFormat.simplePacket:
      guard body.count >= 4 else { throw source.malformed("a packet block of \(body.count) octets") }
      let original = number(body[...], at: 0)
      return try packet(0, 0, body[4...].prefix(Int(original)), original: original)
    default: return nil
    }
  }

  private func packet(
    _ index: Int, _ time: UInt64, _ octets: ArraySlice<UInt8>, original: UInt32
  ) throws(CaptureError) -> CapturedPacket {
    guard interfaces.indices.contains(index) else {
      throw source.malformed("a packet of interface \(index), which is not described")
    }
    let interface = interfaces[index]
    return CapturedPacket(
      timestamp: Self.timestamp(time, interface), interface: index,
      content: Self.content(octets, linkType: interface.linkType), isCut: octets.count < Int(original))
  }

  private static func content(_ octets: ArraySlice<UInt8>, linkType: UInt32) -> CapturedPacket.Content {
    switch linkType {
    case CaptureLinkType.hciH4WithDirection:
      if octets.count >= 5, let kind = HCIPacketKind(rawValue: octets[octets.startIndex + 4]) {
        let direction: CaptureDirection = octets[octets.startIndex + 3] == 0 ? .sent : .received
        return .hci(HCIPacket(kind: kind, octets: Array(octets.dropFirst(5))), direction)
      }
    case CaptureLinkType.hciH4:
      if let kind = octets.first.flatMap(HCIPacketKind.init(rawValue:)) {
        let packet = HCIPacket(kind: kind, octets: Array(octets.dropFirst()))
        return .hci(packet, kind == .event ? .received : .sent)
      }
    case CaptureLinkType.linkLayer:
      if let air = AirPacket(linkLayer: octets) { return .air(air) }
    case CaptureLinkType.linkLayerWithHeader:
      if let air = AirPacket(withHeader: octets) { return .air(air) }
    default: break
    }
    return .other(linkType: linkType, octets: Array(octets))
  }

  private static func timestamp(_ time: UInt64, _ interface: Interface) -> CaptureTimestamp {
    let perSecond = (0..<interface.exponent).reduce(1.0) { units, _ in units * Double(interface.base) }
    // A resolution of nanoseconds, the usual case, or of a larger power of ten is computed exactly.
    if interface.base == 10, interface.exponent <= 9 {
      let factor = (interface.exponent..<9).reduce(UInt64(1)) { factor, _ in factor * 10 }
      let (nanoseconds, overflow) = time.multipliedReportingOverflow(by: factor)
      return CaptureTimestamp(nanoseconds: overflow ? 0 : Int64(truncatingIfNeeded: nanoseconds))
    }
    return CaptureTimestamp(
      nanoseconds: StackDuration.fractionalSeconds(Double(time) / perSecond).nanoseconds)
  }

  private func interface(_ body: [UInt8]) -> Interface {
    var interface = Interface(linkType: UInt32(shortNumber(body[...], at: 0)))
    var options = body[8...]
    while options.count >= 4 {
      let code = shortNumber(options, at: 0)
      let length = Int(shortNumber(options, at: 2))
      guard code != PcapNGFormat.Option.end, options.count >= 4 + length else { break }
      if code == PcapNGFormat.Option.timeResolution, length == 1 {
        let value = options[options.startIndex + 4]
        interface.base = value & 0x80 == 0 ? 10 : 2
        interface.exponent = value & 0x7F
      }
      options = options.dropFirst(4 + (length + 3) / 4 * 4)
    }
    return interface
  }

  private func number(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
    let value = UInt32(octets.bigEndian(at: offset, width: 4))
    return isBigEndian ? value : value.byteSwapped
  }

  private func shortNumber(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
    let value = UInt16(octets.bigEndian(at: offset, width: 2))
    return isBigEndian ? value : value.byteSwapped
  }
}
