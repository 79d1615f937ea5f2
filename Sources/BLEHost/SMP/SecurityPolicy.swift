import BLEWire

/// What this device offers and requires in a pairing.
public struct SecurityPolicy: Sendable {
  /// The I/O capability: what this device can display and its user can enter.
  public var ioCapability: SMPIOCapability
  /// Whether keys are stored for later connections. Unless both sides do, no keys are distributed.
  public var isBondable = true
  /// Whether to request protection against a man in the middle; pairing continues without it if the capabilities do not allow it.
  public var wantsAuthentication = false
  public var offersSecureConnections = true
  /// Whether legacy pairing is refused.
  public var requiresSecureConnections = false
  /// The lowest level that a pairing must reach; others are refused.
  public var minimumLevel = SecurityLevel.encrypted
  /// In octets, 7 to 16. Shorter keys are refused.
  public var minimumKeySize = 16
  /// In octets, 7 to 16.
  public var maximumKeySize = 16
  /// The methods that are not refused.
  public var allowedMethods = Set(PairingMethod.allCases)
  /// Whether the user is asked before pairing by Just Works.
  public var asksBeforeJustWorks = true
  /// Whether the specification's debug key is accepted from a peer. Only for debugging: any listener can decrypt the link.
  public var allowsDebugKey = false
  /// A fixed passkey that this device displays in each pairing, for devices that have it printed on them and cannot display
  /// anything; `nil` for a random one each time. Each pairing, also a failed one, discloses part of it to the peer and to listeners,
  /// until it is known.
  public var fixedPasskey: SixDigits?
  /// Whether keypress notifications are sent, if the peer supports them.
  public var sendsKeypresses = false
  /// Whether a central pairs or encrypts on a Security Request.
  public var answersSecurityRequests = true
  /// The keys that the initiator may distribute. The bit for BR/EDR keys is never sent.
  public var initiatorKeys: SMPKeyDistribution = [.encryption, .identity, .signing]
  /// The keys that the responder may distribute. The bit for BR/EDR keys is never sent.
  public var responderKeys: SMPKeyDistribution = [.encryption, .identity, .signing]

  public init(ioCapability: SMPIOCapability = .noInputNoOutput) { self.ioCapability = ioCapability }

  /// Secure Connections Only mode (Core, Vol 3 Part C 10.2.4): nothing below level 4.
  public static func secureConnectionsOnly(ioCapability: SMPIOCapability) -> SecurityPolicy {
    var policy = SecurityPolicy(ioCapability: ioCapability)
    policy.requiresSecureConnections = true
    policy.minimumLevel = .authenticatedSecureConnections
    return policy
  }

  /// The AuthReq bits for this policy.
  public var authenticationRequirements: SMPAuthenticationRequirements {
    var requirements: SMPAuthenticationRequirements = []
    if isBondable { requirements.insert(.bonding) }
    if wantsAuthentication || minimumLevel >= .authenticated { requirements.insert(.mitm) }
    if acceptsSecureConnections { requirements.insert(.secureConnections) }
    if sendsKeypresses { requirements.insert(.keypress) }
    return requirements
  }

  /// Returns whether this policy accepts keys of this security. Others are not used, even if they were accepted when they were made.
  public func accepts(_ security: PairingSecurity) -> Bool { objection(to: security) == nil }

  /// Returns the reason for refusing a pairing with this security; `nil` if it is accepted.
  func objection(to security: PairingSecurity) -> SMPPairingFailedReason? {
    if security.keySize < minimumKeySize { return .encryptionKeySize }
    if minimumLevel == .authenticatedSecureConnections, security.keySize < 16 { return .encryptionKeySize }
    if requiresSecureConnections, !security.isSecureConnections { return .authenticationRequirements }
    if security.level < minimumLevel { return .authenticationRequirements }
    if !allowedMethods.contains(security.method) { return .authenticationRequirements }
    if security.usesDebugKey, !allowsDebugKey { return .invalidParameters }
    return nil
  }

  var acceptsSecureConnections: Bool {
    offersSecureConnections || requiresSecureConnections || minimumLevel == .authenticatedSecureConnections
  }
}
