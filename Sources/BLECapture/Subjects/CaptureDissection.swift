public import BLECore
import BLEWire

/// A packet of a capture with what it says.
public struct DissectedPacket: Sendable {
  /// The packet; without its secrets, if these are taken out.
  public let packet: CapturedPacket
  /// Its contents in the highest layer, harmless for a terminal.
  public let text: String
  /// The frame that it completed; `nil` if it completed none.
  public let frame: CapturedFrame?
  /// The type of the attribute that its PDU is about, if the capture has said it before.
  public let attributeType: BLEUUID?
  /// The devices that it concerns.
  public let devices: [DeviceAddress]
  /// The name of the device, if it concerns only one and the capture has named that before.
  public let deviceName: String?
}

/// Reads meaning out of the packets of a capture: their text, whole frames, the devices that they concern and the names of these.
///
/// Pass it the packets of one capture in order. Memory is bounded, whatever the capture holds.
public final class CaptureDissection {
  /// The limit for controllers whose keys can be taken out: of each the incomplete frames are remembered.
  private static let controllerLimit = 256

  public let dissector: Dissector
  private var devices = CapturedDevices()
  private let takesSecretsOut: Bool
  private var redactions: [Int: CaptureRedaction] = [:]

  /// - Parameters:
  ///   - keys: the keys with which air packets are decrypted.
  ///   - takesSecretsOut: whether keys are replaced by zeros, as `CaptureRedaction` does, and packets that may contain keys in an unknown
  ///     place are emptied.
  public init(keys: CaptureKeys = CaptureKeys(), takesSecretsOut: Bool = false) {
    dissector = Dissector(keys: keys)
    self.takesSecretsOut = takesSecretsOut
  }

  /// The name of a device, if the capture has said it so far.
  public func name(of device: DeviceAddress) -> String? { devices.name(of: device) }

  /// What the next packet says.
  public func dissect(_ captured: CapturedPacket) -> DissectedPacket {
    var packet = takesSecretsOut ? withoutSecrets(captured) : captured
    var text = dissector.text(packet)
    var frame = dissector.frame
    if takesSecretsOut, case .air(let air) = packet.content, Self.mayCarryKeys(air, frame) {
      packet.content = .other(linkType: 0, octets: [])
      text = "\(air.pdu.count) octets of a link on the air: encrypted, of the Security Manager, or not a whole frame"
      frame = nil
    }
    let concerned = devices.follow(packet, dissector)
    let type = frame.flatMap { frame in frame.attribute.flatMap { dissector.attributeType(of: $0, in: frame) } }
    return DissectedPacket(
      packet: packet, text: text, frame: frame, attributeType: type, devices: concerned,
      deviceName: concerned.count == 1 ? concerned.first.flatMap(devices.name) : nil)
  }

  /// Whether a packet of a link is, or may be, one of the Security Manager.
  private static func mayCarryKeys(_ air: AirPacket, _ frame: CapturedFrame?) -> Bool {
    guard air.accessAddress != AdvertisingChannelPDU.accessAddress, air.pdu.count > 2, air.pdu[0] & 0x03 != 0x03 else {
      return false
    }
    return frame.map { $0.channel == .securityManager } ?? true
  }

  private func withoutSecrets(_ captured: CapturedPacket) -> CapturedPacket {
    var packet = captured
    switch captured.content {
    case .hci(let hci, let direction):
      if redactions[captured.interface] == nil, redactions.count >= Self.controllerLimit {
        packet.content = .other(linkType: 0, octets: [])
      } else {
        let redacted = redactions[captured.interface, default: CaptureRedaction()].redacted(hci, direction)
        packet.content = .hci(redacted, direction)
      }
    case .air: break
    case .other(let linkType, _): packet.content = .other(linkType: linkType, octets: [])
    }
    return packet
  }
}

extension CapturedFrame {
  /// The attribute that a PDU of the Attribute Protocol is about, if it names one.
  public var attribute: AttributeHandle? {
    guard channel == .attributeProtocol, let opcode = payload.first.map({ ATTOpcode($0) }) else { return nil }
    let offset: Int
    switch opcode {
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
      .prepareWriteResponse, .handleValueNotification, .handleValueIndication:
      offset = 1
    case .errorResponse: offset = 2
    default: return nil
    }
    let octets = payload.dropFirst(offset).prefix(2)
    guard octets.count == 2, let low = octets.first, let high = octets.last else { return nil }
    return AttributeHandle(UInt16(low) | UInt16(high) << 8)
  }
}
