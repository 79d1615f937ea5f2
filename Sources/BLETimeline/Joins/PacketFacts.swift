import BLECapture
import BLECore
import BLEWire

/// What a packet does, as far as the joining of events has to know it.
struct PacketFacts {
  enum Act: Hashable {
    case command(UInt16)
    /// Command Complete or Command Status.
    case answer(UInt16)
    /// An event by its code; an LE meta event by `0x3E00` and its subevent.
    case event(UInt16)
    case attribute(UInt8)
    case signaling(UInt8)
    case security
    case other
  }

  let kind: TimelineKind
  let act: Act
  let isSent: Bool
  /// Whether it says that something was refused or has failed.
  let isError: Bool
  let frame: CapturedFrame?
  let attribute: AttributeHandle?
  let attributeType: BLEUUID?

  init(_ dissected: DissectedPacket) {
    frame = dissected.frame
    attribute = dissected.frame?.attribute
    attributeType = dissected.attributeType
    switch dissected.packet.content {
    case .hci(let hci, let direction):
      isSent = direction == .sent
      if let frame {
        (kind, act, isError) = Self.facts(of: frame)
      } else {
        (kind, act, isError) = Self.facts(of: hci)
      }
    case .air:
      (kind, isSent, isError) = (.air, false, false)
      act = .other
    case .other: (kind, act, isSent, isError) = (.other, .other, false, false)
    }
  }

  private static func facts(of frame: CapturedFrame) -> (TimelineKind, Act, isError: Bool) {
    let code = frame.payload.first ?? 0
    switch frame.channel {
    case .attributeProtocol:
      return (.attribute, .attribute(code), isError: code == ATTOpcode.errorResponse.rawValue)
    case .lowEnergySignaling:
      return (.signaling, .signaling(code), isError: code == L2CAPSignalingCode.commandReject.rawValue)
    case .securityManager: return (.security, .security, isError: code == SMPCode.pairingFailed.rawValue)
    default: return (.channel, .other, isError: false)
    }
  }

  private static func facts(of hci: HCIPacket) -> (TimelineKind, Act, isError: Bool) {
    let octets = hci.octets
    func number(at offset: Int) -> UInt16? {
      octets.count >= offset + 2 ? UInt16(octets[offset]) | UInt16(octets[offset + 1]) << 8 : nil
    }
    switch hci.kind {
    case .command: return (.command, number(at: 0).map { .command($0) } ?? .other, isError: false)
    case .aclData: return (.piece, .other, isError: false)
    case .synchronousData, .isochronousData: return (.other, .other, isError: false)
    case .event:
      guard octets.count >= 3 else { return (.event, .other, isError: false) }
      switch octets[0] {
      case 0x0E:
        return (.event, number(at: 3).map { .answer($0) } ?? .other, isError: octets.count > 5 && octets[5] != 0)
      case 0x0F: return (.event, number(at: 4).map { .answer($0) } ?? .other, isError: octets[2] != 0)
      case 0x13: return (.bookkeeping, .event(0x13), isError: false)
      case 0x3E:
        let subevent = octets[2]
        let isReport = subevent == 0x02 || subevent == 0x0D || subevent == 0x0B
        // These connection events begin with a status.
        let hasStatus = [0x01, 0x03, 0x04, 0x0A, 0x0C, 0x29].contains(subevent)
        return (
          isReport ? .report : .event, .event(0x3E00 | UInt16(subevent)),
          isError: hasStatus && octets.count > 3 && octets[3] != 0
        )
      case 0x10: return (.event, .event(0x10), isError: true)
      case let code:
        let hasStatus = [0x05, 0x08, 0x0C, 0x30, 0x59].contains(code)
        return (.event, .event(UInt16(code)), isError: hasStatus && octets[2] != 0)
      }
    }
  }
}
