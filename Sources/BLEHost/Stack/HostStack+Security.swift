import BLEAdapter
import BLECore
import BLECrypto
import BLEHCI
import BLEPairing
import BLEWire
import Synchronization

/// A bond without its keys, for display.
public struct BondSummary: Hashable, Sendable {
  /// The identity address of the device.
  public let address: DeviceAddress
  /// The device as known to applications; `nil` if this process has not met it and it is not in the store.
  public let peer: KnownPeer?
  /// The method of the pairing, and the security of the keys.
  public let security: PairingSecurity
  /// Whether the device may use private addresses, which can be resolved.
  public let isPrivate: Bool
  /// Whether the bond was made by this stack, and not by an earlier or another process.
  public let isNew: Bool
}

extension HostStack {
  // MARK: From any thread

  /// The bonded devices, oldest first. Empty before the adapter is ready.
  public var bonds: [BondSummary] { snapshot.withLock { $0.bonds } }

  /// Sets the agent that answers pairing questions; `nil` for the one registered in the process, or the standard one.
  public func setPairingAgent(_ agent: (any PairingAgent)?) { onLoop { $0.options.pairingAgent = agent } }

  /// Sets the policy for pairings and for the use of stored keys: keys that it does not accept are not used. Links encrypted with
  /// such keys end; a bonded device is paired again on the next connection. The I/O capability is the agent's.
  public func setSecurityPolicy(_ policy: SecurityPolicy) {
    onLoop { stack in
      stack.options.security = policy
      stack.security.local.policy = policy.answered(by: stack.pairingAgent)
      for connection in stack.connections.all { connection.securityPolicyChanged() }
    }
  }

  /// Sets whether private addresses are used in place of the identity address, and for how long each. Takes effect when the adapter
  /// is next switched on.
  public func setPrivacy(_ isOn: Bool, lifetime: StackDuration = .seconds(900)) {
    onLoop {
      $0.options.usesPrivacy = isOn
      $0.options.privateAddressLifetime = max(lifetime, .seconds(1))
    }
  }

  /// Sets the maximum number of bonded devices. Existing bonds stay.
  public func setBondLimit(_ limit: Int) { onLoop { $0.security.bondLimit = limit } }

  /// Removes the bonds with these devices, or all if `nil`. Links to them end. `completion` is called on the loop, with the error if
  /// they could not be removed.
  public func removeBonds(
    _ identities: [DeviceAddress]? = nil, _ completion: @escaping @Sendable (BondStoreError?) -> Void = { _ in }
  ) {
    onLoop { $0.security.remove(identities, completion) }
  }

  /// Pairs with a connected peer, or requests a pairing if the peer is the central. `completion` is called on the loop with the
  /// resulting security. A link that a bond's keys already encrypt at `level` or higher is not paired again: either device may have
  /// started a pairing as soon as they were connected, and it may have ended at any moment before this call.
  public func pair(
    with peer: PeerIdentifier, minimumLevel level: SecurityLevel = .encrypted,
    _ completion: @escaping @Sendable (Result<PairingSecurity, PairingFailure>) -> Void
  ) {
    onLoop { stack in
      guard let connection = stack.connections.all.first(where: { $0.peer.identifier == peer && $0.isUp }) else {
        return completion(.failure(.disconnected))
      }
      if connection.security.isProven, let security = connection.security.security, security.level >= level {
        return completion(.success(security))
      }
      connection.pair(minimumLevel: level, completion)
    }
  }

  /// Creates out-of-band data for the agent of a peer. It is valid for pairings of this adapter until new data is created.
  /// `completion` is called on the loop.
  public func makeOutOfBandData(_ completion: @escaping @Sendable (PairingOutOfBandData) -> Void) {
    onLoop { stack in
      let local = stack.security.local.makeOutOfBandData()
      stack.security.outOfBandData = local
      completion(
        PairingOutOfBandData(
          peer: (random: local.data.random.mostSignificantFirst, confirm: local.data.confirm.mostSignificantFirst)))
    }
  }

  // MARK: On the loop

  var pairingAgent: any PairingAgent { options.pairingAgent ?? PairingAgents.current }

  /// Whether an application has published something that only paired devices may use, which is taken as consent to pairing requests.
  var offersProtection: Bool { server.gatt.database.hasProtection || publishedChannels.hasProtection }

  /// The address of this device on the air.
  var ownAddress: DeviceAddress { shownAddress ?? controller.features?.publicAddress ?? generatedAddress }

  /// Returns the identity that a private address resolves to, otherwise the address itself.
  func resolve(_ address: DeviceAddress) -> DeviceAddress {
    if !security.identities.isUseful { return address }
    guard let identity = security.identities.identity(behind: address) else { return address }
    didReceive(from: identity, at: address)
    return identity
  }

  func longTermKeyRequested(_ event: LELongTermKeyRequestEvent) {
    // Another process may have removed the bond, or made one.
    security.refresh()
    guard let connection = connections[event.connectionHandle] else {
      controller.send(LELongTermKeyRequestNegativeReply(connectionHandle: event.connectionHandle))
      return
    }
    connection.longTermKeyRequested(event)
  }

  func bondsDidChange() {
    directory.setBonded(Set(security.records.bonds.map(\.identity)))
    updateBondSnapshot()
    updateResolvingList()
    for connection in connections.all where connection.bondIdentity.map({ security.bond(of: $0) == nil }) ?? false {
      // The bond was removed, by this process or another: the link ends, too.
      connection.setBond(nil)
      connection.disconnect(.remoteUserTerminated)
    }
  }

  private func updateBondSnapshot() {
    let bonds = security.records.bonds.map { bond in
      BondSummary(
        address: bond.identity, peer: directory.knownPeer(at: bond.identity), security: bond.keys.security,
        isPrivate: bond.keys.peerIdentityResolvingKey != nil,
        isNew: security.isNew(bond.identity))
    }
    snapshot.withLock { $0.bonds = bonds }
  }

  /// Records the identity of a peer after bonding.
  func bonded(_ connection: HostConnection) {
    guard let identity = connection.bondIdentity else { return }
    let peer = directory.identify(connection.peer, as: identity)
    // If the device was met before under its identity address, it has that peer's identifier from the next link on.
    if connection.isUp, peer.identifier == connection.peer.identifier { connections.identify(connection, as: peer) }
    updateBondSnapshot()
  }
}
