import BLEReports
import BLESession
import CoreBluetooth
import Foundation

extension OpenDevice {
  /// The descriptors of a characteristic with their values. One that the device refuses has an error in place of a value.
  func descriptors(of path: CharacteristicPath) async throws(SessionError) -> JSONValue {
    var found: [(path: DescriptorPath, value: DescriptorValue?, error: SessionError?)] = []
    for descriptor in try await discover(path) {
      do {
        found.append((descriptor, try await session.read(descriptor), nil))
      } catch {
        guard error.code == .refused else { throw error }
        found.append((descriptor, nil, error))
      }
    }
    // Writable Auxiliaries (Core, Vol 3 Part G 3.3.3.1): the description is to be written.
    let isDescriptionWritable = found.contains {
      if $0.path.kind == .extendedProperties, case .number(let bits) = $0.value { bits & 2 != 0 } else { false }
    }
    return [
      "descriptors": .array(
        found.map { descriptor, value, error in
          let isWritable = descriptor.kind == .description ? isDescriptionWritable : descriptor.kind == .other
          return .combined(descriptor.json(value, error), ["writable": .bool(isWritable)])
        })
    ]
  }

  /// - Parameter index: among all descriptors of the characteristic; `nil`: the first with the UUID.
  func descriptor(
    _ uuid: String, at index: Int?, of path: CharacteristicPath
  ) async throws(SessionError) -> DescriptorPath {
    let wanted = CBUUID(string: uuid)
    let found = try await discover(path).first { $0.uuid == wanted && (index == nil || $0.index == index) }
    guard let found else {
      throw SessionError(.notFound, "characteristic \(path) has no such descriptor \(wanted.uuidString)")
    }
    return found
  }

  func read(_ descriptor: DescriptorPath) async throws(SessionError) -> JSONValue {
    let value = try await measured(.descriptors) { () async throws(SessionError) in try await session.read(descriptor) }
    return .combined(descriptor.characteristic.json, descriptor.json(value, nil))
  }

  /// Writes a descriptor, and reads what it then holds.
  func write(_ octets: [UInt8], to descriptor: DescriptorPath) async throws(SessionError) -> JSONValue {
    try await measured(.descriptors) { () async throws(SessionError) in
      try await session.write(Data(octets), to: descriptor)
    }
    return try await read(descriptor)
  }

  private func discover(_ path: CharacteristicPath) async throws(SessionError) -> [DescriptorPath] {
    try await measured(.descriptors) { () async throws(SessionError) in try await session.descriptors(of: path) }
  }

  /// The strength in dBm, and the longest values of writes in octets; `null` without a link: it may end while it is measured.
  func signal() async -> JSONValue {
    do throws(SessionError) {
      let rssi = try await measured(.signal) { () async throws(SessionError) in try await session.readRSSI() }
      return [
        "rssi": .integer(rssi), "longest_write": .integer(await session.maximumWriteLength(withResponse: true)),
        "longest_write_without_response": .integer(await session.maximumWriteLength(withResponse: false)),
      ]
    } catch {
      return Self.noSignal
    }
  }

  static let noSignal: JSONValue = ["rssi": .null, "longest_write": .null, "longest_write_without_response": .null]
}

extension DescriptorPath {
  /// What is known of it by its UUID (Core, Vol 3 Part G 3.3.3).
  fileprivate enum Kind { case extendedProperties, description, subscription, broadcast, format, aggregate, other }

  fileprivate var kind: Kind {
    switch uuid.uuidString {
    case CBUUIDCharacteristicExtendedPropertiesString: .extendedProperties
    case CBUUIDCharacteristicUserDescriptionString: .description
    case CBUUIDClientCharacteristicConfigurationString: .subscription
    case CBUUIDServerCharacteristicConfigurationString: .broadcast
    case CBUUIDCharacteristicFormatString: .format
    case CBUUIDCharacteristicAggregateFormatString: .aggregate
    default: .other
    }
  }

  fileprivate func json(_ value: DescriptorValue?, _ error: SessionError?) -> JSONValue {
    let uuid = uuid.uuidString
    return [
      "uuid": .string(uuid), "index": .integer(index), "name": .string(orNull: AssignedNames.name(descriptor: uuid)),
      "value": value?.json ?? .null, "meaning": .string(orNull: value.flatMap(meaning)),
      "error": .string(orNull: error?.description),
    ]
  }

  private func meaning(of value: DescriptorValue) -> String? {
    switch (kind, value) {
    case (.extendedProperties, .number(let bits)): Self.words(bits, ["reliable writes", "writable description"])
    case (.subscription, .number(let bits)): Self.words(bits, ["notifications", "indications"])
    case (.broadcast, .number(let bits)): Self.words(bits, ["broadcasts"])
    case (.format, .octets(let octets)): PresentationFormat(octets)?.words
    default: nil
    }
  }

  private static func words(_ bits: Int, _ names: [String]) -> String {
    let set = names.enumerated().filter { bits >> $0.offset & 1 != 0 }.map(\.element)
    return set.isEmpty ? "none" : set.joined(separator: ", ")
  }
}
