import BLEWire

/// What this device offers in a pairing and what it insists on.
public struct SecurityPolicy: Sendable {
  /// What this device can show and what its user can type.
  public var ioCapability: SMPIOCapability
  /// Keys are kept for the next connection. Where the peer does not keep them either, none are handed out.
  public var isBondable = true
  /// Asks for protection against somebody in the middle, but goes on without where capabilities do not allow it.
  public var wantsAuthentication = false
  public var offersSecureConnections = true
  /// Refuses legacy pairing.
  public var requiresSecureConnections = false
  /// Refuses pairings that would not reach this level.
  public var minimumLevel = SecurityLevel.encrypted
  /// Octets, 7 to 16. Shorter keys are refused.
  public var minimumKeySize = 16
  /// Octets, 7 to 16.
  public var maximumKeySize = 16
  /// Refuses all other methods.
  public var allowedMethods = Set(PairingMethod.allCases)
  /// Asks the user before pairing by Just Works.
  public var asksBeforeJustWorks = true
  /// Accepts the specification's debug key from a peer. For debugging only: whoever listens can read along.
  public var allowsDebugKey = false
  /// The passkey that this device shows, the same each time, as one that is printed on it; `nil`: another for each pairing. Each
  /// pairing, also a failed one, tells whoever takes part or listens something about it, until it is known: for devices that
  /// cannot show anything.
  public var fixedPasskey: SixDigits?
  /// Tells the peer when a digit is typed, where it wants to know.
  public var sendsKeypresses = false
  /// A central pairs or encrypts when a peripheral asks for it.
  public var answersSecurityRequests = true
  /// What the initiator of a pairing may hand out. The bit for BR/EDR keys is never sent.
  public var initiatorKeys: SMPKeyDistribution = [.encryption, .identity, .signing]
  /// What the responder of a pairing may hand out. The bit for BR/EDR keys is never sent.
  public var responderKeys: SMPKeyDistribution = [.encryption, .identity, .signing]

  public init(ioCapability: SMPIOCapability = .noInputNoOutput) { self.ioCapability = ioCapability }

  /// Secure Connections Only mode (Core, Vol 3 Part C 10.2.4): nothing below level 4.
  public static func secureConnectionsOnly(ioCapability: SMPIOCapability) -> SecurityPolicy {
    var policy = SecurityPolicy(ioCapability: ioCapability)
    policy.requiresSecureConnections = true
    policy.minimumLevel = .authenticatedSecureConnections
    return policy
  }

  /// The bits of AuthReq that this policy leads to.
  public var authenticationRequirements: SMPAuthenticationRequirements {
    var requirements: SMPAuthenticationRequirements = []
    if isBondable { requirements.insert(.bonding) }
    if wantsAuthentication || minimumLevel >= .authenticated { requirements.insert(.mitm) }
    if acceptsSecureConnections { requirements.insert(.secureConnections) }
    if sendsKeypresses { requirements.insert(.keypress) }
    return requirements
  }

  /// Whether keys of this quality are good enough for this policy. Those that are not are used for nothing, also where they were
  /// good enough when they were made.
  public func accepts(_ security: PairingSecurity) -> Bool { objection(to: security) == nil }

  /// What a pairing that leads to such keys is refused with; `nil` where they are good enough.
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
