import CoreBluetooth

/// A device that was connected once, as remembered across restarts.
public struct RememberedDevice: Sendable, Hashable, Codable {
  /// The identifier that this host assigned to the device.
  public var identifier: UUID
  /// The name at the last connection.
  public var name: String?
  /// The address from its manufacturer specific data, if the session has an address rule.
  public var address: String?

  /// Creates a remembered device.
  public init(identifier: UUID, name: String? = nil, address: String? = nil) {
    self.identifier = identifier
    self.name = name
    self.address = address
  }
}

/// Remembers devices across restarts, the most recently remembered first.
///
/// The methods are called on a central's private queue, one call at a time; a slow method delays that central.
public protocol PeripheralMemory: Sendable {
  /// Returns the devices, the most recently remembered first.
  func devices() throws -> [RememberedDevice]
  /// Inserts the device at the front and removes an older entry with the same identifier.
  func remember(_ device: RememberedDevice) throws
  /// Removes the device; does nothing if it is not in the list.
  func forget(_ identifier: UUID) throws
}

/// Remembers devices in the user defaults.
public struct DefaultsMemory: PeripheralMemory {
  private let suite: String?
  private let key: String

  /// - Parameters:
  ///   - suite: the suite name of the user defaults; `nil` for the program's own.
  ///   - key: the key in the user defaults.
  public init(suite: String? = nil, key: String = "BLESession.devices") {
    self.suite = suite
    self.key = key
  }

  private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

  /// Returns the devices, the most recently remembered first.
  public func devices() throws -> [RememberedDevice] {
    guard let data = defaults.data(forKey: key) else { return [] }
    return try JSONDecoder().decode([RememberedDevice].self, from: data)
  }

  public func remember(_ device: RememberedDevice) throws { try change { $0.putFirst(device) } }
  /// Removes the device; does nothing if it is not in the list.
  public func forget(_ identifier: UUID) throws { try change { $0.removeAll { $0.identifier == identifier } } }

  private func change(_ body: (inout [RememberedDevice]) -> Void) throws {
    var devices = (try? devices()) ?? []
    body(&devices)
    defaults.set(try JSONEncoder().encode(devices), forKey: key)
  }
}

extension [RememberedDevice] {
  /// The newest 64 are kept.
  mutating func putFirst(_ device: RememberedDevice) {
    removeAll { $0.identifier == device.identifier }
    insert(device, at: 0)
    removeLast(Swift.max(0, count - 64))
  }
}
