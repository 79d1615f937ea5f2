import BLEAdapter
import BLECore
import BLECrypto
import BLEHost

/// The text form of a bond file.
///
///     swift-corebluetooth bonds 1 <public|random> <address, 12 digits> <identity resolving key, 32 digits>
///     bond <public|random> <address> <method> <secure|legacy> <key size> <debug|plain>
///      central <key, 32 digits> <diversifier, 4> <random number, 16>
///      peripheral <key> <diversifier> <random number>
///      resolving <key>
///      signing <key> <next counter, 8>
///      verifying <key> <last counter, 8, or ->
///      unused
///      unconfirmed
///      client <features, 2> <known hash, 32, or -> <database hash, 32> <handle, 4>:<configuration, 4> ...
///      layout <octets>
///     end <number of bonds> <check, 8 digits>
///
/// All numbers are hexadecimal with the most significant digit first, except the key size and the count. A file without the last
/// line is truncated.
package enum BondText {
  private static let title = "swift-corebluetooth bonds 1"

  package static func encode(_ records: BondRecords, of adapter: DeviceAddress) -> [UInt8] {
    var text = "\(title) \(StoredText.words(for: adapter)) \(records.identityResolvingKey.digits)\n"
    for bond in records.bonds { append(bond, to: &text) }
    let check = StoredText.check(text.utf8)
    text += "end \(records.bonds.count) \(check.hexadecimal(8))\n"
    return Array(text.utf8)
  }

  private static func append(_ bond: Bond, to text: inout String) {
    let keys = bond.keys
    let security = keys.security
    text += "bond \(StoredText.words(for: bond.identity)) \(methodName(security.method))"
    text += " \(security.isSecureConnections ? "secure" : "legacy") \(security.keySize)"
    text += " \(security.usesDebugKey ? "debug" : "plain")\n"
    for (title, key) in [("central", keys.keyAsCentral), ("peripheral", keys.keyAsPeripheral)] {
      guard let key else { continue }
      let diversifier = key.encryptedDiversifier.hexadecimal(4)
      text += " \(title) \(key.key.digits) \(diversifier) \(key.randomNumber.hexadecimal(16))\n"
    }
    if let key = keys.peerIdentityResolvingKey { text += " resolving \(key.digits)\n" }
    if let key = keys.localSigningKey {
      text += " signing \(key.digits) \(bond.signing.nextLocal.hexadecimal(8))\n"
    }
    if let key = keys.peerSigningKey {
      text += " verifying \(key.digits) \(bond.signing.lastPeer.map { $0.hexadecimal(8) } ?? "-")\n"
    }
    if bond.isUnused { text += " unused\n" }
    if bond.isUnconfirmed { text += " unconfirmed\n" }
    if let state = bond.clientState {
      text += " client \(state.supportedFeatures.rawValue.hexadecimal(2))"
      text += " \(state.knownHash.isEmpty ? "-" : state.knownHash.hexadecimal) \(state.databaseHash.hexadecimal)"
      for (handle, configuration) in state.configurations.sorted(by: { $0.key < $1.key }) {
        text += " \(handle.rawValue.hexadecimal(4)):\(configuration.rawValue.hexadecimal(4))"
      }
      text += "\n"
    }
    if let record = bond.layout?.record { text += " layout \(record.hexadecimal)\n" }
  }

  // MARK: Reading

  /// Returns `nil` if this is not a complete bond file of `adapter`.
  package static func decode(_ octets: [UInt8], of adapter: DeviceAddress) -> BondRecords? {
    guard octets.last == 0x0A, let text = String(validating: octets, as: UTF8.self) else { return nil }
    var lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.count >= 2, let last = lines.popLast() else { return nil }
    let body = text.utf8.prefix(octets.count - last.utf8.count - 1)
    let end = last.split(separator: " ", omittingEmptySubsequences: false)
    guard end.count == 3, end[0] == "end", let count = Int(end[1]), UInt32(end[2], radix: 16) == StoredText.check(body),
      let first = lines.popFirst(), first.hasPrefix(title + " " + StoredText.words(for: adapter) + " "),
      let key = SecretKey(digits: first.suffix(32)),
      first.utf8.count == title.utf8.count + StoredText.words(for: adapter).utf8.count + 34
    else { return nil }
    var records = BondRecords(identityResolvingKey: key)
    while let line = lines.popFirst() {
      guard var reading = BondReader(line) else { return nil }
      while let detail = lines.first, detail.hasPrefix(" ") {
        guard reading.take(detail.dropFirst()) else { return nil }
        lines.removeFirst()
      }
      guard let bond = reading.bond else { return nil }
      records.put(bond)
    }
    return records.bonds.count == count ? records : nil
  }

  // MARK: Words

  static func methodName(_ method: PairingMethod) -> String {
    switch method {
    case .justWorks: "just-works"
    case .passkeyEntry: "passkey-entry"
    case .numericComparison: "numeric-comparison"
    case .outOfBand: "out-of-band"
    }
  }
}

/// Reads a bond line by line.
private struct BondReader {
  private let identity: DeviceAddress
  private let security: PairingSecurity
  private var keyAsCentral: LongTermKey?
  private var keyAsPeripheral: LongTermKey?
  private var resolving: SecretKey?
  private var signing: SecretKey?
  private var verifying: SecretKey?
  private var counters = SigningCounters()
  private var isUnused = false
  private var isUnconfirmed = false
  private var clientState: GATTClientState?
  private var layout: RemoteLayout?

  init?(_ line: Substring) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 7, words[0] == "bond", let identity = StoredText.address(words[1], words[2]),
      let method = PairingMethod.allCases.first(where: { BondText.methodName($0) == words[3] }),
      words[4] == "secure" || words[4] == "legacy", let size = Int(words[5]), (7...16).contains(size),
      words[6] == "debug" || words[6] == "plain"
    else { return nil }
    self.identity = identity
    security = PairingSecurity(
      method: method, isSecureConnections: words[4] == "secure", keySize: size, usesDebugKey: words[6] == "debug")
  }

  mutating func take(_ line: Substring) -> Bool {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    switch words.first {
    case "central":
      keyAsCentral = Self.longTermKey(words)
      return keyAsCentral != nil
    case "peripheral":
      keyAsPeripheral = Self.longTermKey(words)
      return keyAsPeripheral != nil
    case "resolving" where words.count == 2:
      resolving = SecretKey(digits: words[1])
      return resolving != nil
    case "signing" where words.count == 3:
      guard let key = SecretKey(digits: words[1]), let next = StoredText.number(words[2], 8) else { return false }
      signing = key
      counters.nextLocal = UInt32(clamping: next)
      return true
    case "verifying" where words.count == 3:
      guard let key = SecretKey(digits: words[1]) else { return false }
      verifying = key
      if words[2] == "-" { return true }
      guard let last = StoredText.number(words[2], 8) else { return false }
      counters.lastPeer = UInt32(clamping: last)
      return true
    case "unused" where words.count == 1:
      isUnused = true
      return true
    case "unconfirmed" where words.count == 1:
      isUnconfirmed = true
      return true
    case "client" where words.count >= 4: return takeClientState(words)
    case "layout" where words.count == 2:
      // Without a valid layout the device's database is discovered again.
      layout = [UInt8](hexadecimal: words[1]).flatMap { RemoteLayout(record: $0) }
      return true
    default: return false
    }
  }

  private mutating func takeClientState(_ words: [Substring]) -> Bool {
    guard let features = StoredText.number(words[1], 2), let known = Self.hash(words[2]),
      let database = Self.hash(words[3])
    else { return false }
    var configurations: [AttributeHandle: ClientConfiguration] = [:]
    for word in words.dropFirst(4) {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let handle = StoredText.number(parts[0], 4),
        let configuration = StoredText.number(parts[1], 4)
      else { return false }
      configurations[AttributeHandle(UInt16(handle))] = ClientConfiguration(rawValue: UInt16(configuration))
    }
    clientState = GATTClientState(
      configurations: configurations, supportedFeatures: ClientSupportedFeatures(rawValue: UInt8(features)),
      knownHash: known, databaseHash: database)
    return true
  }

  private static func hash(_ word: Substring) -> [UInt8]? {
    if word == "-" { return [] }
    guard let octets = [UInt8](hexadecimal: word), octets.count == 16 else { return nil }
    return octets
  }

  private static func longTermKey(_ words: [Substring]) -> LongTermKey? {
    guard words.count == 4, let key = SecretKey(digits: words[1]), let diversifier = StoredText.number(words[2], 4),
      let random = StoredText.number(words[3], 16)
    else { return nil }
    return LongTermKey(key: key, encryptedDiversifier: UInt16(diversifier), randomNumber: random)
  }

  var bond: Bond? {
    var bond = Bond(
      PairingResult(
        security: security, isBonded: true, peerIdentity: identity, keyAsCentral: keyAsCentral,
        keyAsPeripheral: keyAsPeripheral, peerIdentityResolvingKey: resolving, localSigningKey: signing,
        peerSigningKey: verifying))
    bond?.signing = counters
    bond?.isUnused = isUnused
    bond?.isUnconfirmed = isUnconfirmed
    bond?.clientState = clientState
    bond?.layout = layout
    return bond
  }
}

extension SecretKey {
  /// Thirty-two digits, most significant first: only for the bond file.
  fileprivate var digits: String { revealMostSignificantFirst().hexadecimal }

  fileprivate init?(digits: Substring) {
    guard digits.utf8.count == 32, let octets = [UInt8](hexadecimal: digits) else { return nil }
    self.init(mostSignificantFirst: octets)
  }
}
