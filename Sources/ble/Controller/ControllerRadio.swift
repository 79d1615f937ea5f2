import BLECapture
import BLECore
import BLEDefaultStack
import BLEHCI
import BLEVirtualRadio

/// The radio behind an offered controller: its air, its identity, its capture. Everything on the loop.
final class ControllerRadio {
  private let airName: String
  private let device: String
  private let givenAddress: DeviceAddress?
  private let capturePath: String?

  private var sharedAir: SharedAir?
  private var identity: RadioIdentity?
  private var capture: CaptureTap?

  var tap: (any HCITap)? { capture }

  /// - Parameters:
  ///   - device: whose address is kept; not this program's, which may be a device of its own beside.
  ///   - address: instead of a kept one.
  ///   - capture: the path of a file for all that passes between the host and the controller.
  init(air: String, device: String, address: DeviceAddress?, capture: String?) {
    airName = air
    self.device = device
    givenAddress = address
    capturePath = capture
  }

  /// Joins the air; answers the address that the controller has there.
  func join(on loop: DispatchStackLoop, log: Logger) throws(TransportError) -> DeviceAddress {
    do throws(CaptureError) {
      capture = if let capturePath { try CaptureTap(path: capturePath, on: loop, log: log) } else { nil }
    } catch {
      throw TransportError(.notPermitted, error.description)
    }
    do throws(SharedAirError) {
      sharedAir = try SharedAir(name: airName, loop: loop)
      if let givenAddress { return givenAddress }
      let identity = try RadioIdentity.acquire(air: airName, device: device)
      self.identity = identity
      return identity.address
    } catch {
      throw TransportError(.unreachable, error.description)
    }
  }

  /// A controller for the next host: the same device, with nothing left of the host before.
  func makeController() throws(TransportError) -> any HCITransport {
    guard let sharedAir, let address = givenAddress ?? identity?.address else {
      throw TransportError(.closed, "The air \(airName) was left.")
    }
    return sharedAir.air.makeController(address: address)
  }

  func leave() {
    capture?.flush()
    sharedAir?.leave()
    sharedAir = nil
    identity = nil
  }
}
