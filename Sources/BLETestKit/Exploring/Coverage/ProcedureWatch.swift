import BLECore
import BLEHCI
import BLEWire

/// The procedures of the Attribute Protocol that are under way at one device, from the packets between its host and its controller. On
/// the loop; nothing is allocated for a packet.
final class ProcedureWatch {
  /// The opcodes of requests and indications that have passed, a bit for each.
  private(set) var seen: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  /// The opcode that waits for its answer from the peer, and the one that waits for this device's.
  private var asked: UInt8?
  private var owed: UInt8?

  /// Those under way.
  var pending: [UInt8] { [asked, owed].compactMap { $0 } }

  func hear(_ packet: HCIPacket, _ direction: HCIDirection) {
    // Disconnection Complete (Core, Vol 4 Part E 7.7.5): the procedures of a link end with it.
    if packet.kind == .event, packet.octets.first == 0x05 {
      asked = nil
      owed = nil
    }
    // An ACL header of four octets, an L2CAP header of four, the opcode (Core, Vol 4 Part E 5.4.2; Vol 3 Part A 3.1).
    guard packet.kind == .aclData, packet.octets.count > 8, packet.octets[1] >> 4 & 0b11 != 0b01,
      packet.octets[6] == 0x04, packet.octets[7] == 0x00
    else { return }
    let opcode = packet.octets[8]
    switch ATTOpcode(opcode).role {
    case .request, .indication:
      note(opcode)
      if direction == .toController { asked = opcode } else { owed = opcode }
    case .response, .confirmation:
      if direction == .toController { owed = nil } else { asked = nil }
    default: break
    }
  }

  private func note(_ opcode: UInt8) {
    let bit = UInt64(1) << UInt64(opcode & 0x3F)
    switch opcode >> 6 {
    case 0: seen.0 |= bit
    case 1: seen.1 |= bit
    case 2: seen.2 |= bit
    default: seen.3 |= bit
    }
  }

  /// The opcodes that have passed, in ascending order.
  var opcodes: [UInt8] {
    let words = [seen.0, seen.1, seen.2, seen.3]
    return (0...255).filter { words[$0 >> 6] >> UInt64($0 & 0x3F) & 1 == 1 }.map { UInt8($0) }
  }
}
