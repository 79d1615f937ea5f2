import BLEAdapter
import BLECore
import BLEWire

/// The security that a link needs for access to an attribute (Core, Vol 3 Part F 3.2.5, Part C 10.2).
public struct AccessRequirement: Hashable, Sendable {
  public enum Security: Int, Comparable, Hashable, Sendable {
    /// No encryption.
    case none = 0
    /// Encryption, with keys of any pairing.
    case encryption = 1
    /// Encryption with keys of an authenticated pairing, which a man in the middle cannot have.
    case authentication = 2
    /// Encryption with keys of an authenticated LE Secure Connections pairing.
    case secureConnections = 3
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  public var security: Security
  /// Whether the peer must have been authorized for access to the attribute.
  public var needsAuthorization: Bool
  /// The minimum size of the encryption key in octets, if encryption is required.
  public var minimumKeySize: UInt8

  public init(_ security: Security = .none, needsAuthorization: Bool = false, minimumKeySize: UInt8 = 7) {
    self.security = security
    self.needsAuthorization = needsAuthorization
    self.minimumKeySize = minimumKeySize
  }

  /// The requirement for a demand of the facade.
  public init(demand: SecurityDemand) {
    switch demand {
    case .none: self.init(.none)
    case .encryption: self.init(.encryption)
    case .authentication: self.init(.authentication)
    }
  }

  public static let open = AccessRequirement()
}

/// The access permissions of an attribute.
public struct AttributePermissions: Hashable, Sendable {
  /// The requirement for reading; `nil` if reading is not permitted.
  public var read: AccessRequirement?
  /// The requirement for writing; `nil` if writing is not permitted.
  public var write: AccessRequirement?
  /// The forms of writing that are permitted, if writing is.
  public var writeForms: WriteForms

  public struct WriteForms: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// With response, in one request or several.
    public static let request = WriteForms(rawValue: 1)
    /// Without response.
    public static let command = WriteForms(rawValue: 2)
    /// Without response and signed, or without response on an encrypted link, where a signature is not needed
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

  /// Whether some access to the attribute requires keys shared with the peer.
  var requireKeys: Bool {
    (read?.security ?? .none) > .none || write.map { $0.security > .none || writeForms == .signed } ?? false
  }
}

/// The security of a link, as known to the controller and the security manager.
public struct LinkSecurity: Hashable, Sendable {
  public var isEncrypted: Bool
  /// The keys in use are of an authenticated pairing, with protection against a man in the middle.
  public var isAuthenticated: Bool
  /// The keys in use are of an LE Secure Connections pairing.
  public var usesSecureConnections: Bool
  /// The size of the key in use in octets; at most 16.
  public var keySize: UInt8
  /// There are keys for this peer, in use or not.
  public var isBonded: Bool
  /// The peer is authorized for attributes that require it.
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

  /// A link without encryption or keys.
  public static let open = LinkSecurity()
}

extension AccessRequirement {
  /// Returns why a link of this security has no access to the attribute; `nil` if it has (Core, Vol 3 Part C 10.3.1).
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
  /// Returns why a link may not read; `nil` if it may.
  func readRefusal(of link: LinkSecurity) -> ATTErrorCode? {
    guard let read else { return .readNotPermitted }
    return read.refusal(of: link)
  }

  /// Returns why a link may not write in this form; `nil` if it may.
  func writeRefusal(of link: LinkSecurity, form: WriteForms) -> ATTErrorCode? {
    guard let write else { return .writeNotPermitted }
    if !writeForms.contains(form) {
      // A signed command is also a command, and an encrypted link needs no signature.
      let isOpen =
        form == .signed && writeForms.contains(.command)
        || form == .command && writeForms.contains(.signed) && link.isEncrypted
      if !isOpen { return .writeNotPermitted }
    }
    return write.refusal(of: link)
  }
}
