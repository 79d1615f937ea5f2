import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import Foundation

extension KeptBond {
  /// One line of a list.
  func line(_ style: Style) -> String {
    let name = peer?.name.map { "  '\($0.inert)'" } ?? ""
    return "\(style.strong(bond.identity.description))\(name)  \(bond.keys.security.summary)"
  }

  /// All properties, as lines of text; with the keys if `withKeys`.
  func lines(_ style: Style, withKeys: Bool) -> [String] {
    let keys = bond.keys
    var lines = [
      style.strong(bond.identity.description) + (peer?.name.map { "  '\($0.inert)'" } ?? ""),
      "  address     \(bond.identity.kind == .public ? "public" : "random static")"
        + (keys.peerIdentityResolvingKey == nil ? "" : ", uses private addresses"),
      "  identifier  \(peer?.identifier.uuid.uuidString ?? "none: it was not met since the peer file was created")",
      "  bond of     \(adapterTitle)",
      "  protection  \(keys.security.summary)",
      "  keys        \(keyNames.isEmpty ? "none" : keyNames.joined(separator: ", "))",
    ]
    if bond.clientState != nil { lines.append("  subscribed  its subscriptions are kept") }
    if bond.layout != nil { lines.append("  layout      its attributes are cached: they are not discovered again") }
    if withKeys {
      for (name, value) in keyTexts { lines.append("  \(name)  \(value)") }
    } else if !keyNames.isEmpty {
      lines.append(style.faint("  '--with-keys' prints the keys."))
    }
    return lines
  }

  private var keyNames: [String] {
    let keys = bond.keys
    return [
      keys.keyAsCentral.map { _ in "as central" }, keys.keyAsPeripheral.map { _ in "as peripheral" },
      keys.peerIdentityResolvingKey.map { _ in "resolving" }, keys.localSigningKey.map { _ in "signing" },
      keys.peerSigningKey.map { _ in "verifying" },
    ].compactMap(\.self)
  }

  private var keyTexts: [(String, String)] {
    let keys = bond.keys
    func text(_ key: LongTermKey) -> String {
      key.key.digits
        + (key.randomNumber == 0 && key.encryptedDiversifier == 0
          ? "" : "  EDIV \(Self.digits(UInt64(key.encryptedDiversifier), 4)) Rand \(Self.digits(key.randomNumber, 16))")
    }
    return [
      ("key as central   ", keys.keyAsCentral.map(text)), ("key as peripheral", keys.keyAsPeripheral.map(text)),
      ("resolving key    ", keys.peerIdentityResolvingKey?.digits), ("signing key      ", keys.localSigningKey?.digits),
      ("verifying key    ", keys.peerSigningKey?.digits),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  func json(withKeys: Bool) -> JSONValue {
    let keys = bond.keys
    var members: [(String, JSONValue)] = [
      ("adapter", .string(adapter.description)), ("adapter_name", .string(orNull: place)),
      ("address", .string(bond.identity.description)),
      ("address_kind", .string(bond.identity.kind == .public ? "public" : "random")),
      ("identifier", .string(orNull: peer?.identifier.uuid.uuidString)), ("name", .string(orNull: peer?.name)),
    ]
    members += keys.security.json
    members += [
      ("private_addresses", .bool(keys.peerIdentityResolvingKey != nil)),
      ("signs", .bool(keys.localSigningKey != nil || keys.peerSigningKey != nil)),
      ("subscriptions_kept", .bool(bond.clientState != nil)), ("layout_kept", .bool(bond.layout != nil)),
    ]
    if withKeys { members.append(("keys", keyJSON)) }
    return .members(members)
  }

  private var keyJSON: JSONValue {
    func value(_ key: LongTermKey?) -> JSONValue {
      guard let key else { return .null }
      return .object([
        "key": .string(key.key.digits), "ediv": .string(Self.digits(UInt64(key.encryptedDiversifier), 4)),
        "rand": .string(Self.digits(key.randomNumber, 16)),
      ])
    }
    let keys = bond.keys
    return .object([
      "as_central": value(keys.keyAsCentral), "as_peripheral": value(keys.keyAsPeripheral),
      "resolving": .string(orNull: keys.peerIdentityResolvingKey?.digits),
      "signing": .string(orNull: keys.localSigningKey?.digits),
      "verifying": .string(orNull: keys.peerSigningKey?.digits),
    ])
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
