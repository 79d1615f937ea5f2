import BLECore
import BLEWire

/// The layout of pcapng files: blocks with their length at the beginning and at the end.
enum PcapNGFormat {
  static let sectionHeader: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
  static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
  static let interfaceDescription: UInt32 = 1
  static let simplePacket: UInt32 = 3
  static let enhancedPacket: UInt32 = 6
  /// Block type, length, and length again.
  static let frameLength = 12
  /// The maximum length of a block that is read.
  static let blockLimit = 1 << 20
  /// The maximum number of interfaces of one section.
  static let interfaceLimit = 1 << 16

  enum Option {
    static let end: UInt16 = 0
    static let interfaceName: UInt16 = 2
    static let timeResolution: UInt16 = 9
    static let flags: UInt16 = 2
  }
}

/// Writes pcapng: several controllers, and the air, in one file for Wireshark.
public final class PcapNGWriter: CaptureWriter {
  /// The kind of packets of an interface.
  public enum Source: Sendable {
    case hci
    case air
    var linkType: UInt32 {
      switch self {
      case .hci: CaptureLinkType.hciH4WithDirection
      case .air: CaptureLinkType.linkLayerWithHeader
      }
    }
  }

  private let output: any CaptureOutput
  private var interfaces: [Source] = []
  public private(set) var failure: CaptureError?
  public private(set) var packetCount = 0

  public init(_ output: any CaptureOutput) {
    self.output = output
    var body = ByteWriter()
    body.append(PcapNGFormat.byteOrderMagic)
    body.append(UInt16(1))
    body.append(UInt16(0))
    body.append(UInt64.max)
    appendBlock(0x0A0D_0D0A, body)
  }

  /// Adds an interface for later packets; its number is `CapturedPacket.interface`.
  @discardableResult
  public func addInterface(_ source: Source, name: String) -> Int {
    var body = ByteWriter()
    body.append(UInt16(truncatingIfNeeded: source.linkType))
    body.append(UInt16(0))
    body.append(UInt32(0))
    Self.appendOption(PcapNGFormat.Option.interfaceName, Array(name.utf8.prefix(256)), to: &body)
    // Nanoseconds: ten to the power of minus nine.
    Self.appendOption(PcapNGFormat.Option.timeResolution, [9], to: &body)
    Self.appendOption(PcapNGFormat.Option.end, [], to: &body)
    appendBlock(PcapNGFormat.interfaceDescription, body)
    interfaces.append(source)
    return interfaces.count - 1
  }

  /// Omits a packet of an interface that was not added, or of another kind than its interface.
  public func write(_ packet: CapturedPacket) {
    guard failure == nil, interfaces.indices.contains(packet.interface) else { return }
    var data = ByteWriter(capacity: 300)
    var flags: UInt32 = 0
    switch (packet.content, interfaces[packet.interface]) {
    case (.hci(let hci, let direction), .hci):
      data.append(contentsOf: [0, 0, 0, direction.rawValue, hci.kind.rawValue])
      data.append(contentsOf: hci.octets)
      flags = direction == .received ? 1 : 2
    case (.air(let air), .air): air.encode(into: &data)
    default: return
    }
    let time = UInt64(bitPattern: packet.timestamp.nanoseconds)
    var body = ByteWriter(capacity: data.count + 48)
    body.append(UInt32(truncatingIfNeeded: packet.interface))
    body.append(UInt32(truncatingIfNeeded: time >> 32))
    body.append(UInt32(truncatingIfNeeded: time))
    body.append(UInt32(truncatingIfNeeded: data.count))
    body.append(UInt32(truncatingIfNeeded: data.count))
    body.append(contentsOf: data.octets)
    Self.pad(&body)
    if flags != 0 {
      var octets = ByteWriter()
      octets.append(flags)
      Self.appendOption(PcapNGFormat.Option.flags, octets.octets, to: &body)
      Self.appendOption(PcapNGFormat.Option.end, [], to: &body)
    }
    appendBlock(PcapNGFormat.enhancedPacket, body)
    packetCount += 1
  }

  public func flush() {
    do { try output.flush() } catch { failure = failure ?? error }
  }

  private func appendBlock(_ type: UInt32, _ body: ByteWriter) {
    let length = UInt32(truncatingIfNeeded: body.count + PcapNGFormat.frameLength)
    var block = ByteWriter(capacity: Int(length))
    block.append(type)
    block.append(length)
    block.append(contentsOf: body.octets)
    block.append(length)
    do { try output.append(block.octets) } catch { failure = failure ?? error }
  }

  private static func appendOption(_ code: UInt16, _ value: [UInt8], to body: inout ByteWriter) {
    body.append(code)
    body.append(UInt16(truncatingIfNeeded: value.count))
    body.append(contentsOf: value)
    pad(&body)
  }

  private static func pad(_ body: inout ByteWriter) {
    while body.count % 4 != 0 { body.append(UInt8(0)) }
  }
}
