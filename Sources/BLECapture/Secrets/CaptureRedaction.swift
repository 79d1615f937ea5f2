import BLECore
public import BLEWire

/// Removes secrets from HCI packets, so that a capture can be shown to others: long-term keys, identity and signature keys,
/// shared secrets, and the random numbers from which short-term keys could be computed. Lengths are unchanged; secrets are
/// replaced by zeros.
///
/// Pass it the packets of one controller in order. Addresses, names and values of attributes are not considered secret and remain.
public struct CaptureRedaction {
  private struct Way: Hashable {
    let handle: UInt16
    let direction: CaptureDirection
  }

  /// The directions of links with an incomplete Security Manager frame: its remaining pieces are redacted completely.
  private var begun: Set<Way> = []
  private static let limit = 4_096

  public init() {}

  public mutating func redacted(_ packet: HCIPacket, _ direction: CaptureDirection) -> HCIPacket {
    var octets = packet.octets
    for range in secrets(packet, direction) {
      for index in range.clamped(to: 0..<octets.count) { octets[index] = 0 }
    }
    return HCIPacket(kind: packet.kind, octets: octets)
  }

  private mutating func secrets(_ packet: HCIPacket, _ direction: CaptureDirection) -> [Range<Int>] {
    switch packet.kind {
    case .command:
      guard packet.octets.count >= 3 else { return [] }
      return Self.secrets(ofCommand: HCIOpcode(UInt16(packet.octets[0]) | UInt16(packet.octets[1]) << 8))
    case .event: return Self.secrets(ofEvent: packet.octets)
    case .aclData: return secrets(ofData: packet.octets, direction)
    default: return []
    }
  }

  /// Behind opcode and length.
  private static func secrets(ofCommand opcode: HCIOpcode) -> [Range<Int>] {
    switch opcode {
    case LEEncrypt.opcode: [3..<35]
    case LEEnableEncryption.opcode: [15..<31]
    case LELongTermKeyRequestReply.opcode: [5..<21]
    case LEAddDeviceToResolvingList.opcode: [10..<42]
    default: []
    }
  }

  private static func secrets(ofEvent octets: [UInt8]) -> [Range<Int>] {
    guard octets.count >= 3 else { return [] }
    if octets[0] == 0x3E, octets[2] == UInt8(truncatingIfNeeded: LEGenerateDHKeyCompleteEvent.code.rawValue) {
      return [4..<36]
    }
    guard octets[0] == UInt8(truncatingIfNeeded: CommandCompleteEvent.code.rawValue), octets.count >= 5 else {
      return []
    }
    switch HCIOpcode(UInt16(octets[3]) | UInt16(octets[4]) << 8) {
    case LEEncrypt.opcode: return [6..<22]
    case LERand.opcode: return [6..<14]
    default: return []
    }
  }

  /// For Security Manager frames: those that carry keys.
  private mutating func secrets(ofData octets: [UInt8], _ direction: CaptureDirection) -> [Range<Int>] {
    guard octets.count >= 4 else { return [] }
    let way = Way(handle: (UInt16(octets[0]) | UInt16(octets[1]) << 8) & 0x0FFF, direction: direction)
    if octets[1] >> 4 & 0x03 == 1 { return begun.contains(way) ? [4..<octets.count] : [] }
    begun.remove(way)
    guard octets.count >= 8 else {
      // Less than a frame's header: the channel is only known later.
      insert(way)
      return []
    }
    guard UInt16(octets[6]) | UInt16(octets[7]) << 8 == ChannelIdentifier.securityManager.rawValue else { return [] }
    insert(way)
    guard octets.count > 8 else { return [] }
    switch SMPCode(rawValue: octets[8]) {
    case .pairingRandom, .encryptionInformation, .identityInformation, .signingInformation:
      return [9..<octets.count]
    default: return []
    }
  }

  private mutating func insert(_ way: Way) {
    if begun.count >= Self.limit { begun.removeAll() }
    begun.insert(way)
  }
}
