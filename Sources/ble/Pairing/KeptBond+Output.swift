import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import Foundation

extension KeptBond {
  /// One line of a list.
  func line(_ style: Style) -> String {
    let name = quotedNames.map { "  \($0)" } ?? ""
    return "\(style.strong(bond.identity.description))\(name)  \(bond.keys.security.summary)"
  }

  /// All properties, as lines of text; with the keys if `withKeys`.
  func lines(_ style: Style, withKeys: Bool) -> [String] {
    let keys = allKeys.filter { $0.value != nil }
    var lines = [
      style.strong(bond.identity.description) + (quotedNames.map { "  \($0)" } ?? ""),
      "  address     \(addressKind.text)"
        + (bond.keys.peerIdentityResolvingKey == nil ? "" : ", uses private addresses"),
      "  identifier  \(peer?.identifier.uuid.uuidString ?? "none: it was not met since the peer file was created")",
      "  bond of     \(adapterTitle)",
      "  protection  \(bond.keys.security.summary)",
      "  keys        \(keys.isEmpty ? "none" : keys.map(\.name).joined(separator: ", "))",
    ]
    if bond.clientState != nil { lines.append("  subscribed  its subscriptions are kept") }
    if bond.layout != nil { lines.append("  layout      its attributes are cached: they are not discovered again") }
    if withKeys {
      for key in keys { lines.append("  \(key.label)  \(key.value?.text ?? "")") }
    } else if !keys.isEmpty {
      lines.append(style.faint("  '--with-keys' prints the keys."))
    }
    return lines
  }

  private typealias Key = (name: String, label: String, member: String, value: KeyText?)

  /// The keys: in a list of what there is, in front of the key itself, and in JSON.
  private var allKeys: [Key] {
    let keys = bond.keys
    return [
      ("as central", "key as central   ", "as_central", keys.keyAsCentral.map(KeyText.init)),
      ("as peripheral", "key as peripheral", "as_peripheral", keys.keyAsPeripheral.map(KeyText.init)),
      ("resolving", "resolving key    ", "resolving", keys.peerIdentityResolvingKey.map(KeyText.init)),
      ("signing", "signing key      ", "signing", keys.localSigningKey.map(KeyText.init)),
      ("verifying", "verifying key    ", "verifying", keys.peerSigningKey.map(KeyText.init)),
    ]
  }

  /// All members, and with `withKeys` the keys.
  func json(withKeys: Bool) -> JSONValue {
    guard withKeys else { return json }
    let keys = allKeys.map { JSONValue.Member(key: $0.member, value: $0.value?.json ?? .null) }
    return .combined(json, .object(["keys": .object(keys)]))
  }
}

extension KeptBond: Report {
  static let members: [ReportMember<Self>] =
    [
      .init("adapter") { .word($0.adapter.description) }, .init("adapter_name") { .text($0.place) },
      .init("address") { .word($0.bond.identity.description) }, .init("address_kind") { .word($0.addressKind.word) },
      .init("identifier") { .word($0.peer?.identifier.uuid.uuidString) }, .init("name") { .text($0.peer?.name) },
      .init("advertised_name") { .text($0.peer?.advertisedName) },
    ] + PairingSecurity.members.map { $0.of(\.bond.keys.security) } + [
      .init("private_addresses") { .flag($0.bond.keys.peerIdentityResolvingKey != nil) },
      .init("signs") { .flag($0.bond.keys.localSigningKey != nil || $0.bond.keys.peerSigningKey != nil) },
      .init("subscriptions_kept") { .flag($0.bond.clientState != nil) },
      .init("layout_kept") { .flag($0.bond.layout != nil) },
    ]

  private var addressKind: (word: String, text: String) {
    bond.identity.kind == .public ? ("public", "public") : ("random", "random static")
  }
}

/// A key as text, for output that was requested explicitly.
private struct KeyText {
  let text: String
  let json: JSONValue

  init(_ key: SecretKey) {
    text = key.digits
    json = .string(text)
  }

  init(_ key: LongTermKey) {
    let (diversifier, random) = (Self.digits(UInt64(key.encryptedDiversifier), 4), Self.digits(key.randomNumber, 16))
    let isLegacy = key.randomNumber != 0 || key.encryptedDiversifier != 0
    text = key.key.digits + (isLegacy ? "  EDIV \(diversifier) Rand \(random)" : "")
    json = .object(["key": .string(key.key.digits), "ediv": .string(diversifier), "rand": .string(random)])
  }

  private static func digits(_ value: UInt64, _ count: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}

extension SecretKey {
  /// Thirty-two digits, most significant first, for output that was requested explicitly.
  fileprivate var digits: String { revealMostSignificantFirst().hexadecimal }
}
