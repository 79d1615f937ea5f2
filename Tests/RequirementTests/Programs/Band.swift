import BLESession
import BLETestKit
import CoreBluetooth

/// A wristband as vendors make them: all have one name and one service, and only the serial number distinguishes them. It
/// repeats each command with its highest bit set.
struct Band {
  static let name = "SMART_band"
  static let services = [CBUUID(string: "FFE0"), CBUUID(string: "180A")]
  static let line = CharacteristicPath("FFE1", in: "FFE0")

  let serialNumber: String
  let device: Device
  let program: PeripheralProgram
  /// The commands that it received, in order.
  let told: Locked<[Data]>

  init(_ serialNumber: String, in world: World) {
    self.serialNumber = serialNumber
    device = world.makeDevice(serialNumber)
    let line = CBMutableCharacteristic(
      type: CBUUID(string: "FFE1"), properties: [.write, .notify], value: nil, permissions: .writeable)
    let service = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
    service.characteristics = [line]
    let serial = CBMutableCharacteristic(
      type: CBUUID(string: "2A25"), properties: .read, value: Data(serialNumber.utf8), permissions: .readable)
    let information = CBMutableService(type: CBUUID(string: "180A"), primary: true)
    information.characteristics = [serial]
    let program = PeripheralProgram(
      options: device.options, services: [service, information],
      advertisement: [
        CBAdvertisementDataLocalNameKey: Self.name, CBAdvertisementDataServiceUUIDsKey: [service.uuid],
      ])
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
