import BLECore
import BLECrypto
import BLESession

/// Finds whose a private address is, by the identity resolving keys of devices (Core, Vol 6 Part B 1.3.2.3).
final class IdentityKeys: Sendable {
  private struct State {
    var resolvers: [(name: String, resolver: IdentityResolver)] = []
    /// What was found, so that a repeated advertisement costs nothing.
    var found: [UInt64: String?] = [:]
    var recent = RecentNames<UInt64>()

    mutating func name(of address: DeviceAddress) -> String? {
      if let forgotten = recent.use(address.value, most: IdentityKeys.mostAddresses) { found[forgotten] = nil }
      if let known = found[address.value] { return known }
      let name = resolvers.first { $0.resolver.resolves(address) }?.name
      found[address.value] = .some(name)
      return name
    }
  }

  /// Of more addresses, those that were heard longest ago are resolved again.
  static let mostAddresses = 4_096

  private let state = Guarded(State())

  /// Of how many addresses is remembered whose they are.
  var count: Int { state.with { $0.found.count } }

  /// By the names of devices.
  func replace(_ keys: [String: SecretKey]) {
    let resolvers = keys.sorted { $0.key < $1.key }.map { (name: $0.key, resolver: IdentityResolver(irk: $0.value)) }
    state.with { $0 = State(resolvers: resolvers) }
  }

  /// The name of the device; `nil` for an address that is not private, or of another device.
  func name(of address: DeviceAddress?) -> String? {
    guard let address, address.randomKind == .resolvablePrivate else { return nil }
    return state.with { $0.resolvers.isEmpty ? nil : $0.name(of: address) }
  }
}
