import BLECore
import BLECrypto

/// Resolves private addresses to identities (Core, Vol 3 Part C 10.8.2.3). On the loop.
///
/// An address is resolved once, and the result cached while there is room. If the keys of two devices resolve an address, even if
/// the keys are equal, it counts as unresolved.
struct IdentityTable {
  /// The number of cached addresses.
  static let capacity = 4_096

  private var resolvers: [(identity: DeviceAddress, resolver: IdentityResolver)] = []
  private var known: [UInt64: DeviceAddress?] = [:]
  /// The private address that each device used last.
  private var latest: [DeviceAddress: DeviceAddress] = [:]

  /// Whether any address can be resolved.
  var isUseful: Bool { !resolvers.isEmpty }

  /// - Parameter bonds: the bonds whose keys resolve addresses from now on.
  mutating func setBonds(_ bonds: some Sequence<Bond>) {
    resolvers = []
    known = [:]
    for bond in bonds {
      guard let key = bond.keys.peerIdentityResolvingKey, !key.isZero else { continue }
      resolvers.append((bond.identity, IdentityResolver(irk: key)))
    }
    let identities = Set(resolvers.map(\.identity))
    latest = latest.filter { identities.contains($0.key) }
  }

  /// Returns the identity that a resolvable private address resolves to; `nil` for other addresses or an unknown device.
  mutating func identity(behind address: DeviceAddress) -> DeviceAddress? {
    guard address.randomKind == .resolvablePrivate else { return nil }
    if let remembered = known[address.key] { return remembered }
    let matches = resolvers.filter { $0.resolver.resolves(address) }
    let identity = matches.count == 1 ? matches[0].identity : nil
    if known.count >= Self.capacity { known = [:] }
    known[address.key] = .some(identity)
    if let identity { latest[identity] = address }
    return identity
  }

  /// Returns the private address that a device used last.
  func latestAddress(of identity: DeviceAddress) -> DeviceAddress? { latest[identity] }

  /// Whether this device may use private addresses: its resolving key is known.
  func isPrivate(_ identity: DeviceAddress) -> Bool { resolvers.contains { $0.identity == identity } }
}
