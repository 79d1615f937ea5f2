/// How much of a message is read: beyond it the message is refused, with an error of its own call only.
struct BusLimits: Hashable, Sendable {
  /// Containers inside one another, variants included.
  var depth: Int
  /// Values of all kinds, containers included; an array of octets is one.
  var elements: Int
  /// Of all strings and arrays of octets together.
  var octets: Int

  /// What the bus itself lets through (D-Bus specification, "Valid signatures": 32 arrays in 32 structures).
  static let deepest = 64

  /// For answers and signals about one object.
  static let standard = BusLimits(depth: 24, elements: 100_000, octets: 1 << 22)
  /// For the list of all objects of a daemon: some 14,000 devices with 70 values each.
  static let allObjects = BusLimits(depth: 24, elements: 1_000_000, octets: 1 << 26)
}
