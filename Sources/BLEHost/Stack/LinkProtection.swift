import BLEAdapter
import BLECore
import BLECrypto
import BLEHCI
import BLEPairing
import BLEWire

/// The addresses of both sides on the air when the link was established, which pairing computations use.
struct LinkAddresses {
  let local: DeviceAddress
  let peer: DeviceAddress
}

/// The state of a link's security: the security manager, and the procedures around it.
struct LinkProtection {
  let manager: SecurityManager
  /// Whether the link is being encrypted with the keys of a bond, or paired again, before it is reported to applications. The time
  /// limit of the set-up does not apply to this step.
  var needsEncryption = false
  /// Completions of refused requests that wait for the link's security to be raised.
  var waiters: [(SecurityRaise) -> Void] = []
  /// Completions of requested pairings.
  var outcomes: [(Result<PairingSecurity, PairingFailure>) -> Void] = []
  /// Whether the peer answered the latest encryption that it does not have the key.
  var isKeyMissing = false
  /// Set while a central's controller is encrypting with the keys of a bond.
  var timer: TimerToken?
  var dialogue: AgentDialogue?
  /// Whether commands to characteristics that require it are signed: there is a key, and the link is not encrypted.
  var signsCommands = false
  /// Whether keys of a pairing are being stored. The result is reported when they are, even if the link has ended.
  var isStoringKeys = false
  /// A key request of the controller during that time.
  var heldKeyRequest: LELongTermKeyRequestEvent?
  var signing: SignatureAlgorithm?
  var verifying: SignatureAlgorithm?

  /// Shorter than the controller's procedure response time-out of 40 s (Core, Vol 6 Part B 5.2).
  static let encryptionLimit = StackDuration.seconds(30)
  static let encryptionTag = 1

  init(manager: SecurityManager) { self.manager = manager }

  /// Whether centrals that wait for the peer may use this link. A link that this side established is encrypted before it is reported.
  /// A device that establishes a link to this side can use any address: if there is a bond with that address, accepted by the policy
  /// or not, the peer must first prove its keys or pair again.
  var isProven: Bool { manager.role == .central || manager.bond == nil || manager.isProven }

  /// Whether the central's controller is encrypting with the keys of a bond.
  var isEncryptingForBond: Bool { manager.role == .central && manager.isEncrypting && manager.keyOwner == .bond }

  /// Returns the reason for the end of a link during its encryption with the keys of a bond; `nil` for other ends.
  func reasonOfFailedEncryption(_ code: HCIErrorCode) -> EndReason? {
    guard isEncryptingForBond else { return nil }
    switch code {
    case .connectionTimeout, .linkLayerResponseTimeout: return .encryptionTimedOut
    case .messageIntegrityFailure, .pinOrKeyMissing, .authenticationFailure: return .bondLost
    default: return nil
    }
  }

  /// Returns the level to pair for when the peer has refused a request; `nil` if pairing cannot give what the peer requires.
  ///
  /// - Parameters:
  ///   - current: the security of the link; `nil` if it is not encrypted.
  ///   - maximumKeySize: the longest key of the policy, in octets.
  ///   - canAuthenticate: whether there is input, output or out-of-band data: without any, there is no level above encryption.
  static func level(
    requiredBy code: ATTErrorCode, current: PairingSecurity?, maximumKeySize: Int,
    canAuthenticate: @autoclosure () -> Bool
  ) -> SecurityLevel? {
    guard let current else { return .encrypted }
    if code == .encryptionKeySizeTooShort { return current.keySize < maximumKeySize ? current.level : nil }
    return current.level < .authenticated && canAuthenticate() ? .authenticated : nil
  }
}
