import BLEAdapter
import BLECore
import BLEHost
import BLEPairing

/// Pairing and bonds. As with `Device`'s other methods, the effect begins with the next `settle`, `advance` or `wait`.
extension Device {
  /// The agent that answers for the user when the device is paired. With `nil`, Just Works is accepted where a program has given
  /// cause for a pairing, everything else is refused, and existing keys are not replaced.
  public func setPairingAgent(_ agent: (any PairingAgent)?) {
    set(.pairingAgent) { $0.setPairingAgent(agent ?? SilentAgent()) }
  }

  /// What the device requires and offers in pairings from now on.
  public func setSecurityPolicy(_ policy: SecurityPolicy) {
    set(.securityPolicy) { $0.setSecurityPolicy(policy) }
  }

  /// Whether the device uses private addresses that change every `lifetime`. Takes effect when its adapter is next switched on.
  public func setPrivacy(_ isOn: Bool, lifetime: Duration = .seconds(900)) {
    set(.privacy) { $0.setPrivacy(isOn, lifetime: StackDuration(lifetime)) }
  }

  /// The devices that this one has keys of, oldest first.
  public var bonds: [BondSummary] { stack.bonds }

  /// The user deletes the keys of `other`; a connection to it ends.
  public func forgetBond(with other: Device) { stack.removeBonds([other.address]) }

  /// The user deletes all keys; connections to the devices that they belong to end.
  public func forgetBonds() { stack.removeBonds() }

  /// The number of devices that it may have keys of at a time.
  public func setBondLimit(_ limit: Int) { set(.bondLimit) { $0.setBondLimit(limit) } }

  /// Damages the stored keys: from the next time the adapter is switched on, they differ from those of the peers. For devices of
  /// a world without a folder.
  public func corruptBonds() { (bondStore as? MemoryBondStore)?.corrupt() }

  /// Whether the store for keys is full from now on: new keys cannot be stored. For devices of a world without a folder.
  public func setBondStoreFull(_ isFull: Bool) {
    (bondStore as? MemoryBondStore)?.setFailure(isFull ? BondStoreError("no space left on device") : nil)
  }

  /// Whether data other than keys is written with a delay from now on, as on a slow disk: a terminated process loses what was not
  /// yet written. For devices of a world without a folder.
  public func setBondStoreLate(_ isLate: Bool) { (bondStore as? MemoryBondStore)?.setWritesLate(isLate) }

  /// Makes out-of-band data for the `outOfBandData` of another device's agent. `completion` has been called when the next `settle` returns.
  public func makeOutOfBandData(_ completion: @escaping @Sendable (PairingOutOfBandData) -> Void) {
    stack.makeOutOfBandData(completion)
  }
}

/// The agent of a device without a user.
final class SilentAgent: PairingAgent {
  var capability: PairingCapability { .noInputNoOutput }

  func pairing(_ request: PairingRequest) { request.answerUnattended() }
}
