/// Why octets from outside could not be decoded.
///
/// A decoder never traps and never returns just `nil`: the error has the layer, the field and the offset, and the octets, so that
/// a log line is enough to diagnose it.
public struct DecodeError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Reason: Equatable, Sendable {
    /// The field needs `needed` octets and only `available` are left.
    case truncated(needed: Int, available: Int)
    /// `count` octets are left over at the end of the packet.
    case trailing(count: Int)
    /// The field holds a value that its layer cannot represent.
    case invalid(String)
  }

  /// The layer that was decoding, for example `HCI event` or `ATT`.
  public let layer: String
  /// The field's name as the specification spells it.
  public let field: String
  /// Offset of the field from the start of the packet, in octets.
  public let offset: Int
  public let reason: Reason
  /// The packet's first octets, at most `octetLimit` of them.
  public let octets: [UInt8]

  /// The maximum number of octets that an error keeps.
  public static let octetLimit = 64

  public init(layer: String, field: String, offset: Int, reason: Reason, octets: some Sequence<UInt8>) {
    self.layer = layer
    self.field = field
    self.offset = offset
    self.reason = reason
    self.octets = Array(octets.prefix(Self.octetLimit))
  }

  public var description: String {
    let why =
      switch reason {
      case .truncated(let needed, let available): "needs \(needed) octets, \(available) left"
      case .trailing(let count): "\(count) octets left over"
      case .invalid(let text): text
      }
    return "\(layer): \(field) at offset \(offset): \(why) [\(octets.hexadecimal)]"
  }
}
