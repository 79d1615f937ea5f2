import BLETestKit
import CoreBluetooth

/// Many devices that advertise, in one world.
final class Crowd {
  /// How many are in a room, where there are rooms: as many as one central bears.
  static let room = 100

  let world: World
  private let hasRooms: Bool
  let queue = DispatchQueue(label: "programs")
  /// An object without references is gone, and with it its advertising.
  private(set) var devices: [PeripheralProgram] = []
  private(set) var characteristics: [CBMutableCharacteristic] = []

  /// - Parameter hasRooms: whether each hundred of the devices is out of the others' reach.
  init(_ count: Int, in world: World = World(seed: 1, keepsPackets: false), hasRooms: Bool = false) async throws {
    self.world = world
    self.hasRooms = hasRooms
    try await add(count)
  }

  /// Adds devices with one service each, and waits until they advertise.
  func add(_ count: Int) async throws {
    for index in devices.count..<(devices.count + count) {
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: .notify, value: nil, permissions: .readable)
      characteristics.append(characteristic)
      let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
      service.characteristics = [characteristic]
      let device = world.makeDevice("device \(index)", at: place(ofRoom: index / Self.room))
      devices.append(
        PeripheralProgram("device \(index)", queue: queue, options: device.options, services: [service]))
    }
    // Those before the last one are not asked again and again.
    try await world.wait(within: .seconds(30)) { [devices] in devices.last?.isAdvertising ?? true }
    try await world.wait(within: .seconds(30)) { [devices] in devices.allSatisfy(\.isAdvertising) }
  }

  private func place(ofRoom number: Int) -> Position? {
    hasRooms ? Position(x: Double(number) * 1_000) : nil
  }

  private func makeCentral(_ name: String, inRoom room: Int) -> CentralProgram {
    CentralProgram(queue: queue, options: world.makeDevice(name, at: place(ofRoom: room)).options)
  }

  /// How many devices there are in each room.
  var rooms: [Int] {
    guard hasRooms else { return [devices.count] }
    return stride(from: 0, to: devices.count, by: Self.room).map { min(Self.room, devices.count - $0) }
  }

  /// One in each room.
  func makeCentrals() -> [CentralProgram] {
    rooms.indices.map { makeCentral("central \($0)", inRoom: $0) }
  }
}

/// Advertisements that scanning programs hear from the devices in their rooms, duplicates allowed.
struct AdvertisingIngest: Work {
  private let crowd: Crowd
  private let centrals: [CentralProgram]
  private let step: Duration

  init(_ count: Int = 100, hasRooms: Bool = false) async throws {
    crowd = try await Crowd(count, hasRooms: hasRooms)
    centrals = crowd.makeCentrals()
    // Each device advertises about eight times a second: a step has some 4,000 advertisements, whatever the size of the world. Its
    // beginning, where all queues are looked at, is shared by them.
    step = .milliseconds(max(1, 500_000 / count))
    await crowd.world.advance(by: .seconds(1))
    for central in centrals {
      central.connectsToAll = false
      central.manager.scanForPeripherals(
        withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }
    await crowd.world.advance(by: .seconds(2))
  }

  private var heard: Int { centrals.reduce(0) { $0 + $1.discoveries } }

  func run(_ operations: Int) async throws -> Done {
    let before = heard
    while heard < before + operations { await crowd.world.advance(by: step) }
    return Done(operations: heard - before)
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
