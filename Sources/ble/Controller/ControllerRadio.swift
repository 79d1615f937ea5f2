import BLECore
import BLEHCI

/// The radio behind an offered controller: its air, its identity, its capture. Everything on the loop.
final class ControllerRadio {
  private let air: String
  private let device: String?
  private let address: DeviceAddress?
  private let capture: String?
  private(set) var tap: (any HCITap)?

  init(air: String, device: String?, address: DeviceAddress?, capture: String?) {
    self.air = air
    self.device = device
    self.address = address
    self.capture = capture
  }

  /// Joins the air; answers the address that the controller has there.
  func join(on loop: DispatchStackLoop) throws(TransportError) -> DeviceAddress {
    throw TransportError(.unreachable, "not yet")
  }

  /// A controller for the next host.
  func makeController() throws(TransportError) -> any HCITransport {
    throw TransportError(.unreachable, "not yet")
  }

  func leave() {}
}
