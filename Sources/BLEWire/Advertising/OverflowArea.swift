import BLECore

/// Services that an Apple device advertises only to scanners that look for them: 128 bits in Apple's manufacturer data, one of which is set
/// for each service.
///
/// The place and the form are Apple's, observed on the air. Apple has not published which bit belongs to which service; the rule here is
/// this project's own, so overflow areas work between its own devices only. Several services share a bit: a match means "perhaps".
public struct OverflowArea: Hashable, Sendable {
  /// Apple, Inc.
  public static let companyIdentifier: UInt16 = 0x004C
  /// Marks the overflow area in Apple's data.
  public static let kind: UInt8 = 0x01
  /// Octets that the area takes up in an advertisement, with length, type and company.
  public static let structureOctetCount = 21

  private var first: UInt64
  private var second: UInt64

  public init(_ uuids: some Sequence<BLEUUID> = EmptyCollection()) {
    first = 0
    second = 0
    for uuid in uuids { insert(uuid) }
  }

  /// `nil` where the data is not Apple's or no overflow area.
  public init?(_ manufacturer: ManufacturerData) {
    guard manufacturer.companyIdentifier == Self.companyIdentifier, manufacturer.data.first == Self.kind,
      manufacturer.data.count >= 17
    else { return nil }
    var reader = ByteReader(manufacturer.data.dropFirst(), layer: "advertising data")
    guard let first = try? reader.uint64("bits"), let second = try? reader.uint64("bits") else { return nil }
    self.first = first
    self.second = second
  }

  public var isEmpty: Bool { first == 0 && second == 0 }

  public mutating func insert(_ uuid: BLEUUID) {
    let bit = Self.bit(of: uuid)
    if bit < 64 { first |= 1 << UInt64(bit) } else { second |= 1 << UInt64(bit - 64) }
  }

  /// False: the service is not advertised. True: it may be.
  public func mayContain(_ uuid: BLEUUID) -> Bool {
    let bit = Self.bit(of: uuid)
    return (bit < 64 ? first >> UInt64(bit) : second >> UInt64(bit - 64)) & 1 == 1
  }

  /// The manufacturer data that carries the area.
  public var manufacturerData: ManufacturerData {
    var writer = ByteWriter(capacity: 17)
    writer.append(Self.kind)
    writer.append(first)
    writer.append(second)
    return ManufacturerData(companyIdentifier: Self.companyIdentifier, data: writer.octets[...])
  }

  /// The octets of the 128-bit value folded into one and cut to seven bits: UUIDs counted up one by one share no bit.
  private static func bit(of uuid: BLEUUID) -> Int {
    var folded = uuid.high ^ uuid.low
    folded ^= folded >> 32
    folded ^= folded >> 16
    folded ^= folded >> 8
    return Int(folded & 0x7F)
  }
}
