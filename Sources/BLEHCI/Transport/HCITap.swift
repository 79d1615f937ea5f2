import BLECore
import BLEWire

/// Observes every packet between host and controller, for a capture or a log. On the loop.
public protocol HCITap: AnyObject {
  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant)
}
