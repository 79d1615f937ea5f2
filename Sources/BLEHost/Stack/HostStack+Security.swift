import BLEAdapter
import BLECore
import BLECrypto
import BLEHCI
import BLEPairing
import BLEWire
import Synchronization

/// A bond without its keys, to show.
public struct BondSummary: Hashable, Sendable {
  /// What names the device for good.
  public let address: DeviceAddress
  /// The device as programs know it; `nil` where it was not met since the process began and is not in the store.
  public let peer: KnownPeer?
  /// How the keys came about, and how good they are.
  public let security: PairingSecurity
  /// The device may hide behind private addresses, which can be resolved.
  public let isPrivate: Bool
  /// The keys were made since this stack began, and not by an earlier process or another one.
  public let isNew: Bool
}

extension HostStack {
  // MARK: From any thread

  /// The devices that there are keys of, oldest first. Empty before the adapter was ready.
  public var bonds: [BondSummary] { snapshot.withLock { $0.bonds } }

  /// Who answers for the user from now on; `nil`: whom the process has registered, or the standard one.
  public func setPairingAgent(_ agent: (any PairingAgent)?) { onLoop { $0.options.pairingAgent = agent } }

  /// Holds from now on, for pairings as for keys that are kept: what does not satisfy it is used for nothing. Links that are
  /// encrypted by less end; a bonded device is paired with again when it is connected to. What the user can see and type is the
  /// agent's to say.
  public func setSecurityPolicy(_ policy: SecurityPolicy) {
    onLoop { stack in
      stack.options.security = policy
      stack.security.local.policy = policy.answered(by: stack.pairingAgent)
      for connection in stack.connections.all { connection.securityPolicyChanged() }
    }
  }

  /// Whether private addresses are shown in place of the device's own, and for how long each. Takes effect when the adapter is
  /// switched on the next time.
  public func setPrivacy(_ isOn: Bool, lifetime: StackDuration = .seconds(900)) {
    onLoop {
      $0.options.usesPrivacy = isOn
      $0.options.privateAddressLifetime = max(lifetime, .seconds(1))
    }
  }

  /// How many devices there may be keys of at a time. Those that there are stay.
  public func setBondLimit(_ limit: Int) { onLoop { $0.security.bondLimit = limit } }

  /// Deletes the keys of these devices, `nil`: of all. Links to them end. `completion` is called on the loop with the reason
  /// why they could not be deleted.
  public func removeBonds(
    _ identities: [DeviceAddress]? = nil, _ completion: @escaping @Sendable (BondStoreError?) -> Void = { _ in }
  ) {
    onLoop { $0.security.remove(identities, completion) }
  }

  /// Pairs with a peer that is connected, or asks it for a pairing where it is the central. `completion` is called on the
  /// loop with how well the link is protected then.
  public func pair(
    with peer: PeerIdentifier, minimumLevel level: SecurityLevel = .encrypted,
    _ completion: @escaping @Sendable (Result<PairingSecurity, PairingFailure>) -> Void
  ) {
    onLoop { stack in
      guard let connection = stack.connections.all.first(where: { $0.peer.identifier == peer && $0.isUp }) else {
        return completion(.failure(.disconnected))
      }
      connection.pair(minimumLevel: level, completion)
    }
  }

  /// New data to hand to a peer by another way, for its agent to give to its stack; they are good for pairings of this adapter
  /// until others are made. `completion` is called on the loop.
  public func makeOutOfBandData(_ completion: @escaping @Sendable (PairingOutOfBandData) -> Void) {
    onLoop { stack in
      let made = stack.security.local.makeOutOfBandData()
      stack.security.outOfBandData = made
      completion(
        PairingOutOfBandData(
          peer: (random: made.data.random.mostSignificantFirst, confirm: made.data.confirm.mostSignificantFirst)))
    }
  }

  // MARK: On the loop

  var pairingAgent: any PairingAgent { options.pairingAgent ?? PairingAgents.current }

  /// Whether a program here has something that only paired devices may use: by that it lets itself be paired with.
  var offersProtection: Bool { server.gatt.database.hasProtection || publishedChannels.hasProtection }

  /// The address that this device is on the air by.
  var ownAddress: DeviceAddress { shownAddress ?? controller.features?.publicAddress ?? madeAddress }

  /// Who is behind an address, as far as it can be told.
  func whoSends(by address: DeviceAddress) -> DeviceAddress {
    if !security.identities.isUseful { return address }
    guard let identity = security.identities.identity(behind: address) else { return address }
    wasHeard(identity, by: address)
    return identity
  }

  func longTermKeyWanted(_ event: LELongTermKeyRequestEvent) {
    // Another process may have removed the bond, or made one.
    security.refresh()
    guard let connection = connections[event.connectionHandle] else {
      controller.send(LELongTermKeyRequestNegativeReply(connectionHandle: event.connectionHandle))
      return
    }
    connection.longTermKeyWanted(event)
  }

  func bondsDidChange() {
    directory.setBonded(Set(security.records.bonds.map(\.identity)))
    showBonds()
    updateResolvingList()
    for connection in connections.all where connection.bondIdentity.map({ security.bond(of: $0) == nil }) ?? false {
      // Forgotten, by this process or another: what the keys were for ends with them.
      connection.setBond(nil)
      connection.disconnect(.remoteUserTerminated)
    }
  }

  private func showBonds() {
    let bonds = security.records.bonds.map { bond in
      BondSummary(
        address: bond.identity, peer: directory.knownPeer(at: bond.identity), security: bond.keys.security,
        isPrivate: bond.keys.peerIdentityResolvingKey != nil,
        isNew: security.isNew(bond.identity))
    }
    snapshot.withLock { $0.bonds = bonds }
  }

  /// A link's peer was bonded with: what names it for good is known.
  func bonded(_ connection: HostConnection) {
    guard let identity = connection.bondIdentity else { return }
    let peer = directory.identify(connection.peer, as: identity)
    // A device that was met before under its own address keeps that identifier from the next link on.
    if connection.isUp, peer.identifier == connection.peer.identifier { connections.identify(connection, as: peer) }
    showBonds()
  }
}
