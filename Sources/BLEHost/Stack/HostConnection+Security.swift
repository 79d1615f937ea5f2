import BLEAdapter
import BLECore
import BLECrypto
import BLEHCI
import BLEPairing
import BLEWire

/// The addresses that a link came up with, as they were on the air: pairings are computed with them.
struct LinkAddresses {
  let local: DeviceAddress
  let peer: DeviceAddress
}

/// How far a link is with its protection.
struct LinkProtection {
  /// Requests that were refused for want of security, and wait for better.
  var waiters: [(SecurityRaise) -> Void] = []
  /// Whoever wanted a pairing.
  var outcomes: [(Result<PairingSecurity, PairingFailure>) -> Void] = []
  /// Running while a central waits for its controller to encrypt with the keys of a bond.
  var timer: TimerToken?
  var dialogue: AgentDialogue?
  /// Commands to characteristics that want it are signed: there is a key, and the link is open.
  var signsCommands = false
  /// Keys of a pairing are on their way to the store; what came of it is told when they are there, whatever has become of the link.
  var keepsKeys = false
  /// The peer's controller wants a key meanwhile.
  var heldKeyRequest: LELongTermKeyRequestEvent?
  var signing: SignatureAlgorithm?
  var verifying: SignatureAlgorithm?

  /// The controller's own limit for a procedure is 40 s (Core, Vol 6 Part B 5.2); nobody waits so long.
  static let encryptionLimit = StackDuration.seconds(30)
  static let encryptionTag = 1
}

extension HostConnection {
  /// What attributes see of the link.
  private var linkSecurity: LinkSecurity {
    // Whoever has paired without leaving keys is not the device that there are keys of, whatever its address.
    guard let now = security.security else { return LinkSecurity(isBonded: security.usableBond != nil) }
    return isGoodEnough(now) ? now.linkSecurity(isBonded: security.isProven) : .open
  }

  /// Who the peer is, where there are keys of it.
  var bondIdentity: DeviceAddress? { security.bond?.peerIdentity }

  /// There are keys of the peer, or none any more.
  func setBond(_ keys: PairingResult?) {
    security.bond = keys
    showBond()
  }

  private func showBond() {
    let keys = security.usableBond
    protection.signing = keys?.localSigningKey.map { SignatureAlgorithm(csrk: $0) }
    protection.verifying = keys?.peerSigningKey.map { SignatureAlgorithm(csrk: $0) }
    showSecurity()
  }

  /// Another policy holds: what does not satisfy it any more is of no use from now on.
  func securityPolicyChanged() {
    showBond()
    _ = endIfTooWeak()
  }

  private func isGoodEnough(_ security: PairingSecurity) -> Bool { stack.options.security.accepts(security) }

  /// Ends a link that is encrypted by less than the policy wants. True: that was so.
  private func endIfTooWeak() -> Bool {
    guard let now = security.security, !isGoodEnough(now) else { return false }
    stack.log.log(.notice, "\(peer.address) is paired, but not as well as this device wants it: the link ends")
    endWithoutBond(.encryptionTimedOut)
    return true
  }

  private func showSecurity() {
    let shown = linkSecurity
    database.client.security = shown
    protection.signsCommands = protection.signing != nil && !shown.isEncrypted
    guard let serverLink else { return }
    serverLink.security = shown
    serverLink.verifySignature =
      protection.verifying == nil
      ? nil : { [weak self] command, verified in self?.verify(command, verified) ?? verified(false) }
    // What a client wants is kept only once it has proved who it is.
    serverLink.stateDidChange =
      shown.isBonded && shown.isEncrypted ? { [weak self] state in self?.keepClientState(state) } : nil
  }

  // MARK: Encrypting

  /// A central encrypts the link to a bonded peer before anything else: whoever pretends to be that peer has not got its keys
  /// (Core, Vol 3 Part C 10.3.2). Where the keys do not suffice any more, it pairs again before anything else.
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
    stack.log.log(.notice, "the keys of \(peer.address) are not as good as this device wants them: pairing again")
    do throws(PairingFailure) { try security.pair() } catch {
      stack.log.log(.notice, "\(peer.address) can't be paired with again: \(error)")
      endWithoutBond(.encryptionTimedOut)
    }
  }

  /// A peripheral whose keys of the central do not suffice asks for better ones before the central tries the old (Core, Vol 3 Part H
  /// 2.4.6): its user would have to make it forget them otherwise. Nothing is lost where it does not follow.
  func requestBetterKeys() {
    guard role == .peripheral, security.bond != nil, security.usableBond == nil else { return }
    do throws(PairingFailure) { try security.pair(minimumLevel: .encrypted, isWantedHere: false) } catch {
      stack.log.log(.info, "\(peer.address) is not asked for better keys: \(error)")
    }
  }

  /// Whether programs that look for the peer may have this link. One that this side has opened is encrypted before they hear of
  /// it. Whoever opens one from outside may say any address: where there are keys, however good, it has to show them first, or to
  /// be paired with again.
  var isProven: Bool { role == .central || security.bond == nil || security.isProven }

  /// The controller says whether the link is encrypted.
  func encryptionChanged(_ status: HCIErrorCode, isOn: Bool) {
    guard isUp else { return }
    stopEncryptionTimer()
    if !status.isSuccess { stack.log.log(.info, "\(peer.address) could not be encrypted: \(status)") }
    security.encryptionChanged(isEncrypted: status.isSuccess && isOn)
  }

  /// The peripheral's controller wants the key that the central has named.
  func longTermKeyWanted(_ event: LELongTermKeyRequestEvent) {
    guard isUp else { return }
    // Keys are used for nothing before they are kept.
    if protection.keepsKeys {
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

  /// The peer was to be encrypted with keys that both sides had, and was not: nothing is exchanged in the open instead.
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

  /// The central's controller has been told to encrypt with the keys of a bond, and has not answered.
  var isEncryptingForBond: Bool { role == .central && security.isEncrypting && security.keyOwner == .bond }

  /// Why the link has ended, where that was while it was being encrypted with the keys of a bond.
  func reasonOfFailedEncryption(_ code: HCIErrorCode) -> EndReason? {
    guard isEncryptingForBond else { return nil }
    switch code {
    case .connectionTimeout, .linkLayerResponseTimeout: return .encryptionTimedOut
    case .messageIntegrityFailure, .pinOrKeyMissing, .authenticationFailure: return .bondLost
    default: return nil
    }
  }

  // MARK: Raising security

  /// The peer wants better security before it does what it was asked for: keys that there are, or new ones.
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
      // It is encrypted, and that is not enough. Where nobody can show or type anything, more cannot be had.
      if now.level >= .authenticated || !canAuthenticate { return done(.failed) }
      wanted = .authenticated
    case (_, nil): wanted = .encrypted
    }
    protection.waiters.append(done)
    if security.security == nil, security.encryptWithBond() { return }
    do throws(PairingFailure) {
      try security.pair(minimumLevel: wanted)
    } catch {
      stack.log.log(.info, "\(peer.address) wants to be paired with: \(error)")
      finishRaise(error == .tooManyBonds ? .tooManyBonds : .failed)
    }
  }

  /// Pairs because somebody wants it; `done` hears how that ended.
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

  /// The link is gone.
  func endSecurity() {
    if let identity = bondIdentity { stack.security.settleAcceptedCounter(of: identity) }
    keepLayout()
    stopEncryptionTimer()
    security.linkEnded()
    protection.waiters = []
    if protection.keepsKeys { return }
    endDialogue()
    finishPairing(.failure(.disconnected))
  }

  // MARK: What is kept

  private func keepClientState(_ state: GATTClientState) {
    guard let identity = bondIdentity, security.isProven else { return }
    stack.security.update(identity) { $0.clientState = state }
  }

  /// What became known of the peer's database is of use the next time, where that was the peer.
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

  /// Writes to a characteristic that takes signed commands only; the link is open.
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

  /// The device that keys are kept of under this identity.
  private func keptPeer(_ identity: DeviceAddress) -> PairingPeer {
    PairingPeer(address: identity, name: stack.directory.knownPeer(at: identity)?.name)
  }

  /// What has led to the pairing.
  private var occasion: PairingOccasion {
    if security.isWantedHere { return .wanted }
    // A central has chosen its peripheral: a program connects to it.
    return role == .central || stack.offersProtection ? .offered : .unasked
  }

  /// Tells the agent how a pairing ended, also one in which nothing was asked.
  private func tellEnd(_ outcome: PairingOutcome) {
    _ = dialogue
    endDialogue(outcome)
  }

  private func endDialogue(_ outcome: PairingOutcome = .failed("the link has ended")) {
    guard let dialogue = protection.dialogue else { return }
    protection.dialogue = nil
    dialogue.end()
    let peer = pairingPeer
    dialogue.tell { $0.pairingEnded(with: peer, outcome) }
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
    _ manager: SecurityManager, keeps result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void
  ) {
    protection.keepsKeys = true
    stack.security.keep(result, isWantedHere: manager.isWantedHere) { [self, stack] failure in
      completion(failure)
      protection.keepsKeys = false
      guard let event = protection.heldKeyRequest else { return }
      protection.heldKeyRequest = nil
      if isUp { stack.longTermKeyWanted(event) }
    }
  }

  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion) {
    dialogue.ask(question, of: pairingPeer, occasion, for: manager) { keptPeer($0) }
  }

  func securityManager(_ manager: SecurityManager, peerTyped kind: SMPPairingKeypressNotification.Kind) {
    guard let keypress = PairingKeypress(rawValue: kind.rawValue) else { return }
    dialogue.tell(keypress, of: pairingPeer)
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
    showSecurity()
    guard !endIfTooWeak(), manager.isProven, let identity = bondIdentity else { return }
    stack.security.bondWasUsed(identity)
    if let state = stack.security.bond(of: identity)?.clientState { serverLink?.restore(state) }
    finishRaise(.raised)
    encryptionIsSetUp()
    stack.admitCentrals(to: self)
  }

  func securityManager(_ manager: SecurityManager, didPair result: PairingResult) {
    guard isUp, manager.security != nil else { return pairedWithoutLink(result) }
    // The last of this side's keys are on their way: the link does not end before they have arrived.
    bearer.valuesSent.valueWasSent()
    if result.isBonded {
      setBond(result)
      stack.bonded(self)
      if let serverLink { keepClientState(serverLink.state) }
    }
    tellEnd(.paired(result.security.method, isBonded: result.isBonded))
    finishPairing(.success(result.security))
    finishRaise(.raised)
    if setUpSteps.needsEncryption { encryptionIsSetUp() }
    if result.isBonded { stack.admitCentrals(to: self) }
  }

  /// The keys were kept, and the link has ended or is not encrypted any more.
  private func pairedWithoutLink(_ result: PairingResult) {
    if result.isBonded { stack.bonded(self) }
    tellEnd(.paired(result.security.method, isBonded: result.isBonded))
    finishPairing(.success(result.security))
    if isUp { endWithoutBond(.bondLost) }
  }

  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure) {
    guard isUp || protection.keepsKeys else { return }
    // Keys of an earlier pairing that do not fit are no pairing.
    if failure == .bondFailed { endDialogue() } else { tellEnd(.failed("\(failure)")) }
    if failure == .bondFailed, role == .central { return endWithoutBond(.bondLost) }
    if setUpSteps.needsEncryption { return endWithoutBond(.encryptionTimedOut) }
    finishPairing(.failure(failure))
    finishRaise(failure == .tooManyBonds ? .tooManyBonds : .failed)
  }

  func securityManager(
    _ manager: SecurityManager, peerChanged before: SMPIOCapability, to now: SMPIOCapability
  ) {
    let peer = pairingPeer
    dialogue.tell {
      $0.pairing(
        with: peer, changedFrom: PairingCapability(rawValue: before.rawValue),
        to: PairingCapability(rawValue: now.rawValue))
    }
  }
}
