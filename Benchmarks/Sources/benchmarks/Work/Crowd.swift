import BLETestKit
import CoreBluetooth

/// Many devices that advertise, in one world.
final class Crowd {
  let world = World(seed: 1, keepsPackets: false)
  let queue = DispatchQueue(label: "programs")
  /// An object without references is gone, and with it its advertising.
  private(set) var devices: [PeripheralProgram] = []
  private(set) var characteristics: [CBMutableCharacteristic] = []

  init(_ count: Int) async throws { try await add(count) }

  /// Adds devices with one service each, and waits until they advertise.
  func add(_ count: Int) async throws {
    for index in devices.count..<(devices.count + count) {
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: .notify, value: nil, permissions: .readable)
      characteristics.append(characteristic)
      let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
      service.characteristics = [characteristic]
      devices.append(
        PeripheralProgram(
          "device \(index)", queue: queue, options: world.makeDevice("device \(index)").options, services: [service]))
    }
    try await world.wait(within: .seconds(30)) { [devices] in devices.allSatisfy(\.isAdvertising) }
  }

  func makeCentral(_ name: String) -> CentralProgram {
    CentralProgram(queue: queue, options: world.makeDevice(name).options)
  }
}

/// Advertisements that a scanning program hears from 100 devices, duplicates allowed.
struct AdvertisingIngest: Work {
  private let crowd: Crowd
  private let central: CentralProgram

  init() async throws {
    crowd = try await Crowd(100)
    central = crowd.makeCentral("scanner")
    central.connectsToAll = false
    await crowd.world.advance(by: .seconds(1))
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await crowd.world.advance(by: .seconds(2))
  }

  /// Each device advertises about eight times a second.
  func run(_ operations: Int) async throws -> Done {
    let heard = central.discoveries
    while central.discoveries < heard + operations { await crowd.world.advance(by: .milliseconds(500)) }
    return Done(operations: central.discoveries - heard)
  }
}

/// One more device: its controller, host and program, with one service, advertising.
struct DeviceMemory: Work {
  private let crowd: Crowd

  init() async throws { crowd = try await Crowd(10) }

  func run(_ operations: Int) async throws -> Done {
    try await crowd.add(operations)
    return Done(operations: operations)
  }
}
