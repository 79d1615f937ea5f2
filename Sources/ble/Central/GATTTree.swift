import BLECore
import BLESession
import CoreBluetooth

/// All services, characteristics and descriptors of a device with their values, as discovered and read.
struct GATTTree: Equatable, Sendable {
  let identifier: UUID
  let address: DeviceAddress?
  let name: String?
  var services: [Service] = []

  struct Service: Equatable, Sendable {
    let uuid: String
    let isPrimary: Bool
    var includedServices: [String] = []
    var characteristics: [Characteristic] = []
  }

  struct Characteristic: Equatable, Sendable {
    let uuid: String
    let properties: [String]
    var value: Reading<[UInt8]> = .notReadable
    var descriptors: [Descriptor] = []
  }

  struct Descriptor: Equatable, Sendable {
    let uuid: String
    let value: Reading<DescriptorValue>
  }

  /// The result of reading a value.
  enum Reading<Value: Equatable & Sendable>: Equatable, Sendable {
    case value(Value)
    case failed(ToolError)
    case notReadable
  }
}

extension KeptDevice {
  /// Discovers everything and reads all readable values. A value that the device refuses is part of the tree.
  func explore() async throws(ToolError) -> GATTTree {
    try requireLink()
    let identifier = identifier ?? UUID()
    var tree = GATTTree(identifier: identifier, address: PeerAddresses.address(of: identifier), name: name)
    for service in await device.services() {
      let included = try await ask("Discovering included services") { (device) async throws(SessionError) in
        try await device.includedServices(of: service)
      }
      tree.services.append(
        GATTTree.Service(
          uuid: service.uuid.uuidString, isPrimary: service.isPrimary, includedServices: included.map(\.uuidString)))
      for characteristic in service.characteristics {
        tree.services[tree.services.count - 1].characteristics.append(try await explore(characteristic))
      }
    }
    try requireLink()
    return tree
  }

  private func explore(
    _ characteristic: DiscoveredCharacteristic
  ) async throws(ToolError) -> GATTTree.Characteristic {
    let path = characteristic.path
    var result = GATTTree.Characteristic(
      uuid: path.characteristic.uuidString, properties: characteristic.properties.names)
    let descriptors = try await ask("Discovering descriptors") { (device) async throws(SessionError) in
      try await device.descriptors(of: path)
    }
    for descriptor in descriptors {
      let uuid = descriptor.uuid.uuidString
      let value = try await reading(uuid) { (device) async throws(SessionError) in try await device.read(descriptor) }
      result.descriptors.append(GATTTree.Descriptor(uuid: uuid, value: value))
    }
    if characteristic.properties.contains(.read) {
      result.value = try await reading(result.uuid) { (device) async throws(SessionError) in
        Array(try await device.read(path))
      }
    }
    return result
  }

  /// A refusal by the device is an answer; anything else ends the exploration.
  private func reading<Value>(
    _ uuid: String, _ read: @escaping @Sendable (DeviceSession) async throws(SessionError) -> Value
  ) async throws(ToolError) -> GATTTree.Reading<Value> {
    do {
      return .value(try await ask("Reading \(uuid)", read))
    } catch {
      guard error.attributeError != nil else { throw error }
      return .failed(error)
    }
  }
}
