import BLECore
import BLECrypto
import BLEWire

/// The peers whose private addresses the controller resolves, and for which it has private addresses of its own
/// (Core, Vol 6 Part B 6).
struct ResolvingList {
  /// A peer by its identity.
  final class Entry {
    /// A public or random static address.
    let identity: HCIAddress
    /// `nil` where the peer's key is zero: it uses no private addresses.
    let peerResolver: IdentityResolver?
    /// `nil` where this device's key is zero: it uses none towards this peer.
    let localResolver: IdentityResolver?
    var mode = LEPrivacyMode.network
    /// What the peer was seen with last.
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

    /// As events tell it once the private address has been resolved.
    var resolvedIdentity: HCIAddress {
      HCIAddress(type: identity.type == .public ? .publicIdentity : .randomIdentity, value: identity.address.value)
    }
  }

  /// An address that was made here, and when.
  fileprivate struct PrivateAddress {
    var address: DeviceAddress?
    var made = StackInstant.zero
  }

  private(set) var entries: [Entry] = []
  /// Whether the addresses of peers are resolved.
  var isEnabled = false { didSet { known = [:] } }
  /// How long an address that is made here is used.
  var timeout = StackDuration.seconds(900)
  private var byIdentity: [DeviceAddress: Entry] = [:]
  /// What came of addresses that were asked about: resolving costs a block of AES for each entry.
  private var known: [DeviceAddress: Entry?] = [:]
  private static let knownLimit = 4_096

  /// Addresses have to be asked about.
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

  /// Whose private address this is; `nil` where it is none or nobody's.
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

  /// In network privacy mode a peer that has given a key is not heard under its identity address
  /// (Core, Vol 6 Part B 6.5).
  func ignores(_ address: DeviceAddress) -> Bool {
    guard isActive, let entry = byIdentity[address] else { return false }
    return entry.peerResolver != nil && entry.mode == .network
  }

  // MARK: Addresses of this device

  /// The private address that this device shows to a peer; `nil` where it has none.
  func localAddress(for peer: DeviceAddress, now: StackInstant, chance: SeededEntropy) -> DeviceAddress? {
    guard let entry = byIdentity[peer] else { return nil }
    return address(entry.localResolver, &entry.local, now, chance)
  }

  /// The private address of the peer that a directed advertisement is for; `nil` where the peer has none.
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

  /// A private address of this device, whoever it was made for.
  func isOwn(_ address: DeviceAddress) -> Bool {
    guard isActive, address.randomKind == .resolvablePrivate else { return false }
    return entries.contains { $0.local.address == address || $0.localResolver?.resolves(address) == true }
  }

  /// The private address was made here and not set by the host.
  func wasMadeHere(_ address: DeviceAddress) -> Bool { entries.contains { $0.local.address == address } }
}
