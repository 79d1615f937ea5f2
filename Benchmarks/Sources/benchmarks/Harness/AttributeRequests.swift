/// Counts in a capture what a device's host asked by the Attribute Protocol.
///
/// A pcapng file in little-endian order whose packets have a four-octet direction and then the octets of H4.
enum AttributeRequests {
  private static let enhancedPacketBlock = 6
  private static let channel = 4
  /// Every request of the protocol (Core, Vol 3 Part F 3.4.8).
  private static let opcodes: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]

  /// - Parameter interface: the number of the device, in the order in which they were made.
  static func count(in capture: [UInt8], by interface: Int) -> Int {
    var requests = 0
    var offset = 0
    while offset + 12 <= capture.count {
      let length = word(capture, offset + 4)
      guard length >= 12, offset + length <= capture.count else { break }
      if word(capture, offset) == enhancedPacketBlock, length >= 32, word(capture, offset + 8) == interface {
        let captured = min(word(capture, offset + 20), length - 32)
        if isRequest(capture[(offset + 28)..<(offset + 28 + captured)]) { requests += 1 }
      }
      offset += length
    }
    return requests
  }

  private static func isRequest(_ packet: ArraySlice<UInt8>) -> Bool {
    let octets = Array(packet)
    // Sent by the host; ACL data; the first fragment of a frame; long enough for an opcode.
    guard octets.count >= 14, octets[3] & 1 == 0, octets[4] == 0x02, octets[6] & 0x30 != 0x10 else { return false }
    return Int(octets[11]) | Int(octets[12]) << 8 == channel && opcodes.contains(octets[13])
  }

  private static func word(_ octets: [UInt8], _ offset: Int) -> Int {
    Int(octets[offset]) | Int(octets[offset + 1]) << 8 | Int(octets[offset + 2]) << 16 | Int(octets[offset + 3]) << 24
  }
}
