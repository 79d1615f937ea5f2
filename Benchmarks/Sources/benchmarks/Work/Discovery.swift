import BLETestKit
import CoreBluetooth

/// The whole tree of 10 services with 5 characteristics each, 128-bit UUIDs, a client configuration on each: from the
/// first request of a connection that knows nothing to the last descriptor.
final class Discovery: Work {
  private var walks: [Walk] = []

  func prepare(_ operations: Int) async throws {
    walks = []
    for _ in 0..<operations { walks.append(try await Walk(keepsPackets: false)) }
  }

  func run(_ operations: Int) async throws -> Done {
    for walk in walks { try await walk.run() }
    return Done(operations: walks.count)
  }

  func requests() async throws -> Int? {
    let recorded = try await Walk(keepsPackets: true)
    let before = recorded.requests
    try await recorded.run()
    return recorded.requests - before
  }

  /// A pair that is connected and has discovered nothing yet.
  private struct Walk {
    let world: World
    let central: CentralProgram
    let peripheral: PeripheralProgram

    init(keepsPackets: Bool) async throws {
      world = World(seed: 1, keepsPackets: keepsPackets)
      let queue = DispatchQueue(label: "programs")
      let services = (0..<10).map { index in
        let service = CBMutableService(type: Self.uuid(index, 0), primary: true)
        service.characteristics = (1...5).map {
          CBMutableCharacteristic(
            type: Self.uuid(index, $0), properties: [.read, .notify], value: nil, permissions: .readable)
        }
        return service
      }
      let peripheral = PeripheralProgram(
        "tree", queue: queue, options: world.makeDevice("peripheral").options, services: services)
      let central = CentralProgram(queue: queue, options: world.makeDevice("central").options)
      (self.central, self.peripheral) = (central, peripheral)
      try await world.wait(within: .seconds(10)) { peripheral.isAdvertising }
      central.manager.scanForPeripherals(withServices: nil)
      try await world.wait(within: .seconds(30)) { central.connected == 1 }
      central.manager.stopScan()
      await world.advance(by: .seconds(3))
    }

    static func uuid(_ service: Int, _ characteristic: Int) -> CBUUID {
      CBUUID(string: String(format: "7B0F%02X%02X-0000-4C1E-8B6F-0123456789AB", service, characteristic))
    }

    func run() async throws {
      central.discoverEverything(of: central.found[0])
      try await world.wait(within: .seconds(60)) { [central] in central.discoveriesLeft == 0 }
      guard central.descriptors == 50 else {
        throw Failure(description: "\(central.descriptors) descriptors were discovered, not 50")
      }
    }

    /// What the central's host has asked so far; it is the second device of the world.
    var requests: Int { AttributeRequests.count(in: world.capture, by: 1) }
  }
}
