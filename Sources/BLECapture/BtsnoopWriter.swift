import BLECore
import BLEWire

/// The layout of btsnoop files: a header of 16 octets, then records with headers of 24, most significant octet first (as in RFC
/// 1761, with other link types and another epoch).
enum BtsnoopFormat {
  static let magic: [UInt8] = Array("btsnoop\0".utf8)
  static let version: UInt32 = 1
  static let headerLength = 16
  static let recordHeaderLength = 24
  /// The microseconds from the beginning of the year 0 to the beginning of 1970.
  static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

  enum DataLink {
    /// HCI without H4's indicator: the flags give the type.
    static let hci: UInt32 = 1001
    static let h4: UInt32 = 1002
    /// The format of the Linux kernel's monitor: index and opcode in the flags.
    static let monitor: UInt32 = 2001
  }

  enum Flags {
    static let received: UInt32 = 0x01
    static let commandOrEvent: UInt32 = 0x02
  }
}

/// Writes btsnoop with H4 packets, as Wireshark, btmon and Android read it. HCI packets only; air packets are left out.
public final class BtsnoopWriter: CaptureWriter {
  private let output: any CaptureOutput
  public private(set) var failure: CaptureError?
  public private(set) var packetCount = 0

  public init(_ output: any CaptureOutput) {
    self.output = output
    var header = BtsnoopFormat.magic
    header.append(BtsnoopFormat.version)
    header.append(BtsnoopFormat.DataLink.h4)
    append(header)
  }

  public func write(_ packet: CapturedPacket) {
    guard failure == nil, case .hci(let hci, let direction) = packet.content else { return }
    var flags = direction == .received ? BtsnoopFormat.Flags.received : 0
    if hci.kind == .command || hci.kind == .event { flags |= BtsnoopFormat.Flags.commandOrEvent }
    let length = UInt32(truncatingIfNeeded: hci.octets.count + 1)
    var record: [UInt8] = []
    record.reserveCapacity(BtsnoopFormat.recordHeaderLength + Int(length))
    record.append(length)
    record.append(length)
    record.append(flags)
    record.append(UInt32(0))
    let time = UInt64(bitPattern: packet.timestamp.nanoseconds / 1_000 &+ BtsnoopFormat.epoch)
    record.append(UInt32(truncatingIfNeeded: time >> 32))
    record.append(UInt32(truncatingIfNeeded: time))
    record.append(hci.kind.rawValue)
    record.append(contentsOf: hci.octets)
    append(record)
    packetCount += 1
  }

  public func flush() {
    do { try output.flush() } catch { failure = failure ?? error }
  }

  private func append(_ octets: [UInt8]) {
    do { try output.append(octets) } catch { failure = failure ?? error }
  }
}

extension [UInt8] {
  /// Appends four octets, most significant first.
  fileprivate mutating func append(_ value: UInt32) {
    for shift: UInt32 in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
