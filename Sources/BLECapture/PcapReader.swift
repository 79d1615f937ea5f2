import BLECore

/// The layout of pcap files (draft-ietf-opsawg-pcap): a header of 24 octets, then records with headers of 16.
enum PcapFormat {
  static let headerLength = 24
  static let recordHeaderLength = 16
  /// The second number of a record's time counts microseconds.
  static let microseconds: UInt32 = 0xA1B2_C3D4
  /// The second number of a record's time counts nanoseconds.
  static let nanoseconds: UInt32 = 0xA1B2_3C4D
  static let majorVersion: UInt16 = 2
  /// The link type; the upper half of its field is about check sequences.
  static let linkTypeMask: UInt32 = 0xFFFF

  /// What the first four octets say of the rest; `nil` if the file is no pcap file.
  static func kind(_ magic: [UInt8]) -> (order: CaptureByteOrder, isNanoseconds: Bool)? {
    guard magic.count >= 4 else { return nil }
    for order in [CaptureByteOrder.big, .little] {
      switch order.uint32(magic[...], at: 0) {
      case microseconds: return (order, false)
      case nanoseconds: return (order, true)
      default: continue
      }
    }
    return nil
  }
}

/// Reads classic pcap files of either byte order, with times in microseconds or nanoseconds: HCI (H4 with and without a direction, the
/// Linux monitor) and the link layer.
public final class PcapReader: CaptureReader {
  private var source: CaptureSource
  private let order: CaptureByteOrder
  private let unitsPerSecond: UInt32
  private var decoder: LinkTypeDecoder

  public convenience init(_ input: any CaptureInput) throws(CaptureError) {
    try self.init(CaptureSource(input))
  }

  init(_ source: CaptureSource) throws(CaptureError) {
    var source = source
    let header = try source.need(PcapFormat.headerLength, "the pcap header")
    guard let kind = PcapFormat.kind(header) else {
      throw CaptureError(.unknownFormat, "not a pcap file: the magic number is missing")
    }
    order = kind.order
    unitsPerSecond = kind.isNanoseconds ? 1_000_000_000 : 1_000_000
    let version = order.uint16(header[...], at: 4)
    guard version == PcapFormat.majorVersion else {
      throw CaptureError(.unknownFormat, "pcap version \(version), only 2 is known")
    }
    decoder = LinkTypeDecoder(order.uint32(header[...], at: 20) & PcapFormat.linkTypeMask)
    guard decoder.isKnown else {
      let known = CaptureLinkType.all.map(String.init).joined(separator: ", ")
      throw CaptureError(
        .unknownFormat, "pcap with link type \(decoder.linkType), which is not Bluetooth: only \(known) are known")
    }
    self.source = source
  }

  public func next() throws(CaptureError) -> CapturedPacket? {
    guard let header = try source.next(PcapFormat.recordHeaderLength, "a record's header") else { return nil }
    let seconds = order.uint32(header[...], at: 0)
    let fraction = order.uint32(header[...], at: 4)
    let included = order.uint32(header[...], at: 8)
    let original = order.uint32(header[...], at: 12)
    guard included <= original, included <= CaptureSource.recordLimit else {
      throw source.malformed("a record claims to hold \(included) of \(original) octets")
    }
    guard fraction < unitsPerSecond else {
      throw source.malformed("a record's time has \(fraction) units behind the second, of \(unitsPerSecond)")
    }
    let octets = try source.need(Int(included), "a record's data")
    let nanoseconds = Int64(seconds) * 1_000_000_000 + Int64(fraction) * Int64(1_000_000_000 / unitsPerSecond)
    let (content, controller) = decoder.decode(octets[...])
    return CapturedPacket(
      timestamp: CaptureTimestamp(nanoseconds: nanoseconds), interface: controller, content: content,
      isCut: included < original)
  }
}
