import BLECapture
import BLECore
import BLEDefaultStack
import BLEHCI
import BLEVirtualRadio

/// The radio of an offered controller: its air, identity and capture. Used on the loop only.
final class ControllerRadio {
  private let airName: String
  private let device: String
  private let givenAddress: DeviceAddress?
  private let paths: RecordingPaths

  private var sharedAir: SharedAir?
  private var identity: RadioIdentity?
  private var recording: Recording?

  var tap: (any HCITap)? { recording?.tap }

  /// - Parameters:
  ///   - device: the device whose address is kept; not this program's own device on the air.
  ///   - address: the address, instead of a kept one.
  ///   - recording: which traffic is captured.
  init(air: String, device: String, address: DeviceAddress?, recording: RecordingPaths) {
    airName = air
    self.device = device
    givenAddress = address
    paths = recording
  }

  /// Joins the air; returns the address of the controller.
  func join(on loop: DispatchStackLoop, log: Logger) throws(TransportError) -> DeviceAddress {
    do throws(CaptureError) {
      recording = try Recording(paths, on: loop, log: log)
    } catch {
      throw TransportError(.notPermitted, error.description)
    }
    do throws(SharedAirError) {
      let sharedAir = try SharedAir(name: airName, loop: loop)
      recording?.hear(sharedAir.air)
      self.sharedAir = sharedAir
      if let givenAddress { return givenAddress }
      let identity = try RadioIdentity.acquire(air: airName, device: device)
      self.identity = identity
      return identity.address
    } catch {
      throw TransportError(.unreachable, error.description)
    }
  }

  /// Creates a controller for the next host: with the same address, but no state of the previous host.
  func makeController() throws(TransportError) -> VirtualController {
    guard let sharedAir, let address = givenAddress ?? identity?.address else {
      throw TransportError(.closed, "The air \(airName) was left.")
    }
    return sharedAir.air.makeController(address: address)
  }

  func leave() {
    recording?.flush()
    sharedAir?.leave()
    sharedAir = nil
    identity = nil
  }
}
