import CoreBluetooth

/// A condition on discovered devices.
public indirect enum MatchRule: Sendable, Hashable {
  /// Every device.
  case any
  /// One of these names, exactly.
  case names(Set<String>)
  /// One of these names, ignoring case.
  case namesIgnoringCase(Set<String>)
  /// A name with this prefix.
  case namePrefix(String)
  /// At least one of these services is advertised.
  case services(Set<CBUUID>)
  /// Manufacturer specific data of this company, whose content begins with `prefix`.
  case manufacturer(company: UInt16, prefix: Data = Data())
  /// Service data of this service, whose content begins with `prefix`.
  case serviceData(CBUUID, prefix: Data = Data())
  /// The manufacturer specific data holds this address.
  case address(DeviceAddressRule, String)
  /// The identifier that this host assigned to the device.
  case identifier(UUID)
  /// All of these rules match.
  case all([MatchRule])
  /// At least one of these rules matches.
  case either([MatchRule])

  /// Returns whether a discovered device matches the rule.
  public func matches(_ discovery: Discovery) -> Bool {
    switch self {
    case .any: true
    case .names(let names): discovery.name.map(names.contains) ?? false
    case .namesIgnoringCase(let names):
      discovery.name.map { name in names.contains { $0.compare(name, options: .caseInsensitive) == .orderedSame } }
        ?? false
    case .namePrefix(let prefix): discovery.name?.hasPrefix(prefix) ?? false
    case .services(let services): !services.isDisjoint(with: discovery.advertisement.allServices)
    case .manufacturer(let company, let prefix):
      discovery.advertisement.manufacturer.map { $0.company == company && $0.content.starts(with: prefix) } ?? false
    case .serviceData(let service, let prefix):
      discovery.advertisement.serviceData[service].map { $0.starts(with: prefix) } ?? false
    case .address(let rule, let address):
      rule.address(in: discovery.advertisement).map { Self.digits($0) == Self.digits(address) } ?? false
    case .identifier(let identifier): discovery.identifier == identifier
    case .all(let rules): rules.allSatisfy { $0.matches(discovery) }
    case .either(let rules): rules.contains { $0.matches(discovery) }
    }
  }

  /// The hexadecimal digits of an address without separators.
  private static func digits(_ address: String) -> String { address.uppercased().filter(\.isHexDigit) }

  /// The services that a scan can be filtered by without losing a match; `nil` if it cannot be filtered.
  var scanFilter: Set<CBUUID>? {
    switch self {
    case .services(let services): services
    case .all(let rules): rules.lazy.compactMap(\.scanFilter).first
    case .either(let rules):
      rules.reduce(into: Set<CBUUID>?.some([])) { result, rule in
        guard let filter = rule.scanFilter else { return result = nil }
        result?.formUnion(filter)
      }
    default: nil
    }
  }
}

/// Where a device's manufacturer specific data holds its address, according to the vendor's documentation.
public struct DeviceAddressRule: Sendable, Hashable, Codable {
  /// The position of the first of the 6 octets, counted from the end of the company identifier.
  public var offset: Int
  /// The order of the octets; an address is written most significant octet first.
  public var order: ByteOrder

  /// Creates a rule from the position of the address and its octet order.
  public init(offset: Int, order: ByteOrder = .bigEndian) {
    self.offset = offset
    self.order = order
  }

  /// Returns the address as `AA:BB:CC:DD:EE:FF`; `nil` if the data is too short.
  public func address(in advertisement: Advertisement) -> String? {
    guard offset >= 0, let content = advertisement.manufacturer?.content, content.count - 6 >= offset else {
      return nil
    }
    let octets = content.dropFirst(offset).prefix(6)
    return Hexadecimal.encode(order == .bigEndian ? Array(octets) : octets.reversed(), style: .address)
  }
}
