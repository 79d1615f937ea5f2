import CoreBluetooth

/// Which devices are meant.
public indirect enum MatchRule: Sendable, Hashable {
  /// Every device.
  case any
  /// One of these names, exactly.
  case names(Set<String>)
  /// One of these names, whether upper or lower case.
  case namesIgnoringCase(Set<String>)
  /// A name that begins like this.
  case namePrefix(String)
  /// One of these services is advertised.
  case services(Set<CBUUID>)
  /// Manufacturer data of this company, that begins like this behind the company's number.
  case manufacturer(company: UInt16, prefix: Data = Data())
  /// This address stands in the manufacturer data.
  case address(DeviceAddressRule, String)
  /// The identifier that this host gave the device.
  case identifier(UUID)
  /// All of these hold.
  case all([MatchRule])
  /// One of these holds.
  case either([MatchRule])

  /// Whether a device with this advertisement is meant.
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
    case .address(let rule, let address):
      rule.address(in: discovery.advertisement).map { Self.digits($0) == Self.digits(address) } ?? false
    case .identifier(let identifier): discovery.identifier == identifier
    case .all(let rules): rules.allSatisfy { $0.matches(discovery) }
    case .either(let rules): rules.contains { $0.matches(discovery) }
    }
  }

  /// An address without what people write between its octets.
  private static func digits(_ address: String) -> String { address.uppercased().filter(\.isHexDigit) }

  /// The services that a scan can be limited to without losing a match; `nil` where it cannot be limited.
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

/// Where a device's address stands in its manufacturer data, as its vendor's document says.
public struct DeviceAddressRule: Sendable, Hashable, Codable {
  /// The place of the first of its 6 octets, counted from behind the company's number.
  public var offset: Int
  /// The order of the octets: addresses are written most significant first.
  public var order: ByteOrder

  /// Where the address stands, and which way round.
  public init(offset: Int, order: ByteOrder = .bigEndian) {
    self.offset = offset
    self.order = order
  }

  /// The address as `AA:BB:CC:DD:EE:FF`; `nil` if the data is too short.
  public func address(in advertisement: Advertisement) -> String? {
    guard offset >= 0, let content = advertisement.manufacturer?.content, content.count - 6 >= offset else {
      return nil
    }
    let octets = content.dropFirst(offset).prefix(6)
    return Hexadecimal.encode(order == .bigEndian ? Array(octets) : octets.reversed(), style: .address)
  }
}
