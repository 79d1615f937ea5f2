import BLETestKit
import CoreBluetooth

/// Connections, each notifying once a second; an operation is a second of the world.
struct SimulatedHour: Work {
  private let crowd: Crowd
  private let centrals: [CentralProgram]
  /// Whether an operation is one notification instead.
  private let countsNotifications: Bool

  /// - Parameter hasRooms: whether each hundred devices have a room and a central of their own.
  init(_ count: Int = 100, hasRooms: Bool = false, countsNotifications: Bool = false) async throws {
    crowd = try await Crowd(count, hasRooms: hasRooms)
    self.countsNotifications = countsNotifications
    let (world, centrals) = (crowd.world, crowd.makeCentrals())
    self.centrals = centrals
    func wait(_ isDone: @escaping (CentralProgram, _ devices: Int) -> Bool) async throws {
      // For one central after another, so that not all are asked again and again.
      for (central, count) in zip(centrals, crowd.rooms) {
        try await world.wait(within: .seconds(300)) { isDone(central, count) }
      }
    }
    await world.advance(by: .seconds(1))
    for central in centrals { central.manager.scanForPeripherals(withServices: nil) }
    try await wait { $0.connected == $1 }
    for central in centrals {
      central.manager.stopScan()
      for peripheral in central.found { central.discoverEverything(of: peripheral) }
    }
    try await wait { central, _ in central.discoveriesLeft == 0 }
    for peripheral in centrals.flatMap(\.found) {
      for characteristic in peripheral.services?.first?.characteristics ?? [] {
        peripheral.setNotifyValue(true, for: characteristic)
      }
    }
    try await wait { $0.notifying == $1 }
  }

  private var received: Int { centrals.reduce(0) { $0 + $1.received } }

  func run(_ operations: Int) async throws -> Done {
    let before = received
    let seconds = countsNotifications ? max(1, operations / crowd.devices.count) : operations
    for second in 0..<seconds {
      let value = Data("send data : \(second)".utf8)
      for (device, characteristic) in zip(crowd.devices, crowd.characteristics) {
        device.notify(value, of: characteristic, times: 1)
      }
      await crowd.world.advance(by: .seconds(1))
    }
    let due = seconds * crowd.devices.count
    guard received - before == due else {
      throw Failure(description: "\(received - before) of \(due) notifications arrived")
    }
    return Done(operations: countsNotifications ? due : seconds, worldSeconds: Double(seconds))
  }
}
