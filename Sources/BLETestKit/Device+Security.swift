import BLEAdapter
import BLECore
import BLEHost
import BLEPairing

/// Pairing and bonds. As with the other verbs, what they do takes effect at the beginning of the next `settle`, `advance` or
/// `wait`.
extension Device {
  /// Who answers when the device is paired; `nil`: nobody. Just Works is accepted then where a program has given cause for it, and
  /// the keys that there are stay.
  public func setPairingAgent(_ agent: (any PairingAgent)?) { stack.setPairingAgent(agent ?? SilentAgent()) }

  /// What the device insists on and offers in pairings from now on.
  public func setSecurityPolicy(_ policy: SecurityPolicy) { stack.setSecurityPolicy(policy) }

  /// Whether it shows private addresses that change every `lifetime` in place of its own. Takes effect when its adapter is
  /// switched on the next time.
  public func setPrivacy(_ isOn: Bool, lifetime: Duration = .seconds(900)) {
    stack.setPrivacy(isOn, lifetime: StackDuration(lifetime))
  }

  /// The devices that it has keys of, oldest first.
  public var bonds: [BondSummary] { stack.bonds }

  /// Its user deletes the keys of `other`; a connection to it ends.
  public func forgetBond(with other: Device) { stack.removeBonds([other.address]) }

  /// Its user deletes all keys; connections to the devices that they are of end.
  public func forgetBonds() { stack.removeBonds() }

  /// How many devices it may have keys of at a time.
  public func setBondLimit(_ limit: Int) { stack.setBondLimit(limit) }

  /// The keys that it keeps are damaged: from the next time its adapter is switched on it has others than its peers. For
  /// devices of a world without a folder.
  public func corruptBonds() { (bondStore as? MemoryBondStore)?.corrupt() }

  /// Its store for keys is full from now on, or has room again: what is to be kept cannot be kept. For devices of a world
  /// without a folder.
  public func setBondStoreFull(_ isFull: Bool) {
    (bondStore as? MemoryBondStore)?.setFailure(isFull ? BondStoreError("no space left on device") : nil)
  }

  /// What it keeps besides keys is written late from now on, as to a slow disk: a process that dies loses what was not. For devices of
  /// a world without a folder.
  public func setBondStoreLate(_ isLate: Bool) { (bondStore as? MemoryBondStore)?.setWritesLate(isLate) }

  /// New data to hand to another device out of band, for its agent's `outOfBandData`. What is returned is complete after the
  /// next `settle`.
  public func makeOutOfBandData(_ completion: @escaping @Sendable (PairingOutOfBandData) -> Void) {
    stack.makeOutOfBandData(completion)
  }
}

/// A device with nobody in front of it.
final class SilentAgent: PairingAgent {
  var capability: PairingCapability { .noInputNoOutput }

  func pairing(_ request: PairingRequest) { request.answerUnattended() }
}
