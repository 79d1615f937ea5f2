import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport

/// A wristband as vendors make them: all have one name and one service, and only the serial number distinguishes them. It
/// repeats each command with its highest bit set.
struct Band {
  static let name = "SMART_band"
  static let services = [CBUUID(string: "FFE0"), CBUUID(string: "180A")]
  static let line = CharacteristicPath("FFE1", in: "FFE0")

  let serialNumber: String
  let device: Device
  let program: PeripheralApp
  /// The commands that it received, in order.
  let told: Locked<[Data]>

  init(_ serialNumber: String, in world: World) {
    self.serialNumber = serialNumber
    device = world.makeDevice(serialNumber)
    let line = CBMutableCharacteristic("FFE1", [.write, .notify], .writeable)
    let service = CBMutableService("FFE0", [line])
    let serial = CBMutableCharacteristic("2A25", .read, value: Data(serialNumber.utf8))
    let information = CBMutableService("180A", [serial])
    let program = PeripheralApp(
      Self.name, on: device, services: [service, information], advertises: [service.uuid])
    self.program = program
    let told = Locked<[Data]>([])
    self.told = told
    let (clock, published) = (world.clock, Locked(line))
    program.judge = { requests in
      for request in requests {
        guard let value = request.value, !value.isEmpty else { continue }
        told.change { $0.append(value) }
        _ = clock.schedule(after: .milliseconds(5), on: program.queue) {
          let answer = Data([value[0] | 0x80]) + value.dropFirst()
          _ = program.manager.updateValue(answer, for: published.value, onSubscribedCentrals: nil)
        }
      }
      return .success
    }
  }
}
