import BLECore
import BLEWire

/// Reads pcapng files: sections of either byte order, HCI and link-layer interfaces; other blocks are skipped.
public final class PcapNGReader: CaptureReader {
  private struct Interface {
    var decoder: LinkTypeDecoder
    /// The resolution in seconds: `base` (ten or two) to the power of minus `exponent`.
    var base: UInt64 = 10
    var exponent: UInt8 = 6
  }

  private var source: CaptureSource
  private var order = CaptureByteOrder.little
  private var interfaces: [Interface] = []
  public private(set) var interfaceNames: [Int: String] = [:]
  /// The limits for the octets of a name and for the number of names.
  private static let nameLengthLimit = 64
  private static let nameLimit = 1_024

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
      let type = order.uint32(head[...], at: 0)
      let length = Int(order.uint32(head[...], at: 4))
      guard length >= PcapNGFormat.frameLength + body.count, length <= PcapNGFormat.blockLimit, length % 4 == 0 else {
        throw source.malformed("a block of type \(type) claims \(length) octets")
      }
      body += try source.need(length - PcapNGFormat.frameLength - body.count, "a block")
      let tail = try source.need(4, "a block's end")
      guard order.uint32(tail[...], at: 0) == UInt32(length) else {
        throw source.malformed("a block claims \(length) octets at its beginning and another number at its end")
      }
      if opensSection { continue }
      if let packet = try read(type, body) { return packet }
    }
    return nil
  }

  private func readByteOrder(_ octets: [UInt8]) throws(CaptureError) {
    let orders = [CaptureByteOrder.little, .big]
    guard let order = orders.first(where: { $0.uint32(octets[...], at: 0) == PcapNGFormat.byteOrderMagic }) else {
      throw source.malformed("a section of unknown byte order")
    }
    self.order = order
    interfaces.removeAll()
    interfaceNames.removeAll()
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
      let included = Int(order.uint32(body[...], at: 12))
      guard included <= body.count - 20 else {
        throw source.malformed("a packet of \(included) octets in a block that has \(body.count - 20)")
      }
      let time = UInt64(order.uint32(body[...], at: 4)) << 32 | UInt64(order.uint32(body[...], at: 8))
      return try packet(
        Int(order.uint32(body[...], at: 0)), time, body[20..<(20 + included)], original: order.uint32(body[...], at: 16)
      )
    case PcapNGFormat.simplePacket:
      guard body.count >= 4 else { throw source.malformed("a packet block of \(body.count) octets") }
      let original = order.uint32(body[...], at: 0)
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
    let (content, controller) = interfaces[index].decoder.decode(octets)
    // The links of two controllers of one interface, and of two interfaces, must not be taken for each other.
    return CapturedPacket(
      timestamp: Self.timestamp(time, interfaces[index]),
      interface: interfaces[index].decoder.linkType == CaptureLinkType.hciMonitor ? index << 16 | controller : index,
      content: content, isCut: octets.count < Int(original))
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
    var interface = Interface(decoder: LinkTypeDecoder(UInt32(order.uint16(body[...], at: 0))))
    var options = body[8...]
    while options.count >= 4 {
      let code = order.uint16(options, at: 0)
      let length = Int(order.uint16(options, at: 2))
      guard code != PcapNGFormat.Option.end, options.count >= 4 + length else { break }
      if code == PcapNGFormat.Option.interfaceName, length > 0, interfaceNames.count < Self.nameLimit {
        let text = options.dropFirst(4).prefix(min(length, Self.nameLengthLimit))
        // The interface is about to get the next number.
        interfaceNames[interfaces.count] = String(decoding: text, as: UTF8.self)
      }
      if code == PcapNGFormat.Option.timeResolution, length == 1 {
        let value = options[options.startIndex + 4]
        interface.base = value & 0x80 == 0 ? 10 : 2
        interface.exponent = value & 0x7F
      }
      options = options.dropFirst(4 + (length + 3) / 4 * 4)
    }
    return interface
  }
}
