import BLECore
import BLEHCI
import BLEWire

extension World {
  /// The number of Attribute Protocol requests that devices of this world have sent so far; of the latest traffic, if there was very much.
  public var attributeRequests: Int {
    count(of: .toController) {
      $0.channel == .attributeProtocol && $0.opcode.map { ATTOpcode($0).role == .request } ?? false
    }
  }

  /// The number of pairings that devices of this world have begun so far.
  public var pairingRequests: Int {
    count(of: .toController) { $0.channel == .securityManager && $0.opcode == SMPCode.pairingRequest.rawValue }
  }

  /// The reasons of a device's ended connections so far, from its controller: error codes of Core, Vol 1 Part F.
  public func endReasons(at device: Device) -> [UInt8] {
    guard let index = recorder.deviceNames.firstIndex(of: device.name) else { return [] }
    return recorder.entries.packets(.event, .toHost).compactMap { entry in
      guard entry.device == index, let packet = try? HCIEventPacket(entry.packet.octets),
        case .disconnectionComplete(let event)? = try? HCIEvent(packet)
      else { return nil }
      return event.reason.rawValue
    }
  }

  /// The beginning of an L2CAP frame.
  private struct FrameStart {
    let channel: ChannelIdentifier
    let opcode: UInt8?
  }

  private func count(of direction: HCIDirection, _ isMeant: (FrameStart) -> Bool) -> Int {
    recorder.entries.packets(.aclData, direction).count { entry in
      guard let packet = try? HCIACLPacket(entry.packet), packet.boundary != .continuing, packet.payload.count >= 4
      else { return false }
      let octets = Array(packet.payload.prefix(5))
      return isMeant(
        FrameStart(
          channel: ChannelIdentifier(UInt16(octets[2]) | UInt16(octets[3]) << 8),
          opcode: octets.count > 4 ? octets[4] : nil))
    }
  }
}
