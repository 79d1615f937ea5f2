import BLECore

/// How many packets of which links were worked off: a view of the octets, so that reading them allocates nothing.
public struct HCICompletedPackets: RandomAccessCollection, Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    public let connectionHandle: ConnectionHandle
    public let count: UInt16

    public init(connectionHandle: ConnectionHandle, count: UInt16) {
      self.connectionHandle = connectionHandle
      self.count = count
    }
  }

  private static let entryLength = 4
  /// Whole entries only.
  fileprivate let octets: ArraySlice<UInt8>

  fileprivate init(octets: ArraySlice<UInt8>) { self.octets = octets }

  /// At most 63 entries, which is what fits an event; those beyond are left out.
  public init(_ entries: some Collection<Entry>) {
    var writer = ByteWriter(capacity: entries.count * Self.entryLength)
    for entry in entries.prefix(63) {
      writer.append(entry.connectionHandle)
      writer.append(entry.count)
    }
    octets = writer.octets[...]
  }

  /// What nearly every event has: one entry.
  public init(_ entry: Entry) {
    var writer = ByteWriter(capacity: Self.entryLength)
    writer.append(entry.connectionHandle)
    writer.append(entry.count)
    octets = writer.octets[...]
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { octets.count / Self.entryLength }

  public subscript(position: Int) -> Entry {
    let start = octets.startIndex + position * Self.entryLength
    return Entry(
      connectionHandle: ConnectionHandle(UInt16(octets[start]) | UInt16(octets[start + 1]) << 8),
      count: UInt16(octets[start + 2]) | UInt16(octets[start + 3]) << 8)
  }
}

/// One octet of number, then handle and count of each.
extension HCICompletedPackets: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    let count = Int(try reader.uint8("Num_Handles"))
    self.init(octets: try reader.octets(count * Self.entryLength, field))
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(UInt8(clamping: count))
    writer.append(contentsOf: octets)
  }

  static var example: Self { Self(Entry(connectionHandle: .example, count: 3)) }
}
