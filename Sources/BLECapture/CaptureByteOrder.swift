/// The order of the octets of a file's numbers.
enum CaptureByteOrder {
  /// Most significant octet first.
  case big
  /// Least significant octet first.
  case little

  /// The number of four octets at `offset` from the start; the caller has checked the length.
  func uint32(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
    let value = UInt32(truncatingIfNeeded: octets.bigEndian(at: offset, width: 4))
    return self == .big ? value : value.byteSwapped
  }

  /// The number of two octets at `offset` from the start; the caller has checked the length.
  func uint16(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
    let value = UInt16(truncatingIfNeeded: octets.bigEndian(at: offset, width: 2))
    return self == .big ? value : value.byteSwapped
  }
}
