import BLECore
import BLEWire

/// Finds the connection handles and the addresses of peers in HCI packets, without decoding the rest of them.
enum CapturedHandles {
  /// The links that a packet concerns.
  static func handles(in packet: HCIPacket) -> [ConnectionHandle] {
    let octets = packet.octets
    switch packet.kind {
    case .aclData: return handle(octets, at: 0).map { [$0] } ?? []
    case .command:
      guard let opcode = opcode(octets, at: 0), commands.contains(opcode.rawValue) else { return [] }
      return handle(octets, at: 3).map { [$0] } ?? []
    case .event:
      guard let code = octets.first else { return [] }
      if code == completedPackets { return completed(octets) }
      let offset = code == HCIEventCode.metaEvent ? octets.dropFirst(2).first.flatMap { metaEvents[$0] } : events[code]
      return offset.flatMap { handle(octets, at: 2 + $0) }.map { [$0] } ?? []
    case .synchronousData, .isochronousData: return []
    }
  }

  /// The peer that a command names.
  static func peer(in packet: HCIPacket) -> DeviceAddress? {
    guard packet.kind == .command, let opcode = opcode(packet.octets, at: 0), let offset = peers[opcode.rawValue],
      packet.octets.count >= 3 + offset + 7
    else { return nil }
    let parameters = packet.octets.dropFirst(3 + offset)
    // Bit 0 of the type: public or random, also for identity addresses.
    let kind: DeviceAddress.Kind = (parameters.first ?? 0) & 1 == 0 ? .public : .random
    return DeviceAddress(octets: parameters.dropFirst().prefix(6), kind: kind)
  }

  /// The opcode of a command, or the one that a Command Complete or a Command Status answers.
  static func commandOpcode(of packet: HCIPacket) -> HCIOpcode? {
    switch packet.kind {
    case .command: opcode(packet.octets, at: 0)
    case .event:
      switch packet.octets.first {
      case commandComplete: opcode(packet.octets, at: 3)
      case commandStatus: opcode(packet.octets, at: 4)
      default: nil
      }
    default: nil
    }
  }

  static let commandComplete: UInt8 = 0x0E
  static let commandStatus: UInt8 = 0x0F
  static let completedPackets: UInt8 = 0x13

  private static func opcode(_ octets: [UInt8], at offset: Int) -> HCIOpcode? {
    guard octets.count >= offset + 2 else { return nil }
    return HCIOpcode(UInt16(octets[offset]) | UInt16(octets[offset + 1]) << 8)
  }

  private static func handle(_ octets: [UInt8], at offset: Int) -> ConnectionHandle? {
    guard octets.count >= offset + 2 else { return nil }
    return ConnectionHandle((UInt16(octets[offset]) | UInt16(octets[offset + 1]) << 8) & HCIACLPacket.handleMask)
  }

  /// Number of Completed Packets: a count, then a handle and a number for each link.
  private static func completed(_ octets: [UInt8]) -> [ConnectionHandle] {
    guard octets.count >= 3 else { return [] }
    return (0..<Int(octets[2])).compactMap { handle(octets, at: 3 + 4 * $0) }
  }

  /// Commands whose parameters begin with a connection handle (Core, Vol 4 Part E 7.1, 7.4, 7.5 and 7.8).
  private static let commands: Set<UInt16> = [
    0x0406, 0x041D, 0x1405, 0x2013, 0x2015, 0x2016, 0x2019, 0x201A, 0x201B, 0x2020, 0x2021, 0x2022, 0x2030, 0x2032,
    0x206D, 0x207E,
  ]

  /// Where the parameters of commands have the type and the address of a peer.
  private static let peers: [UInt16: Int] = [0x200D: 5, 0x2043: 2, 0x2011: 0, 0x2012: 0, 0x2027: 0, 0x2028: 0]

  /// Where the parameters of events have a connection handle (Core, Vol 4 Part E 7.7).
  private static let events: [UInt8: Int] = [0x05: 1, 0x08: 1, 0x0C: 1, 0x30: 1, 0x57: 0, 0x59: 1]

  /// The same for LE meta events, whose first parameter is the subevent.
  private static let metaEvents: [UInt8: Int] = [
    0x01: 2, 0x03: 2, 0x04: 2, 0x05: 1, 0x06: 1, 0x07: 1, 0x0A: 2, 0x0C: 2, 0x14: 1, 0x20: 1, 0x21: 2, 0x23: 2,
    0x29: 2,
  ]
}
