import BLECore
import BLEWire

/// Writes captures packet by packet, at a cost that a stack's loop can afford. Not to be shared between threads.
///
/// A packet that cannot be written ends the capture, not the stack: `failure` has the reason, and further packets are dropped.
public protocol CaptureWriter: AnyObject {
  /// The error that ended the capture; `nil` while it runs.
  var failure: CaptureError? { get }
  /// The number of packets written.
  var packetCount: Int { get }
  func write(_ packet: CapturedPacket)
  /// Writes everything to the file.
  func flush()
}

extension CaptureWriter {
  public func write(_ packet: HCIPacket, _ direction: CaptureDirection, at timestamp: CaptureTimestamp) {
    write(CapturedPacket(timestamp: timestamp, content: .hci(packet, direction)))
  }
}

/// Makes readers and writers of capture files.
public enum CaptureFiles {
  /// A writer for `path`: pcapng if the path ends with `.pcapng`, otherwise btsnoop.
  public static func writer(path: String) throws(CaptureError) -> any CaptureWriter {
    let output = try CaptureFileOutput(path: path)
    if path.hasSuffix(".pcapng") {
      let writer = PcapNGWriter(output)
      writer.addInterface(.hci, name: "host")
      return writer
    }
    return BtsnoopWriter(output)
  }

  /// A reader for the file at `path`, in any of the known formats.
  public static func reader(path: String) throws(CaptureError) -> any CaptureReader {
    try reader(CaptureFileInput(path: path), named: path)
  }

  /// A reader for `input`, in any of the known formats.
  public static func reader(
    _ input: any CaptureInput, named name: String = "capture"
  ) throws(CaptureError) -> any CaptureReader {
    let head = try input.read(PacketLoggerFormat.headLength)
    let source = CaptureSource(input, held: head)
    if head.starts(with: BtsnoopFormat.magic.prefix(4)) { return try BtsnoopReader(source) }
    if head.starts(with: PcapNGFormat.sectionHeader) { return PcapNGReader(source) }
    if PcapFormat.kind(head) != nil { return try PcapReader(source) }
    // The last, because these files have no magic number.
    if let order = PacketLoggerFormat.order(of: head) { return PacketLoggerReader(source, order) }
    throw CaptureError(.unknownFormat, "\(name): neither a btsnoop nor a pcapng, pcap or PacketLogger file")
  }
}

/// Reads a capture packet by packet, in bounded memory.
public protocol CaptureReader: AnyObject {
  /// The next packet; `nil` at the end.
  func next() throws(CaptureError) -> CapturedPacket?
  /// The names that the file has given to interfaces so far, by `CapturedPacket.interface`.
  var interfaceNames: [Int: String] { get }
}

extension CaptureReader {
  /// Most formats have no names.
  public var interfaceNames: [Int: String] { [:] }
}
