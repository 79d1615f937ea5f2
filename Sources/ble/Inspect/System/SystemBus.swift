import Foundation

/// The system message bus, which connects to BlueZ's daemon, as far as files show it: no connection is made.
struct SystemBus: Equatable, Sendable {
  enum Access: Equatable, Sendable {
    case missing
    case notPermitted
    case open
    /// The address names no socket in the file system.
    case unknown
  }

  /// The path of its socket.
  let path: String?
  let access: Access

  static let standardPath = "/run/dbus/system_bus_socket"

  init(on machine: Machine) {
    path = machine.variable("DBUS_SYSTEM_BUS_ADDRESS").map(Self.path) ?? Self.standardPath
    guard let path else {
      access = .unknown
      return
    }
    guard let entry = machine.entry(path), entry.kind == .socket else {
      access = .missing
      return
    }
    access = machine.isReadableAndWritable(path) ? .open : .notPermitted
  }

  /// The first path of an address (D-Bus Specification, "Server Addresses"): `unix:path=/run/bus,guid=...;tcp:...`.
  private static func path(_ address: String) -> String? {
    for server in address.split(separator: ";") where server.hasPrefix("unix:") {
      for pair in server.dropFirst(5).split(separator: ",") where pair.hasPrefix("path=") {
        return String(pair.dropFirst(5)).removingPercentEncoding
      }
    }
    return nil
  }
}

/// Which users may send messages to BlueZ's daemon, according to the bus's policy files (dbus-daemon(1), CONFIGURATION FILE).
struct BusPolicy: Equatable, Sendable {
  /// Whether all users may.
  private(set) var isOpen = false
  /// The names of groups whose members may.
  private(set) var groups: [String] = []

  static let places = [
    "/usr/share/dbus-1/system.d/bluetooth.conf", "/etc/dbus-1/system.d/bluetooth.conf",
    "/usr/share/dbus-1/system.d/org.bluez.conf",
  ]

  /// Returns `nil` if there is no readable policy.
  init?(on machine: Machine) {
    let texts = Self.places.compactMap { machine.text(of: $0) }
    if texts.isEmpty { return nil }
    for text in texts { read(text) }
  }

  init(_ text: String) { read(text) }

  /// Evaluates the tags in order. Later rules override earlier ones; a denial is a rule, too.
  private mutating func read(_ text: String) {
    var context: [Substring: Substring] = [:]
    for tag in Self.tags(text) {
      switch tag.name {
      case "policy": context = tag.attributes
      case "/policy": context = [:]
      case "allow" where tag.attributes["send_destination"] == "org.bluez": rule(context, isAllowed: true)
      case "deny" where tag.attributes["send_destination"] == "org.bluez": rule(context, isAllowed: false)
      default: break
      }
    }
  }

  private mutating func rule(_ context: [Substring: Substring], isAllowed: Bool) {
    if let kind = context["context"], kind == "default" || kind == "mandatory" { isOpen = isAllowed }
    guard let group = context["group"].map(String.init) else { return }
    groups.removeAll { $0 == group }
    if isAllowed { groups.append(group) }
  }

  private struct Tag {
    let name: Substring
    let attributes: [Substring: Substring]
  }

  private static func tags(_ text: String) -> [Tag] {
    var tags: [Tag] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[start...]
      if rest.hasPrefix("<!--") {
        guard let end = rest.range(of: "-->") else { return tags }
        rest = rest[end.upperBound...]
        continue
      }
      guard let end = rest.firstIndex(of: ">") else { return tags }
      tags.append(tag(rest[rest.index(after: rest.startIndex)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return tags
  }

  private static func tag(_ content: Substring) -> Tag {
    let name = content.prefix { !$0.isWhitespace }
    var attributes: [Substring: Substring] = [:]
    var rest = content.dropFirst(name.count)
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].drop { $0.isWhitespace }
      rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
      guard let quote = rest.first, quote == "\"" || quote == "'" else { break }
      let value = rest.dropFirst().prefix { $0 != quote }
      attributes[key.prefix { !$0.isWhitespace }] = value
      rest = rest[value.endIndex...].dropFirst()
    }
    return Tag(name: name.hasSuffix("/") && name.count > 1 ? name.dropLast() : name, attributes: attributes)
  }
}
