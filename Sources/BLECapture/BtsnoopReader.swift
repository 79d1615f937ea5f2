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
    guard included <= original, included <= CaptureSource.recordLimit else {
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
    let content: CapturedPacket.Content?
    switch dataLink {
    case BtsnoopFormat.DataLink.h4:
      content = octets.first.flatMap(HCIPacketKind.init(rawValue:)).map {
        .hci(HCIPacket(kind: $0, octets: Array(octets.dropFirst())), isReceived ? .received : .sent)
      }
    case BtsnoopFormat.DataLink.hci:
      let isControl = flags & BtsnoopFormat.Flags.commandOrEvent != 0
      let kind: HCIPacketKind = isControl ? isReceived ? .event : .command : .aclData
      content = .hci(HCIPacket(kind: kind, octets: octets), isReceived ? .received : .sent)
    default:
      content = LinuxMonitor.content(opcode: UInt16(truncatingIfNeeded: flags), octets[...])
    }
    return content ?? .other(linkType: dataLink, octets: octets)
  }
}
