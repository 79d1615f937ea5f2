import BLECore

/// How many packets of which links were worked off: a view of the octets, so that reading them allocates nothing; or one entry, which is what
/// nearly every event has.
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
  private let single: Entry?

  fileprivate init(octets: ArraySlice<UInt8>) { (self.octets, single) = (octets, nil) }

  /// At most 63 entries, which is what fits an event; those beyond are left out.
  public init(_ entries: some Collection<Entry>) {
    var writer = ByteWriter(capacity: entries.count * Self.entryLength)
    for entry in entries.prefix(63) {
      writer.append(entry.connectionHandle)
      writer.append(entry.count)
    }
    (octets, single) = (writer.octets[...], nil)
  }

  public init(_ entry: Entry) { (octets, single) = ([], entry) }

  public static func == (one: Self, other: Self) -> Bool { one.elementsEqual(other) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { single == nil ? octets.count / Self.entryLength : 1 }

  public subscript(position: Int) -> Entry {
    if let single {
      precondition(position == 0)
      return single
    }
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
    if let single {
      writer.append(single.connectionHandle)
      writer.append(single.count)
    } else {
      writer.append(contentsOf: octets)
    }
  }

  static var example: Self { Self(Entry(connectionHandle: .example, count: 3)) }
}
