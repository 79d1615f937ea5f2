public import BLECore
import BLEWire

/// Chooses packets of a capture: without the controllers' set-up, of the Attribute Protocol only, of one device only.
///
/// Pass it the packets of one capture in order.
public struct CaptureSelection {
  /// One of the devices of a capture: the peer of links, or the interface that was recorded.
  public enum Device: Sendable {
    /// The devices with these addresses: usually one, which may have used several.
    case peers(Set<DeviceAddress>)
    /// What the recorded devices of these numbers sent and received.
    case interfaces(Set<Int>)
  }

  private let includesSetup: Bool
  private let includesOtherLayers: Bool
  private let device: Device?
  private var setup = CaptureSetup()
  /// The number of packets that were left out because they belong to a set-up, and for no other reason.
  public private(set) var setupCount = 0

  /// - Parameters:
  ///   - includesSetup: whether packets of the controllers' set-up are chosen.
  ///   - attributeProtocolOnly: whether only whole PDUs of the Attribute Protocol are chosen.
  ///   - device: whose packets are chosen; those of all devices without one.
  public init(includesSetup: Bool, attributeProtocolOnly: Bool = false, device: Device? = nil) {
    self.includesSetup = includesSetup
    includesOtherLayers = !attributeProtocolOnly
    self.device = device
  }

  /// Whether the next packet is chosen.
  public mutating func contains(_ dissected: DissectedPacket) -> Bool {
    let isSetup = setup.contains(dissected.packet)
    guard includesOtherLayers || dissected.frame?.channel == .attributeProtocol else { return false }
    switch device {
    case .peers(let wanted)?: guard dissected.devices.contains(where: wanted.contains) else { return false }
    case .interfaces(let wanted)?: guard wanted.contains(dissected.packet.interface) else { return false }
    case nil: break
    }
    if isSetup, !includesSetup {
      setupCount += 1
      return false
    }
    return true
  }
}
