import BLEAdapter
import BLECore
import BLEPairing
import BLEWire

/// Pairing when a peer or an application requires it, and the questions to the user.
extension HostConnection {
  /// Raises the link's security for a request that the peer has refused: encrypts with the bond's keys, or pairs.
  func raiseSecurity(_ code: ATTErrorCode, _ done: @escaping (SecurityRaise) -> Void) {
    guard isUp, phase != .closing else { return done(.failed) }
    if security.isPairing || security.isEncrypting {
      protection.waiters.append(done)
      return
    }
    let level = LinkProtection.level(
      requiredBy: code, current: security.security, maximumKeySize: stack.options.security.maximumKeySize,
      canAuthenticate: canAuthenticate)
    guard let level else { return done(.failed) }
    protection.waiters.append(done)
    if security.security == nil, security.encryptWithBond() { return }
    do throws(PairingFailure) {
      try security.pair(minimumLevel: level)
    } catch {
      stack.log.log(.info, "could not pair as required by \(peer.address): \(error)")
      finishRaise(error == .tooManyBonds ? .tooManyBonds : .failed)
    }
  }

  /// Pairs on request of the application or the user; `done` is called with the result.
  func pair(minimumLevel level: SecurityLevel, _ done: @escaping (Result<PairingSecurity, PairingFailure>) -> Void) {
    do throws(PairingFailure) {
      try security.pair(minimumLevel: level)
      protection.outcomes.append(done)
    } catch {
      done(.failure(error))
    }
  }

  func finishPairing(_ outcome: Result<PairingSecurity, PairingFailure>) {
    let outcomes = protection.outcomes
    protection.outcomes = []
    for done in outcomes { done(outcome) }
  }

  private var canAuthenticate: Bool {
    let agent = stack.pairingAgent
    return agent.capability != .noInputNoOutput || agent.outOfBandData(for: pairingPeer) != nil
  }

  func finishRaise(_ outcome: SecurityRaise) {
    let waiters = protection.waiters
    protection.waiters = []
    for waiter in waiters { waiter(outcome) }
  }

  // MARK: The user

  var pairingPeer: PairingPeer { PairingPeer(address: bondIdentity ?? peer.address, name: peer.name) }

  var dialogue: AgentDialogue {
    if let dialogue = protection.dialogue { return dialogue }
    let dialogue = AgentDialogue(
      agent: stack.pairingAgent, loop: loop, origin: stack.origin, queue: stack.agentQueue)
    protection.dialogue = dialogue
    return dialogue
  }

  /// Returns the bonded device with this identity.
  func bondedPeer(_ identity: DeviceAddress) -> PairingPeer {
    PairingPeer(address: identity, name: stack.directory.knownPeer(at: identity)?.name)
  }

  /// The cause of the pairing.
  var occasion: PairingOccasion {
    if security.isRequestedLocally { return .wanted }
    // An application has chosen to connect to the peripheral.
    return role == .central || stack.offersProtection ? .offered : .unasked
  }

  /// Reports the end of a pairing to the agent, also if it was asked nothing.
  func reportEnd(_ outcome: PairingOutcome) {
    _ = dialogue
    endDialogue(outcome)
  }

  func endDialogue(_ outcome: PairingOutcome = .failed("the link has ended")) {
    guard let dialogue = protection.dialogue else { return }
    protection.dialogue = nil
    dialogue.end()
    let peer = pairingPeer
    dialogue.notify { $0.pairingEnded(with: peer, outcome) }
  }
}
