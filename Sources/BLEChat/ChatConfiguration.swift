import BLESession
import CoreBluetooth

/// How a chat finds the other side, and what it discloses about this one.
public struct ChatConfiguration: Sendable {
  /// Which side of the link a chat takes.
  public enum Role: Sendable, Hashable {
    /// Either: it advertises and scans, and if two links are established both sides keep the same one.
    case automatic
    /// Only scans and connects.
    case central
    /// Only advertises.
    case peripheral
  }

  /// The name for the other side, of which at most 64 octets are sent. As much as fits is advertised.
  public var name: String
  /// Which side of the link this one takes.
  public var role: Role
  /// The name of the only partner to accept; `nil` for any.
  public var partner: String?
  /// The cryptography; `nil` for a chat that can't encrypt.
  public var cryptography: (any SessionCryptography)?
  /// Whether this side requires encryption. Otherwise it still encrypts if the other side requires it.
  public var requiresEncryption: Bool
  /// The number of this run of the chat; `nil` for a random one. The two sides must have different ones.
  public var identifier: UInt64?
  /// Octets of messages that may wait to be delivered; beyond that `send` waits.
  public var outboxLimit: Int
  /// Octets of messages that may wait to be read by `next`; beyond that the other side waits.
  public var inboxLimit: Int

  /// A chat of that name, with defaults that suit most programs.
  public init(
    name: String, role: Role = .automatic, partner: String? = nil, cryptography: (any SessionCryptography)? = nil,
    requiresEncryption: Bool = false, identifier: UInt64? = nil, outboxLimit: Int = 1 << 20, inboxLimit: Int = 1 << 18
  ) {
    self.name = name
    self.role = role
    self.partner = partner
    self.cryptography = cryptography
    self.requiresEncryption = requiresEncryption
    self.identifier = identifier
    self.outboxLimit = outboxLimit
    self.inboxLimit = inboxLimit
  }
}
