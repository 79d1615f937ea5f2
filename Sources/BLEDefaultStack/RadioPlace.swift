import BLEHCI
import BLEVirtualRadio

/// One device on an air of the embedded radio: who it is, and the air itself, for as long as the process lives. On the loop.
final class RadioPlace {
  private let air: String
  private let device: String?
  private let stateFolder: String
  private let loop: DispatchStackLoop
  private var shared: SharedAir?
  private var identity: RadioIdentity?

  init(air: String, device: String?, stateFolder: String, loop: DispatchStackLoop) {
    self.air = air
    self.device = device
    self.stateFolder = stateFolder
    self.loop = loop
  }

  /// A controller at the device's address.
  func makeTransport() throws(TransportError) -> any HCITransport {
    do throws(SharedAirError) {
      let identity: RadioIdentity
      if let known = self.identity {
        identity = known
      } else {
        identity = try RadioIdentity.acquire(air: air, device: device, stateFolder: stateFolder)
        self.identity = identity
      }
      let shared: SharedAir
      if let known = self.shared {
        shared = known
      } else {
        shared = try SharedAir(name: air, loop: loop)
        self.shared = shared
      }
      var configuration = ControllerConfiguration()
      configuration.name = "radio:\(air)/\(identity.device)"
      return shared.air.makeController(address: identity.address, configuration: configuration)
    } catch {
      throw TransportError(.unreachable, "radio:\(air): \(error)")
    }
  }
}
