import BLECore
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

extension ConnectedPeripheral {
  /// Discovers everything and reads all readable values. A value that the device refuses is part of the tree.
  func explore() async throws(ToolError) -> GATTTree {
    let address = PeerAddresses.address(of: peripheral.identifier)
    var tree = GATTTree(identifier: peripheral.identifier, address: address, name: name)
    for service in try await discoverServices() { tree.services.append(try await explore(service)) }
    return tree
  }

  private func explore(_ service: CBService) async throws(ToolError) -> GATTTree.Service {
    var result = GATTTree.Service(uuid: service.uuid.uuidString, isPrimary: service.isPrimary)
    result.includedServices = try await discoverIncludedServices(of: service).map(\.uuid.uuidString)
    for characteristic in try await discoverCharacteristics(of: service) {
      result.characteristics.append(try await explore(characteristic))
    }
    return result
  }

  private func explore(_ characteristic: CBCharacteristic) async throws(ToolError) -> GATTTree.Characteristic {
    var result = GATTTree.Characteristic(
      uuid: characteristic.uuid.uuidString, properties: characteristic.properties.names)
    for descriptor in try await discoverDescriptors(of: characteristic) {
      let value = try await reading { () async throws(ToolError) in try await read(descriptor) }
      result.descriptors.append(GATTTree.Descriptor(uuid: descriptor.uuid.uuidString, value: value))
    }
    if characteristic.properties.contains(.read) {
      result.value = try await reading { () async throws(ToolError) in try await read(characteristic) }
    }
    return result
  }

  /// A refusal by the device is an answer; anything else ends the exploration.
  private func reading<Value>(
    _ read: () async throws(ToolError) -> Value
  ) async throws(ToolError) -> GATTTree.Reading<Value> {
    do {
      return .value(try await read())
    } catch {
      guard error.attributeError != nil else { throw error }
      return .failed(error)
    }
  }
}

extension CBCharacteristicProperties {
  /// All properties by Apple's names.
  static let named: [(property: CBCharacteristicProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "authenticatedSignedWrites"),
    (.extendedProperties, "extendedProperties"), (.notifyEncryptionRequired, "notifyEncryptionRequired"),
    (.indicateEncryptionRequired, "indicateEncryptionRequired"),
  ]

  var names: [String] { Self.named.filter { contains($0.property) }.map(\.name) }
}
