import BLECore

/// How many octets of data a legacy advertisement or scan response can carry (Core, Vol 6 Part B 2.3.1).
public let legacyAdvertisingDataLimit = 31

extension WireForm where Value == ArraySlice<UInt8> {
  /// One octet of length and always 31 octets, of which the first `length` count (Core, Vol 4 Part E 7.8.7). What is
  /// beyond 31 octets is left out when written.
  static func legacyAdvertisingData(by lengthField: StaticString) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in
        let start = reader
        let length = Int(try reader.uint8(lengthField))
        guard length <= legacyAdvertisingDataLimit else {
          throw start.failure(lengthField, .invalid("at most \(legacyAdvertisingDataLimit), not \(length)"))
        }
        return try reader.octets(legacyAdvertisingDataLimit, field).prefix(length)
      },
      write: { value, writer in
        writer.append(UInt8(min(value.count, legacyAdvertisingDataLimit)))
        writer.append(contentsOf: value, paddedTo: legacyAdvertisingDataLimit)
      }, examples: [[0x02, 0x01, 0x06], []])
  }
}
