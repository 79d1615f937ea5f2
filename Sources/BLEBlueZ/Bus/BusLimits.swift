/// How much of a message is read. A message beyond the limits is refused, which fails only its own call.
struct BusLimits: Hashable, Sendable {
  /// Levels of nested containers, variants included.
  var depth: Int
  /// Values of all kinds, containers included; an array of octets counts as one.
  var elements: Int
  /// The total length of all strings and arrays of octets.
  var octets: Int

  /// The bus's own limit (D-Bus specification, "Valid signatures": 32 arrays in 32 structures).
  static let deepest = 64

  /// For answers and signals about one object.
  static let standard = BusLimits(depth: 24, elements: 100_000, octets: 1 << 22)
  /// For the list of all objects of a daemon: about 14,000 devices with 70 values each.
  static let allObjects = BusLimits(depth: 24, elements: 1_000_000, octets: 1 << 26)
}
