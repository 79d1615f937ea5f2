import BLECore
import BLECrypto
import BLEWire

/// The peers whose private addresses the controller resolves, and for which it generates private addresses of its own (Core, Vol
/// 6 Part B 6).
struct ResolvingList {
  /// A peer, by its identity address.
  final class Entry {
    /// A public or random static address.
    let identity: HCIAddress
    /// `nil` if the peer's key is zero: it uses no private addresses.
    let peerResolver: IdentityResolver?
    /// `nil` if this device's key is zero: it uses none towards this peer.
    let localResolver: IdentityResolver?
    var mode = LEPrivacyMode.network
    /// The peer's latest address on the air.
    fileprivate(set) var peerAddress: DeviceAddress?
    fileprivate var local = PrivateAddress()
    fileprivate var target = PrivateAddress()

    init(identity: HCIAddress, peerKey: HCISecret, localKey: HCISecret) {
      self.identity = identity
      peerResolver = Self.resolver(peerKey)
      localResolver = Self.resolver(localKey)
    }

    private static func resolver(_ key: HCISecret) -> IdentityResolver? {
      let key = SecretKey(leastSignificantFirst: key.octets)
      return key.isZero ? nil : IdentityResolver(irk: key)
    }

    /// The identity in events, after the private address was resolved.
    var resolvedIdentity: HCIAddress {
      HCIAddress(type: identity.type == .public ? .publicIdentity : .randomIdentity, value: identity.address.value)
    }
  }

  /// A generated address, and the time of its generation.
  fileprivate struct PrivateAddress {
    var address: DeviceAddress?
    var made = StackInstant.zero
  }

  private(set) var entries: [Entry] = []
  /// Whether the addresses of peers are resolved.
  var isEnabled = false { didSet { known = [:] } }
  /// How long a generated address is used.
  var timeout = StackDuration.seconds(900)
  private var byIdentity: [DeviceAddress: Entry] = [:]
  /// The results of earlier lookups: resolving costs a block of AES for each entry.
  private var known: [DeviceAddress: Entry?] = [:]
  private static let knownLimit = 4_096

  /// Whether addresses have to be resolved.
  var isActive: Bool { isEnabled && !entries.isEmpty }

  func entry(of identity: HCIAddress) -> Entry? { entries.first { $0.identity == identity } }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    byIdentity[entry.identity.address] = entry
    known = [:]
  }

  mutating func remove(_ entry: Entry) {
    entries.removeAll { $0 === entry }
    byIdentity[entry.identity.address] = nil
    known = [:]
  }

  mutating func removeAll() {
    entries = []
    byIdentity = [:]
    known = [:]
  }

  // MARK: Addresses of peers

  /// The entry whose private address this is; `nil` if it is not private or does not resolve.
  mutating func resolve(_ address: DeviceAddress) -> Entry? {
    guard isActive, address.randomKind == .resolvablePrivate else { return nil }
    let entry: Entry?
    if let answer = known[address] {
      entry = answer
    } else {
      entry = entries.first { $0.peerResolver?.resolves(address) == true }
      if known.count >= Self.knownLimit { known.removeAll(keepingCapacity: true) }
      known.updateValue(entry, forKey: address)
    }
    entry?.peerAddress = address
    return entry
  }

  /// In network privacy mode a peer that has distributed its key is ignored under its identity address (Core, Vol 6 Part B 6.5).
  func ignores(_ address: DeviceAddress) -> Bool {
    guard isActive, let entry = byIdentity[address] else { return false }
    return entry.peerResolver != nil && entry.mode == .network
  }

  // MARK: Addresses of this device

  /// The private address of this device towards a peer; `nil` if it has none.
  func localAddress(for peer: DeviceAddress, now: StackInstant, chance: SeededEntropy) -> DeviceAddress? {
    guard let entry = byIdentity[peer] else { return nil }
    return address(entry.localResolver, &entry.local, now, chance)
  }

  /// The private address of the peer as the target of a directed advertisement; `nil` if the peer has none.
  func targetAddress(for peer: DeviceAddress, now: StackInstant, chance: SeededEntropy) -> DeviceAddress? {
    guard let entry = byIdentity[peer] else { return nil }
    return address(entry.peerResolver, &entry.target, now, chance)
  }

  private func address(
    _ resolver: IdentityResolver?, _ kept: inout PrivateAddress, _ now: StackInstant, _ chance: SeededEntropy
  ) -> DeviceAddress? {
    guard let resolver else { return nil }
    if let address = kept.address, now - kept.made < timeout { return address }
    let address = resolver.makeAddress(chance)
    kept = PrivateAddress(address: address, made: now)
    return address
  }

  /// Whether this is a private address of this device, towards any peer.
  func isOwn(_ address: DeviceAddress) -> Bool {
    guard isActive, address.randomKind == .resolvablePrivate else { return false }
    return entries.contains { $0.local.address == address || $0.localResolver?.resolves(address) == true }
  }

  /// Whether the private address was generated here and not set by the host.
  func wasMadeHere(_ address: DeviceAddress) -> Bool { entries.contains { $0.local.address == address } }
}
