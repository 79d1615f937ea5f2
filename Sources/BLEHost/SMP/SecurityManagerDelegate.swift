import BLECore
import BLEWire

/// The channel that a security manager sends its commands on. Everything on the loop.
public protocol SecurityManagerChannel: AnyObject {
  /// Octets that a command's writer leaves free in front.
  var headroom: Int { get }
  /// Sends one command after all that were sent before.
  func send(securityManagerCommand command: consuming ByteWriter)
}

extension L2CAPLink: SecurityManagerChannel {
  public func send(securityManagerCommand command: consuming ByteWriter) { send(command, on: .securityManager) }
}

/// Whoever owns the link of a security manager: carries out what it wants, and hears what came of it. Everything on the
/// loop; calling back into the manager is allowed.
public protocol SecurityManagerDelegate: AnyObject {
  /// A pairing is about to begin, or the peer is about to be asked for one: the time to set the policy and what was exchanged
  /// out of band. By default nothing is done.
  /// - Throws: why there must be none.
  func securityManagerWillPair(_ manager: SecurityManager) throws(PairingFailure)
  /// The peer's keys have all come, and this side's last ones have not gone: the keys of this bond are to be brought to where they
  /// outlive this process. By default nothing is done.
  ///
  /// `completion` is called on the loop when they are there, or with why they cannot be kept: the pairing has then failed. Also where
  /// the link has ended meanwhile, in which case the manager tells its delegate what came of the pairing all the same.
  func securityManager(
    _ manager: SecurityManager, keeps result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void)
  /// Shows something to the user, or asks. Where `question.wantsAnswer`, `answer(_:to:)` is called some time later.
  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion)
  /// The peer's user types a passkey that this side shows.
  func securityManager(_ manager: SecurityManager, peerTyped kind: SMPPairingKeypressNotification.Kind)
  /// The central's controller is to encrypt the link; `encryptionChanged(isEncrypted:)` follows in either case.
  func securityManager(_ manager: SecurityManager, encryptsWith key: LongTermKey)
  /// The link is encrypted now, or not any more: `manager.security` says how well.
  func securityManagerDidChangeSecurity(_ manager: SecurityManager)
  /// There are keys. Where `result.isBonded`, they were kept before.
  func securityManager(_ manager: SecurityManager, didPair result: PairingResult)
  /// A pairing, or a request for one, has come to nothing. The keys of earlier pairings are as they were.
  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure)
  /// The peer says otherwise than before what it can show and type: somebody else may pretend to be that device.
  func securityManager(
    _ manager: SecurityManager, peerChanged before: SMPIOCapability, to now: SMPIOCapability)
}

extension SecurityManagerDelegate {
  public func securityManagerWillPair(_ manager: SecurityManager) throws(PairingFailure) {}
  public func securityManager(
    _ manager: SecurityManager, keeps result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void
  ) { completion(nil) }
}
