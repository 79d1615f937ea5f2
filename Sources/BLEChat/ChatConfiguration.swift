import BLESession
import CoreBluetooth

/// How a chat looks for the other side, and what it tells of itself.
public struct ChatConfiguration: Sendable {
  /// Which side of the link a chat may be.
  public enum Role: Sendable, Hashable {
    /// Whatever comes first: it advertises and scans, and where two links come about, both sides keep the same one.
    case automatic
    /// Only scans and connects.
    case central
    /// Only advertises.
    case peripheral
  }

  /// What the other side reads; 64 octets of it at the most. As much as fits is advertised.
  public var name: String
  /// Which side of a link this one takes.
  public var role: Role
  /// The only other side to talk to, by its name; `nil` for whoever comes first.
  public var partner: String?
  /// What encrypts; `nil` where nothing can.
  public var cryptography: (any SessionCryptography)?
  /// Whether this side talks encrypted only. Where it doesn't ask for it, it follows another side that does.
  public var requiresEncryption: Bool
  /// The number of this run of the chat; `nil` for one of chance. Two sides never have the same.
  public var identifier: UInt64?
  /// Octets of messages that may wait to be delivered; `send` waits past that.
  public var outboxLimit: Int
  /// Octets of messages that may wait to be taken by `next`; the other side waits past that.
  public var inboxLimit: Int

  /// A chat of that name; everything else as it is for most.
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
