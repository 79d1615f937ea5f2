/// One process of a gateway: the gateway's name, and a word that is drawn when the process begins.
///
/// Leases are held by instances and not by names: a gateway that begins again does not know the devices that its earlier process held,
/// and of two gateways that have been given one name only one holds a device.
public struct GatewayInstance: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name in the configuration: 1 to 64 letters, digits, `-`, `_`, `.` and `:`.
  public let gateway: String
  /// Drawn at random at each start; characters as those of `gateway`.
  public let instance: String

  /// Returns `nil` if a name is not valid.
  public init?(gateway: String, instance: String) {
    guard Self.isName(gateway), Self.isName(instance) else { return nil }
    self.gateway = gateway
    self.instance = instance
  }

  /// Whether a text can be the name of a gateway or a device in leases: it is one level of a topic, without wildcards, and needs no
  /// escapes in JSON.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
      }
  }

  /// By name, then by instance. Which of two is the greater has no meaning; all who compare them get the same.
  public static func < (left: Self, right: Self) -> Bool {
    left.gateway == right.gateway ? left.instance < right.instance : left.gateway < right.gateway
  }

  /// `hall/5f2c`.
  public var description: String { gateway + "/" + instance }
}
