import BLEAdapter
import BLECore
import BLEWire

/// What a link must be before an attribute is touched (Core, Vol 3 Part F 3.2.5, Part C 10.2).
public struct AccessRequirement: Hashable, Sendable {
  public enum Security: Int, Comparable, Hashable, Sendable {
    /// An open link will do.
    case none = 0
    /// Encrypted, by whatever pairing.
    case encryption = 1
    /// Encrypted with keys that an impostor in the middle cannot have.
    case authentication = 2
    /// The same, from LE Secure Connections.
    case secureConnections = 3
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  public var security: Security
  /// Somebody must have allowed this peer to touch the attribute.
  public var needsAuthorization: Bool
  /// Octets of the encryption key that are asked for, where encryption is.
  public var minimumKeySize: UInt8

  public init(_ security: Security = .none, needsAuthorization: Bool = false, minimumKeySize: UInt8 = 7) {
    self.security = security
    self.needsAuthorization = needsAuthorization
    self.minimumKeySize = minimumKeySize
  }

  /// What the facade asks for.
  public init(demand: SecurityDemand) {
    switch demand {
    case .none: self.init(.none)
    case .encryption: self.init(.encryption)
    case .authentication: self.init(.authentication)
    }
  }

  public static let open = AccessRequirement()
}

/// Who may do what with an attribute.
public struct AttributePermissions: Hashable, Sendable {
  /// `nil`: not at all.
  public var read: AccessRequirement?
  /// `nil`: not at all.
  public var write: AccessRequirement?
  /// Ways to write that are open, where writing is.
  public var writeForms: WriteForms

  public struct WriteForms: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// With response, in one or in parts.
    public static let request = WriteForms(rawValue: 1)
    /// Without response.
    public static let command = WriteForms(rawValue: 2)
    /// Without response and signed, or without response on an encrypted link, where a signature would prove nothing more
    /// (Core, Vol 3 Part C 10.4.1).
    public static let signed = WriteForms(rawValue: 4)
    public static let all: WriteForms = [.request, .command, .signed]
  }

  public init(
    read: AccessRequirement? = nil, write: AccessRequirement? = nil, writeForms: WriteForms = .all
  ) {
    self.read = read
    self.write = write
    self.writeForms = writeForms
  }

  public static let readable = AttributePermissions(read: .open)

  /// Whether some way to the attribute is open only to a peer that there are keys of.
  var wantKeys: Bool {
    (read?.security ?? .none) > .none || write.map { $0.security > .none || writeForms == .signed } ?? false
  }
}

/// How well a link is protected, as the controller and the security manager know it.
public struct LinkSecurity: Hashable, Sendable {
  public var isEncrypted: Bool
  /// The keys in use came from a pairing that an impostor in the middle cannot have taken part in.
  public var isAuthenticated: Bool
  /// The keys in use came from LE Secure Connections.
  public var usesSecureConnections: Bool
  /// Octets of the key in use; 16 or less.
  public var keySize: UInt8
  /// There are keys for this peer, whether they are in use or not.
  public var isBonded: Bool
  /// Somebody has allowed this peer to touch what needs it.
  public var isAuthorized: Bool

  public init(
    isEncrypted: Bool = false, isAuthenticated: Bool = false, usesSecureConnections: Bool = false, keySize: UInt8 = 0,
    isBonded: Bool = false, isAuthorized: Bool = false
  ) {
    self.isEncrypted = isEncrypted
    self.isAuthenticated = isAuthenticated
    self.usesSecureConnections = usesSecureConnections
    self.keySize = keySize
    self.isBonded = isBonded
    self.isAuthorized = isAuthorized
  }

  /// A link that nothing protects.
  public static let open = LinkSecurity()
}

extension AccessRequirement {
  /// Why a link of this security must not touch the attribute; `nil` where it may (Core, Vol 3 Part C 10.3.1).
  func refusal(of link: LinkSecurity) -> ATTErrorCode? {
    if security > .none {
      guard link.isEncrypted else { return link.isBonded ? .insufficientEncryption : .insufficientAuthentication }
      if security >= .authentication && !link.isAuthenticated { return .insufficientAuthentication }
      if security >= .secureConnections && !link.usesSecureConnections { return .insufficientAuthentication }
      if link.keySize < minimumKeySize { return .encryptionKeySizeTooShort }
    }
    if needsAuthorization && !link.isAuthorized { return .insufficientAuthorization }
    return nil
  }
}

extension AttributePermissions {
  /// Why a link must not read; `nil` where it may.
  func readRefusal(of link: LinkSecurity) -> ATTErrorCode? {
    guard let read else { return .readNotPermitted }
    return read.refusal(of: link)
  }

  /// Why a link must not write in this way; `nil` where it may.
  func writeRefusal(of link: LinkSecurity, form: WriteForms) -> ATTErrorCode? {
    guard let write else { return .writeNotPermitted }
    if !writeForms.contains(form) {
      // A signed command is a command; and an encrypted link needs no signature.
      let isOpen =
        form == .signed && writeForms.contains(.command)
        || form == .command && writeForms.contains(.signed) && link.isEncrypted
      if !isOpen { return .writeNotPermitted }
    }
    return write.refusal(of: link)
  }
}
