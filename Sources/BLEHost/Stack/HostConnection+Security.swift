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

/// The state of a link's security procedures.
struct LinkProtection {
  /// Completions of refused requests that wait for the link's security to be raised.
  var waiters: [(SecurityRaise) -> Void] = []
  /// Completions of requested pairings.
  var outcomes: [(Result<PairingSecurity, PairingFailure>) -> Void] = []
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
}

extension HostConnection {
  /// The security of the link as checked for attributes.
  private var linkSecurity: LinkSecurity {
    // A device that has paired without bonding is not the bonded device, whatever its address.
    guard let now = security.security else { return LinkSecurity(isBonded: security.usableBond != nil) }
    return isAccepted(now) ? now.linkSecurity(isBonded: security.isProven) : .open
  }

  /// The identity of the peer's bond, if there is one.
  var bondIdentity: DeviceAddress? { security.bond?.peerIdentity }

  /// Sets or removes the keys of the peer's bond.
  func setBond(_ keys: PairingResult?) {
    security.bond = keys
    applyBond()
  }

  private func applyBond() {
    let keys = security.usableBond
    protection.signing = keys?.localSigningKey.map { SignatureAlgorithm(csrk: $0) }
    protection.verifying = keys?.peerSigningKey.map { SignatureAlgorithm(csrk: $0) }
    applySecurity()
  }

  /// Applies a changed policy: keys that it does not accept are not used from now on.
  func securityPolicyChanged() {
    applyBond()
    _ = endIfTooWeak()
  }

  private func isAccepted(_ security: PairingSecurity) -> Bool { stack.options.security.accepts(security) }

  /// Ends the link if it is encrypted below the policy. Returns whether it was.
  private func endIfTooWeak() -> Bool {
    guard let now = security.security, !isAccepted(now) else { return false }
    stack.log.log(.notice, "the keys of \(peer.address) are below the security policy: the link ends")
    endWithoutBond(.encryptionTimedOut)
    return true
  }

  private func applySecurity() {
    let current = linkSecurity
    database.client.security = current
    protection.signsCommands = protection.signing != nil && !current.isEncrypted
    guard let serverLink else { return }
    serverLink.security = current
    serverLink.verifySignature =
      protection.verifying == nil
      ? nil : { [weak self] command, verified in self?.verify(command, verified) ?? verified(false) }
    // A client's state is stored only once the client has proved its identity.
    serverLink.stateDidChange =
      current.isBonded && current.isEncrypted ? { [weak self] state in self?.keepClientState(state) } : nil
  }

  // MARK: Encrypting

  /// As a central, encrypts the link to a bonded peer before anything else, because a device that impersonates the peer does not
  /// have its keys (Core, Vol 3 Part C 10.3.2). If the policy no longer accepts the keys, pairs again before anything else.
  func encryptIfBonded() {
    if security.encryptWithBond() {
      setUpSteps.needsEncryption = true
    } else if security.bond != nil, security.usableBond == nil {
      setUpSteps.needsEncryption = true
      pairAgain()
    }
    if setUpSteps.needsEncryption { bearer.holdIndications() }
  }

  private func pairAgain() {
    stack.log.log(.notice, "the keys of \(peer.address) are below the security policy: pairing again")
    do throws(PairingFailure) { try security.pair() } catch {
      stack.log.log(.notice, "could not pair with \(peer.address) again: \(error)")
      endWithoutBond(.encryptionTimedOut)
    }
  }

  /// As a peripheral, requests a new pairing if the policy does not accept the keys of the central, before the central uses them
  /// (Core, Vol 3 Part H 2.4.6). Otherwise the central's user would have to remove the bond there. The central may ignore the request.
  func requestBetterKeys() {
    guard role == .peripheral, security.bond != nil, security.usableBond == nil else { return }
    do throws(PairingFailure) { try security.pair(minimumLevel: .encrypted, isRequestedLocally: false) } catch {
      stack.log.log(.info, "did not request a new pairing from \(peer.address): \(error)")
    }
  }

  /// Whether centrals that wait for the peer may use this link. A link that this side established is encrypted before it is reported.
  /// A device that establishes a link to this side can use any address: if there is a bond with that address, accepted by the policy
  /// or not, the peer must first prove its keys or pair again.
  var isProven: Bool { role == .central || security.bond == nil || security.isProven }

  /// Handles an encryption event of the controller.
  func encryptionChanged(_ status: HCIErrorCode, isOn: Bool) {
    guard isUp else { return }
    stopEncryptionTimer()
    if !status.isSuccess { stack.log.log(.info, "the link to \(peer.address) could not be encrypted: \(status)") }
    security.encryptionChanged(isEncrypted: status.isSuccess && isOn)
  }

  /// Answers the peripheral's controller, which requests the key chosen by the central.
  func longTermKeyRequested(_ event: LELongTermKeyRequestEvent) {
    guard isUp else { return }
    // Keys are not used before they are stored.
    if protection.isStoringKeys {
      protection.heldKeyRequest = event
      return
    }
    let key = security.longTermKey(encryptedDiversifier: event.diversifier, randomNumber: event.randomNumber)
    guard let key, !key.isZero else {
      stack.controller.send(LELongTermKeyRequestNegativeReply(connectionHandle: handle))
      return
    }
    stack.controller.send(
      LELongTermKeyRequestReply(connectionHandle: handle, key: HCISecret(key.revealLeastSignificantFirst())))
  }

  /// Ends a link that could not be encrypted with the keys of the bond: nothing is exchanged without encryption instead.
  private func endWithoutBond(_ reason: EndReason) {
    guard isUp, phase != .closing else { return }
    closingReason = reason
    disconnect(.authenticationFailure)
  }

  func encryptionTimerFired() {
    protection.timer = nil
    endWithoutBond(.encryptionTimedOut)
  }

  private func stopEncryptionTimer() {
    if let timer = protection.timer { loop.cancel(timer) }
    protection.timer = nil
  }

  /// Whether the central's controller is encrypting with the keys of a bond.
  var isEncryptingForBond: Bool { role == .central && security.isEncrypting && security.keyOwner == .bond }

  /// Returns the reason for the end of a link during its encryption with the keys of a bond; `nil` for other ends.
  func reasonOfFailedEncryption(_ code: HCIErrorCode) -> EndReason? {
    guard isEncryptingForBond else { return nil }
    switch code {
    case .connectionTimeout, .linkLayerResponseTimeout: return .encryptionTimedOut
    case .messageIntegrityFailure, .pinOrKeyMissing, .authenticationFailure: return .bondLost
    default: return nil
    }
  }

  // MARK: Raising security

  /// Raises the link's security for a request that the peer has refused: encrypts with the bond's keys, or pairs.
  func raiseSecurity(_ code: ATTErrorCode, _ done: @escaping (SecurityRaise) -> Void) {
    guard isUp, phase != .closing else { return done(.failed) }
    if security.isPairing || security.isEncrypting {
      protection.waiters.append(done)
      return
    }
    let wanted: SecurityLevel
    switch (code, security.security) {
    case (.encryptionKeySizeTooShort, let now?):
      if now.keySize >= stack.options.security.maximumKeySize { return done(.failed) }
      wanted = now.level
    case (_, let now?):
      // The link is encrypted without authentication. Without input, output or out-of-band data there is no higher level.
      if now.level >= .authenticated || !canAuthenticate { return done(.failed) }
      wanted = .authenticated
    case (_, nil): wanted = .encrypted
    }
    protection.waiters.append(done)
    if security.security == nil, security.encryptWithBond() { return }
    do throws(PairingFailure) {
      try security.pair(minimumLevel: wanted)
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

  private func finishPairing(_ outcome: Result<PairingSecurity, PairingFailure>) {
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

  /// Ends the link's security procedures when the link has ended.
  func endSecurity() {
    if let identity = bondIdentity { stack.security.settleAcceptedCounter(of: identity) }
    keepLayout()
    stopEncryptionTimer()
    security.linkEnded()
    protection.waiters = []
    if protection.isStoringKeys { return }
    endDialogue()
    finishPairing(.failure(.disconnected))
  }

  // MARK: Stored state

  private func keepClientState(_ state: GATTClientState) {
    guard let identity = bondIdentity, security.isProven else { return }
    stack.security.update(identity) { $0.clientState = state }
  }

  /// Stores the layout of the peer's database for the next connection, if the peer has proved its identity.
  private func keepLayout() {
    guard let identity = bondIdentity, security.isProven, database.isLayoutVerified,
      let record = database.layout.record, let bond = stack.security.bond(of: identity), bond.layout?.record != record
    else { return }
    stack.security.update(identity) { $0.layout = database.layout }
  }

  // MARK: Signatures

  private func verify(_ command: ATTSignedWriteCommand, _ verified: @escaping (Bool) -> Void) {
    guard let identity = bondIdentity, let verifying = protection.verifying else { return verified(false) }
    var pdu = ByteWriter(capacity: 3 + command.attributeValue.count + ATTLimits.signatureLength)
    command.encodePDU(into: &pdu)
    guard let counter = verifying.verify(pdu.octets[...]) else { return verified(false) }
    stack.security.accept(counter, of: identity) { [weak self] in verified($0 && self?.isUp == true) }
  }

  /// Writes to a characteristic that accepts only signed commands, on a link without encryption.
  func writeSigned(_ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void) {
    database.writeCommand(value, to: handle, sent: sent) { [self] sign in
      guard protection.signsCommands, let identity = bondIdentity else { return sign(nil) }
      stack.security.takeSignCounter(for: identity) { [self] counter in
        guard isUp, protection.signsCommands, let signing = protection.signing, let counter else { return sign(nil) }
        sign((signing, counter))
      }
    }
  }

  // MARK: The user

  var pairingPeer: PairingPeer { PairingPeer(address: bondIdentity ?? peer.address, name: peer.name) }

  private var dialogue: AgentDialogue {
    if let dialogue = protection.dialogue { return dialogue }
    let dialogue = AgentDialogue(
      agent: stack.pairingAgent, loop: loop, origin: stack.origin, queue: stack.agentQueue)
    protection.dialogue = dialogue
    return dialogue
  }

  /// Returns the bonded device with this identity.
  private func bondedPeer(_ identity: DeviceAddress) -> PairingPeer {
    PairingPeer(address: identity, name: stack.directory.knownPeer(at: identity)?.name)
  }

  /// The cause of the pairing.
  private var occasion: PairingOccasion {
    if security.isRequestedLocally { return .wanted }
    // An application has chosen to connect to the peripheral.
    return role == .central || stack.offersProtection ? .offered : .unasked
  }

  /// Reports the end of a pairing to the agent, also if it was asked nothing.
  private func reportEnd(_ outcome: PairingOutcome) {
    _ = dialogue
    endDialogue(outcome)
  }

  private func endDialogue(_ outcome: PairingOutcome = .failed("the link has ended")) {
    guard let dialogue = protection.dialogue else { return }
    protection.dialogue = nil
    dialogue.end()
    let peer = pairingPeer
    dialogue.notify { $0.pairingEnded(with: peer, outcome) }
  }
}

extension HostConnection: SecurityManagerDelegate {
  func securityManagerWillPair(_ manager: SecurityManager) throws(PairingFailure) {
    if manager.local.policy.isBondable, !stack.security.hasRoom(for: bondIdentity) { throw .tooManyBonds }
    let agent = stack.pairingAgent
    manager.local.policy = stack.options.security.answered(by: agent)
    manager.outOfBand = OutOfBandExchange(
      agent.outOfBandData(for: pairingPeer), local: stack.security.outOfBandData)
  }

  func securityManager(
    _ manager: SecurityManager, stores result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void
  ) {
    protection.isStoringKeys = true
    stack.security.keep(result, isRequestedLocally: manager.isRequestedLocally) { [self, stack] failure in
      completion(failure)
      protection.isStoringKeys = false
      guard let event = protection.heldKeyRequest else { return }
      protection.heldKeyRequest = nil
      if isUp { stack.longTermKeyRequested(event) }
    }
  }

  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion) {
    dialogue.ask(question, of: pairingPeer, occasion, for: manager) { bondedPeer($0) }
  }

  func securityManager(_ manager: SecurityManager, peerTyped kind: SMPPairingKeypressNotification.Kind) {
    guard let keypress = PairingKeypress(rawValue: kind.rawValue) else { return }
    dialogue.notify(keypress, of: pairingPeer)
  }

  func securityManager(_ manager: SecurityManager, encryptsWith key: LongTermKey) {
    if manager.keyOwner == .bond {
      protection.timer = loop.schedule(
        after: LinkProtection.encryptionLimit, .background, self, tag: LinkProtection.encryptionTag)
    }
    stack.controller.send(
      LEEnableEncryption(
        connectionHandle: handle, randomNumber: key.randomNumber, diversifier: key.encryptedDiversifier,
        key: HCISecret(key.key.revealLeastSignificantFirst())),
      status: { [weak self] status in
        if !status.isSuccess { self?.encryptionChanged(status, isOn: false) }
      })
  }

  func securityManagerDidChangeSecurity(_ manager: SecurityManager) {
    guard isUp else { return }
    applySecurity()
    guard !endIfTooWeak(), manager.isProven, let identity = bondIdentity else { return }
    stack.security.bondWasUsed(identity)
    if let state = stack.security.bond(of: identity)?.clientState { serverLink?.restore(state) }
    finishRaise(.raised)
    encryptionIsSetUp()
    stack.admitCentrals(to: self)
  }

  func securityManager(_ manager: SecurityManager, didPair result: PairingResult) {
    guard isUp, manager.security != nil else { return pairedWithoutLink(result) }
    // The last of this side's keys are being sent: the link must not end before they have arrived.
    bearer.valuesSent.valueWasSent()
    if result.isBonded {
      setBond(result)
      stack.bonded(self)
      if let serverLink { keepClientState(serverLink.state) }
    }
    reportEnd(.paired(result.security.method, isBonded: result.isBonded))
    finishPairing(.success(result.security))
    finishRaise(.raised)
    if setUpSteps.needsEncryption { encryptionIsSetUp() }
    if result.isBonded { stack.admitCentrals(to: self) }
  }

  /// Handles a pairing whose keys are stored after the link, or its encryption, has ended.
  private func pairedWithoutLink(_ result: PairingResult) {
    if result.isBonded { stack.bonded(self) }
    reportEnd(.paired(result.security.method, isBonded: result.isBonded))
    finishPairing(.success(result.security))
    if isUp { endWithoutBond(.bondLost) }
  }

  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure) {
    guard isUp || protection.isStoringKeys else { return }
    // A failure of the bond's keys is not the end of a pairing.
    if failure == .bondFailed { endDialogue() } else { reportEnd(.failed("\(failure)")) }
    if failure == .bondFailed, role == .central { return endWithoutBond(.bondLost) }
    if setUpSteps.needsEncryption { return endWithoutBond(.encryptionTimedOut) }
    finishPairing(.failure(failure))
    finishRaise(failure == .tooManyBonds ? .tooManyBonds : .failed)
  }

  func securityManager(
    _ manager: SecurityManager, peerChanged before: SMPIOCapability, to now: SMPIOCapability
  ) {
    let peer = pairingPeer
    dialogue.notify {
      $0.pairing(
        with: peer, changedFrom: PairingCapability(rawValue: before.rawValue),
        to: PairingCapability(rawValue: now.rawValue))
    }
  }
}
