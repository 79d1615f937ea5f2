import BLECore

extension ByteReader {
  /// One octet of length and always 31 octets, of which the first `length` count (Core, Vol 4 Part E 7.8.7).
  mutating func legacyAdvertisingData() throws(DecodeError) -> ArraySlice<UInt8> {
    let start = self
    let length = Int(try uint8("Advertising_Data_Length"))
    guard length <= legacyAdvertisingDataLimit else {
      throw start.failure("Advertising_Data_Length", .invalid("at most \(legacyAdvertisingDataLimit), not \(length)"))
    }
    return try octets(legacyAdvertisingDataLimit, "Advertising_Data").prefix(length)
  }
}

extension ByteWriter {
  /// What is beyond 31 octets is left out.
  mutating func append(legacyAdvertisingData data: ArraySlice<UInt8>) {
    append(UInt8(min(data.count, legacyAdvertisingDataLimit)))
    append(contentsOf: data, paddedTo: legacyAdvertisingDataLimit)
  }
}

/// How many octets of data a legacy advertisement or scan response can carry (Core, Vol 6 Part B 2.3.1).
public let legacyAdvertisingDataLimit = 31
