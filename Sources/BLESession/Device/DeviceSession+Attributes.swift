import CoreBluetooth

/// A service of the connected device, as currently discovered.
public struct DiscoveredService: Sendable, Hashable {
  /// The service's UUID.
  public var uuid: CBUUID
  /// The index among services with the same UUID, from 0.
  public var instance: Int
  /// Whether it is a primary service.
  public var isPrimary: Bool
  /// The characteristics, in the device's order.
  public var characteristics: [DiscoveredCharacteristic]

  func find(in peripheral: CBPeripheral) -> CBService? {
    peripheral.services?.filter { $0.uuid == uuid }.dropFirst(instance).first
  }
}

/// A characteristic of the connected device, as currently discovered.
public struct DiscoveredCharacteristic: Sendable, Hashable {
  /// The path of the characteristic; it stays valid over reconnections.
  public var path: CharacteristicPath
  /// `CBCharacteristicProperties` as a number.
  public var rawProperties: UInt

  /// The characteristic's properties.
  public var properties: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: rawProperties) }
  /// Whether it can notify or indicate.
  public var notifies: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

/// A descriptor of a characteristic.
public struct DescriptorPath: Sendable, Hashable {
  /// The path of the characteristic.
  public var characteristic: CharacteristicPath
  /// The descriptor's UUID.
  public var uuid: CBUUID
  /// The index among the characteristic's descriptors, from 0.
  public var index: Int

  func find(in peripheral: CBPeripheral) -> CBDescriptor? {
    let found = characteristic.find(in: peripheral)?.descriptors?.dropFirst(index).first
    return found?.uuid == uuid ? found : nil
  }
}

/// The value of a descriptor, with the type that Core Bluetooth gives it.
public enum DescriptorValue: Sendable, Hashable {
  /// A string, such as the user description.
  case text(String)
  /// A number, such as the extended properties.
  case number(Int)
  /// Any other value.
  case octets(Data)

  /// Takes the value of a `CBDescriptor`.
  public init(_ value: Any?) {
    switch value {
    case let text as String: self = .text(text)
    case let data as Data: self = .octets(data)
    case let number as NSNumber: self = .number(number.intValue)
    default: self = .octets(Data())
    }
  }
}

extension DeviceSession {
  /// The discovered services; empty unless the session is ready. While services that have changed are discovered, the call waits.
  public func services() async -> [DiscoveredService] {
    let found = try? await core.reply { core, reply in core.whenPrepared { reply.succeed(core.services) } }
    return found ?? []
  }

  /// Discovers the services that a service includes, and returns their UUIDs.
  public func includedServices(of service: DiscoveredService) async throws(SessionError) -> [CBUUID] {
    try await core.reply { core, reply in core.perform(.discoverIncludedServices(service, reply)) }
  }

  /// Discovers the descriptors of a characteristic, which is necessary before they are read.
  public func descriptors(of path: CharacteristicPath) async throws(SessionError) -> [DescriptorPath] {
    try await core.reply { core, reply in core.perform(.discoverDescriptors(path, reply)) }
  }

  /// Reads a descriptor that was discovered on this connection.
  public func read(_ path: DescriptorPath) async throws(SessionError) -> DescriptorValue {
    try await core.reply { core, reply in core.perform(.readDescriptor(path, reply)) }
  }

  /// Writes a descriptor that was discovered on this connection; returns when the device has acknowledged.
  /// - Throws: `refused`, and `notSupported` for the Client Characteristic Configuration, which is written by subscribing.
  public func write(_ value: Data, to path: DescriptorPath) async throws(SessionError) {
    try await core.reply { core, reply in core.perform(.writeDescriptor(path, value, reply)) }
  }

  /// Opens an L2CAP channel of the device. It ends with the connection; a reconnection does not open it again.
  public func openChannel(_ psm: CBL2CAPPSM) async throws(SessionError) -> sending CBL2CAPChannel {
    nonisolated(unsafe) let channel = try await openedChannel(psm).channel
    return channel
  }

  /// The same, for callers that pass the channel on.
  package func openedChannel(_ psm: CBL2CAPPSM) async throws(SessionError) -> OpenedChannel {
    try await core.reply { core, reply in core.perform(.openChannel(psm, reply)) }
  }
}

/// A channel on its way to the caller. `@unchecked Sendable`: nothing else refers to the channel.
package struct OpenedChannel: @unchecked Sendable {
  package let channel: CBL2CAPChannel
}

extension DeviceCore {
  /// Runs `body` at once, or when the discovery of services that have changed has ended.
  func whenPrepared(_ body: @escaping () -> Void) {
    if state == .ready, let preparation { preparation.waiting.append(body) } else { body() }
  }

  var services: [DiscoveredService] {
    guard state == .ready, let peripheral else { return [] }
    var services: [CBUUID: Int] = [:]
    var characteristics: [CharacteristicPath: Int] = [:]
    func next<Key>(_ key: Key, _ counts: inout [Key: Int]) -> Int {
      counts[key, default: -1] += 1
      return counts[key, default: 0]
    }
    return (peripheral.services ?? []).map { service in
      DiscoveredService(
        uuid: service.uuid, instance: next(service.uuid, &services), isPrimary: service.isPrimary,
        characteristics: (service.characteristics ?? []).map { characteristic in
          var path = CharacteristicPath(characteristic.uuid, in: service.uuid)
          path.instance = next(path, &characteristics)
          return DiscoveredCharacteristic(path: path, rawProperties: UInt(characteristic.properties.rawValue))
        })
    }
  }
}
