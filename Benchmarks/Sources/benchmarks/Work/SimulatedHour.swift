import BLETestKit
import CoreBluetooth

/// 100 connections, each notifying once a second; an operation is a second of the world.
struct SimulatedHour: Work {
  private let crowd: Crowd
  private let central: CentralProgram

  init() async throws {
    crowd = try await Crowd(100)
    let (world, devices, central) = (crowd.world, crowd.devices, crowd.makeCentral("central"))
    self.central = central
    await world.advance(by: .seconds(1))
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(300)) { central.connected == devices.count }
    central.manager.stopScan()
    for peripheral in central.found { central.discoverEverything(of: peripheral) }
    try await world.wait(within: .seconds(300)) { central.discoveriesLeft == 0 }
    for peripheral in central.found {
      for characteristic in peripheral.services?.first?.characteristics ?? [] {
        peripheral.setNotifyValue(true, for: characteristic)
      }
    }
    try await world.wait(within: .seconds(300)) { central.notifying == devices.count }
  }

  func run(_ operations: Int) async throws -> Done {
    let before = central.received
    for second in 0..<operations {
      let value = Data("send data : \(second)".utf8)
      for (device, characteristic) in zip(crowd.devices, crowd.characteristics) {
        device.notify(value, of: characteristic, times: 1)
      }
      await crowd.world.advance(by: .seconds(1))
    }
    let due = operations * crowd.devices.count
    guard central.received - before == due else {
      throw Failure(description: "\(central.received - before) of \(due) notifications arrived")
    }
    return Done(operations: operations, worldSeconds: Double(operations))
  }
}
