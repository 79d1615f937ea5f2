/// Builds the octets of one packet, little-endian as all of Bluetooth on the air.
///
/// `headroom` octets at the front are reserved for the headers of the layers below, so that a packet is allocated only once: each
/// layer stores its header there by `store(_:at:)`.
public struct ByteWriter {
  public private(set) var octets: [UInt8]

  public init(headroom: Int = 0, capacity: Int = 32) { self.init(headroom: headroom, capacity: capacity, in: []) }

  /// Writes into the memory of `room` if nothing else refers to that and it is long enough; what `room` contains is overwritten.
  public init(headroom: Int = 0, capacity: Int, in room: consuming [UInt8]) {
    octets = consume room
    if !octets.isEmpty {
      let place = octets.withUnsafeBytes { $0.baseAddress }
      octets.removeAll(keepingCapacity: true)
      // Something has kept `room`. What has been made in its place is as long as that, which may be many times what is written: a log of packets
      // would be as large as if all were as long as the longest.
      if octets.withUnsafeBytes({ $0.baseAddress }) != place { octets = [] }
    }
    octets.reserveCapacity(headroom + capacity)
    for _ in 0..<headroom { octets.append(0) }
  }

  public var count: Int { octets.count }

  /// The octets, of which this writer keeps no reference: who receives them changes them without a copy.
  public consuming func takeOctets() -> [UInt8] { octets }

  public mutating func append(_ value: UInt8) { octets.append(value) }
  public mutating func append(_ value: Int8) { octets.append(UInt8(bitPattern: value)) }

  public mutating func append(_ value: UInt16) {
    octets.append(UInt8(truncatingIfNeeded: value))
    octets.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  public mutating func append(_ value: UInt32) { append(UInt64(value), width: 4) }
  public mutating func append(_ value: UInt64) { append(value, width: 8) }
  public mutating func append(uint24 value: UInt32) { append(UInt64(value), width: 3) }

  /// Appends the `width` least significant octets of `value`.
  public mutating func append(_ value: UInt64, width: Int) {
    for index in 0..<width {
      octets.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
    }
  }

  public mutating func append(contentsOf other: some Collection<UInt8>) {
    octets.append(contentsOf: other)
  }

  /// Appends `other`, truncated or padded with zeros to exactly `width` octets.
  public mutating func append(contentsOf other: some Collection<UInt8>, paddedTo width: Int) {
    octets.append(contentsOf: other.prefix(width))
    for _ in 0..<Swift.max(0, width - other.count) { octets.append(0) }
  }

  /// Overwrites two existing octets: a length that is known only afterwards, or a header in the headroom.
  public mutating func store(_ value: UInt16, at offset: Int) {
    octets[offset] = UInt8(truncatingIfNeeded: value)
    octets[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  public mutating func store(_ value: UInt8, at offset: Int) { octets[offset] = value }
}
