import BLEDeviceFiles
import BLESession
import BLETestKit
import CoreBluetooth

/// A phone that has read a device description file, and the device that the same file describes.
struct DescribedScene {
  let world: World
  let phone: Device
  let other: Device
  let played: SimulatedDevice
  let central: Central
  let device: DescribedDevice
  let diary: Diary
  let reports: Locked<[DeviceReport]>
  let events: Locked<[SimulationEvent]>

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/Devices")

  static func description(_ name: String) throws -> DeviceDescription {
    try DeviceDescription(contentsOf: folder.appendingPathComponent(name))
  }

  static func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  /// - Parameters:
  /// - file: the description on both sides.
  /// - played: the description that the simulated device follows, where it is another.
  static func make(
    in world: World, _ file: String, played: DeviceDescription? = nil, target: DeviceTarget? = nil,
    policy: ReconnectPolicy = ReconnectPolicy(maximumAttempts: 2, backOff: .init(jitter: 0))
  ) async throws -> DescribedScene {
    let description = try description(file)
    let phone = world.makeDevice("phone")
    let other = world.makeDevice("other")
    let simulated = try SimulatedDevice(played ?? description, options: other.options, clock: world.clock)
    other.setManufacturerData(simulated.description.simulation?.manufacturerData.map { Array($0) })
    let events = Locked<[SimulationEvent]>([])
    let stream = simulated.events()
    _ = world.start { for await event in stream { events.change { $0.append(event) } } }
    try await world.perform { try await simulated.start() }
    let central = Central(options: phone.options, clock: world.clock)
    await world.settle()
    let reports = Locked<[DeviceReport]>([])
    let device = try DescribedDevice(
      description, in: central, target: target, configuration: SessionConfiguration(policy: policy)
    ) { report in reports.change { $0.append(report) } }
    let diary = await Diary.of(device.session)
    return DescribedScene(
      world: world, phone: phone, other: other, played: simulated, central: central, device: device, diary: diary,
      reports: reports, events: events)
  }

  func connect() async throws {
    let device = device
    try await world.perform { try await device.connect() }
  }

  @discardableResult
  func perform(_ name: String, _ values: [String: FieldValue] = [:]) async throws -> [String: String] {
    let device = device
    let readings = try await world.perform { try await device.perform(name, values) }
    return Dictionary(uniqueKeysWithValues: readings.map { ($0.name, $0.description) })
  }

  /// The error that a command ends with.
  func failure(_ name: String, _ values: [String: FieldValue] = [:]) async throws -> SessionError? {
    let device = device
    return try await world.failure(within: .seconds(60)) { try await device.perform(name, values) }
  }
}
