import CoreBluetooth

/// A device that was connected once, as it is remembered across restarts.
public struct RememberedDevice: Sendable, Hashable, Codable {
  /// What this host calls it.
  public var identifier: UUID
  /// The name it had when it was last connected.
  public var name: String?
  /// The address that its manufacturer data holds, where there is a rule for that.
  public var address: String?

  /// A device as it is remembered.
  public init(identifier: UUID, name: String? = nil, address: String? = nil) {
    self.identifier = identifier
    self.name = name
    self.address = address
  }
}

/// What keeps devices across restarts. The last one remembered is the first of the list.
///
/// Called on a central's own queue, one call at a time; what is slow holds that central up.
public protocol PeripheralMemory: Sendable {
  /// The devices, the last one remembered first.
  func devices() throws -> [RememberedDevice]
  /// Puts the device first; a device of the same identifier is replaced.
  func remember(_ device: RememberedDevice) throws
  /// Takes the device out; one that is not there is no error.
  func forget(_ identifier: UUID) throws
}

/// Keeps devices in the user defaults.
public struct DefaultsMemory: PeripheralMemory {
  private let suite: String?
  private let key: String

  /// - Parameters:
  ///   - suite: the name of the defaults; `nil` for the program's own.
  ///   - key: where in them.
  public init(suite: String? = nil, key: String = "BLESession.devices") {
    self.suite = suite
    self.key = key
  }

  private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

  /// The devices, the last one remembered first.
  public func devices() throws -> [RememberedDevice] {
    guard let data = defaults.data(forKey: key) else { return [] }
    return try JSONDecoder().decode([RememberedDevice].self, from: data)
  }

  public func remember(_ device: RememberedDevice) throws { try change { $0.putFirst(device) } }
  /// Takes the device out; one that is not there is no error.
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
