import BLECore
import BLECrypto

/// Finds out who is behind resolvable private addresses (Core, Vol 3 Part C 10.8.2.3). On the loop.
///
/// An address is computed once; what came of it is remembered for as long as there is room. Two devices with one key are kept
/// apart by being found by neither: an address that two keys resolve, or one key of two devices, names nobody.
struct IdentityTable {
  /// Addresses that are remembered.
  static let capacity = 4_096

  private var resolvers: [(identity: DeviceAddress, resolver: IdentityResolver)] = []
  private var known: [UInt64: DeviceAddress?] = [:]
  /// The private address by which each identity was heard last.
  private var latest: [DeviceAddress: DeviceAddress] = [:]

  /// False: no address can be resolved.
  var isUseful: Bool { !resolvers.isEmpty }

  /// - Parameter bonds: whose keys resolve addresses from now on.
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

  /// Who sends by this address; `nil` where it is no private one, or of nobody who is known.
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

  /// The address by which a device was heard last, where that was a private one.
  func latestAddress(of identity: DeviceAddress) -> DeviceAddress? { latest[identity] }

  /// Whether this identity may be hidden behind private addresses.
  func isPrivate(_ identity: DeviceAddress) -> Bool { resolvers.contains { $0.identity == identity } }
}
