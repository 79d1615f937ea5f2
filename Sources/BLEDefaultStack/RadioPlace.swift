import BLECore
import BLEHCI
import BLEVirtualRadio

/// One device on an air of the embedded radio: its identity, and the air itself, as long as the process lives. On the loop.
final class RadioPlace {
  private let air: String
  private let device: String?
  private let stateFolder: String
  private let loop: DispatchStackLoop
  private let log: Logger
  /// Retained here: an air holds its tap weakly.
  private let tap: (any AirTap)?
  private var shared: SharedAir?
  private var identity: RadioIdentity?
  /// For a process that cannot store an identity.
  private lazy var passingAddress = DeviceAddress(
    SystemEntropy().next() & 0xFCFF_FFFF_FFFF | 0x0200_0000_0000, kind: .public)

  init(air: String, device: String?, stateFolder: String, loop: DispatchStackLoop, log: Logger, tap: (any AirTap)?) {
    self.log = log
    self.tap = tap
    self.air = air
    self.device = device
    self.stateFolder = stateFolder
    self.loop = loop
  }

  /// A controller at the device's address.
  func makeTransport() throws(TransportError) -> any HCITransport {
    do throws(SharedAirError) {
      let (address, name) = try place()
      let shared: SharedAir
      if let known = self.shared {
        shared = known
      } else {
        shared = try SharedAir(name: air, loop: loop)
        shared.air.tap = tap
        self.shared = shared
      }
      var configuration = ControllerConfiguration()
      configuration.name = "radio:\(air)/\(name)"
      // In fast time much passes on the air while a message is under way between two processes: enough packets for all of it.
      if loop.speed > 1 { configuration.aclPacketCount = 48 }
      return shared.air.makeController(address: address, configuration: configuration)
    } catch {
      throw TransportError(.unreachable, "radio:\(air): \(error)")
    }
  }

  /// The device's address and name. If no file can be stored, as in a container without a home, the device has a new identity each time.
  private func place() throws(SharedAirError) -> (address: DeviceAddress, name: String) {
    if let identity { return (identity.address, identity.device) }
    do throws(SharedAirError) {
      let acquired = try RadioIdentity.acquire(air: air, device: device, stateFolder: stateFolder)
      identity = acquired
      return (acquired.address, acquired.device)
    } catch {
      if error.kind != .folder { throw error }
      log.log(.notice, "\(error) This device has another address each time.")
      return (passingAddress, device ?? RadioIdentity.programName)
    }
  }
}
