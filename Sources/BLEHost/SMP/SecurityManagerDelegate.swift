import BLECore
import BLEPairing
import BLEWire

/// The channel on which a security manager sends its commands. Everything on the loop.
public protocol SecurityManagerChannel: AnyObject {
  /// Octets left free in front of each command.
  var headroom: Int { get }
  /// Sends one command, behind all sent before it.
  func send(securityManagerCommand command: consuming ByteWriter)
}

/// The owner of a security manager's link: performs its actions and receives its results. Everything on the loop; the methods may
/// call the manager.
public protocol SecurityManagerDelegate: AnyObject {
  /// Called before a pairing begins or a Security Request is sent, to set the policy and the out-of-band data. By default does
  /// nothing.
  /// - Throws: to prevent the pairing.
  func securityManagerWillPair(_ manager: SecurityManager) throws(PairingFailure)
  /// Called to store the keys of a bond, when all of the peer's keys have been received and the last of this side's have not been
  /// sent. By default does nothing.
  ///
  /// Call `completion` on the loop when the keys outlive this process, or with the failure: the pairing then fails. Call it also if
  /// the link has ended in the meantime; the manager then still reports the result of the pairing.
  func securityManager(
    _ manager: SecurityManager, stores result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void)
  /// Called to show something to the user, or to ask. If `question.needsAnswer`, call `answer(_:to:)` later.
  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion)
  /// Called when the peer's user types a passkey that this side displays.
  func securityManager(_ manager: SecurityManager, peerTyped keypress: PairingKeypress)
  /// Called to encrypt the link by the central's controller. Call `encryptionChanged(isEncrypted:)` with the result.
  func securityManager(_ manager: SecurityManager, encryptsWith key: LongTermKey)
  /// Called when `manager.security` has changed.
  func securityManagerDidChangeSecurity(_ manager: SecurityManager)
  /// Called when a pairing has succeeded. If `result.isBonded`, the keys are already stored.
  func securityManager(_ manager: SecurityManager, didPair result: PairingResult)
  /// Called when a pairing, a Security Request, or encryption with the bond's keys has failed. Earlier keys are unchanged.
  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure)
  /// Called when the peer's I/O capability differs from an earlier pairing: another device may be impersonating it. `nil` for a value
  /// that the specification does not define.
  func securityManager(
    _ manager: SecurityManager, peerChangedFrom before: PairingCapability?, to now: PairingCapability?)
}

extension SecurityManagerDelegate {
  public func securityManagerWillPair(_ manager: SecurityManager) throws(PairingFailure) {}
  public func securityManager(
    _ manager: SecurityManager, stores result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void
  ) { completion(nil) }
}
