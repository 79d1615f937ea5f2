import BLECore
import BLEWire

/// Reads btsnoop files of the three common kinds: H4 (Android, this project), HCI without indicators, and the Linux monitor's (`btmon -w`).
public final class BtsnoopReader: CaptureReader {
  private var source: CaptureSource
  private let dataLink: UInt32

  public convenience init(_ input: any CaptureInput) throws(CaptureError) {
    try self.init(CaptureSource(input))
  }

  init(_ source: CaptureSource) throws(CaptureError) {
    var source = source
    let header = try source.need(BtsnoopFormat.headerLength, "the btsnoop header")
    guard header.starts(with: BtsnoopFormat.magic) else {
      throw CaptureError(.unknownFormat, "not a btsnoop file: the identification pattern is missing")
    }
    let version = header[...].bigEndian(at: 8, width: 4)
    guard version == BtsnoopFormat.version else {
      throw CaptureError(.unknownFormat, "btsnoop version \(version), only 1 is known")
    }
    dataLink = UInt32(header[...].bigEndian(at: 12, width: 4))
    typealias DataLink = BtsnoopFormat.DataLink
    guard [DataLink.hci, DataLink.h4, DataLink.monitor].contains(dataLink) else {
      throw CaptureError(.unknownFormat, "btsnoop with link type \(dataLink), only 1001, 1002 and 2001 are known")
    }
    self.source = source
  }

  public func next() throws(CaptureError) -> CapturedPacket? {
    guard let header = try source.next(BtsnoopFormat.recordHeaderLength, "a record's header") else { return nil }
    let original = header[...].bigEndian(at: 0, width: 4)
    let included = header[...].bigEndian(at: 4, width: 4)
    guard included <= original, included <= BtsnoopFormat.recordLimit else {
      throw source.malformed("a record claims to hold \(included) of \(original) octets")
    }
    let octets = try source.need(Int(included), "a record's data")
    let flags = UInt32(header[...].bigEndian(at: 8, width: 4))
    let time = Int64(bitPattern: header[...].bigEndian(at: 16, width: 8)) &- BtsnoopFormat.epoch
    let (nanoseconds, overflow) = time.multipliedReportingOverflow(by: 1_000)
    return CapturedPacket(
      timestamp: CaptureTimestamp(nanoseconds: overflow ? 0 : nanoseconds),
      interface: dataLink == BtsnoopFormat.DataLink.monitor ? Int(flags >> 16) : 0,
      content: content(octets, flags: flags), isCut: included < original)
  }

  private func content(_ octets: [UInt8], flags: UInt32) -> CapturedPacket.Content {
    let isReceived = flags & BtsnoopFormat.Flags.received != 0
    let known: (kind: HCIPacketKind, direction: CaptureDirection, octets: [UInt8])?
    switch dataLink {
    case BtsnoopFormat.DataLink.h4:
      known = octets.first.flatMap(HCIPacketKind.init(rawValue:)).map {
        ($0, isReceived ? .received : .sent, Array(octets.dropFirst()))
      }
    case BtsnoopFormat.DataLink.hci:
      let isControl = flags & BtsnoopFormat.Flags.commandOrEvent != 0
      known = (isControl ? isReceived ? .event : .command : .aclData, isReceived ? .received : .sent, octets)
    default:
      known = Self.monitorKinds[UInt16(truncatingIfNeeded: flags)].map { ($0.0, $0.1, octets) }
    }
    guard let known else { return .other(linkType: dataLink, octets: octets) }
    return .hci(HCIPacket(kind: known.kind, octets: known.octets), known.direction)
  }

  /// The monitor's opcodes for HCI packets.
  private static let monitorKinds: [UInt16: (HCIPacketKind, CaptureDirection)] = [
    2: (.command, .sent), 3: (.event, .received), 4: (.aclData, .sent), 5: (.aclData, .received),
    6: (.synchronousData, .sent), 7: (.synchronousData, .received), 18: (.isochronousData, .sent),
    19: (.isochronousData, .received),
  ]
}
