import BLECore
import BLECrypto
import BLEWire

/// The Security Manager of one link: receives the payloads of channel 0x0006, runs one pairing at a time with its time-out,
/// and knows which keys encrypt the link. Everything on the loop.
public final class SecurityManager: L2CAPChannelReceiver {
  /// How long a pairing may stand still (Core, Vol 3 Part H 3.4).
  public static let timeout = StackDuration.seconds(30)
  /// Answers to commands that belong to no pairing, and to Security Requests: after so many on one link there are no more.
  public static let unsolicitedLimit = 8

  public let role: LinkRole
  public let localAddress: DeviceAddress
  public let peerAddress: DeviceAddress
  public weak var delegate: (any SecurityManagerDelegate)?
  /// The keys of an earlier pairing with this peer, set by whoever has recognised it. A new bond takes their place.
  public var bond: PairingResult?
  /// What was exchanged by another way, for the next pairing.
  public var outOfBand = OutOfBandExchange()
  /// Whether the pairing under way, or the last one, is one that this side has asked for, and not the peer.
  public private(set) var isWantedHere = false
  /// How well the link is encrypted; `nil`: it is not.
  public internal(set) var security: PairingSecurity?
  /// True once a pairing has timed out or the link has ended: nothing is sent or answered any more.
  public internal(set) var isClosed = false
  public internal(set) var statistics = Statistics()

  /// What was dropped on one link, by why.
  public struct Statistics: Equatable, Sendable {
    /// Commands shorter or longer than their code says.
    public var malformed = 0
    /// Commands that belong to no pairing.
    public var unsolicited = 0
    /// Commands after the time-out.
    public var afterClosing = 0
  }

  /// Whose key encrypts the link, or is about to.
  enum KeyOwner { case none, pairing, bond }

  let local: LocalSecurity
  let loop: any StackLoop
  let log: Logger
  private let channel: any SecurityManagerChannel
  var pairing: Pairing?
  /// The level that this side has asked for in a Security Request.
  var requestedLevel: SecurityLevel?
  /// Whether that was because a program or the user wants it.
  var isRequestWanted = false
  var keyOwner = KeyOwner.none
  /// The central's controller has been told to encrypt and has not answered.
  var isEncrypting = false
  var unsolicitedAnswers = 0
  private var pairingCount = 0
  private var isCapabilityNoted = false
  /// The pairing under way, or the last one, has got as far as agreed features.
  private var hadAgreement = false
  private var timer = TimerToken()
  private var waitingActions: [PairingAction] = []
  private var isPerforming = false
  /// What is to be done when the keys of a pairing are kept; `nil`: none are being kept.
  private var actionsAfterKeeping: [PairingAction]?
  /// A command that came while keys were being kept. One: the peer has nothing to say then.
  private var held: [UInt8]?

  public init(
    role: LinkRole, localAddress: DeviceAddress, peerAddress: DeviceAddress, local: LocalSecurity,
    loop: any StackLoop, channel: any SecurityManagerChannel, log: Logger = .silent
  ) {
    self.role = role
    self.localAddress = localAddress
    self.peerAddress = peerAddress
    self.local = local
    self.loop = loop
    self.channel = channel
    self.log = log
  }

  public var isPairing: Bool { pairing != nil || isKeeping }

  /// The keys of a pairing are on their way to where they outlive this process, and are used for nothing before.
  public var isKeeping: Bool { actionsAfterKeeping != nil }

  /// The bond, where its keys are as good as the policy wants them now. Others are used for nothing.
  public var usableBond: PairingResult? { bond.flatMap { local.policy.accepts($0.security) ? $0 : nil } }

  /// The link is encrypted with the keys of the bond, or those have just been made on it: the peer is who the bond is with.
  public var isProven: Bool { security != nil && keyOwner == .bond }

  /// Who the peer is, as far as it is known.
  var peerIdentity: DeviceAddress { bond?.peerIdentity ?? peerAddress }

  /// The link has ended.
  public func linkEnded() {
    run(.disconnected)
    isClosed = true
    requestedLevel = nil
    security = nil
    keyOwner = .none
    isEncrypting = false
    loop.cancel(timer)
  }

  // MARK: The pairing under way

  func begin(minimumLevel: SecurityLevel, isWantedHere: Bool, first input: PairingInput) {
    self.isWantedHere = isWantedHere
    var policy = local.policy
    policy.minimumLevel = max(policy.minimumLevel, minimumLevel)
    var parameters = PairingParameters(
      role: role, localAddress: localAddress, peerAddress: peerAddress, policy: policy, identity: local.identity,
      outOfBand: outOfBand, provenIdentity: isProven ? bond?.peerIdentity : nil)
    parameters.knownIdentity = bond?.peerIdentity ?? parameters.knownIdentity
    pairingCount += 1
    parameters.number = pairingCount
    pairing = Pairing(parameters, source: local)
    isCapabilityNoted = false
    restartTimer()
    run(input)
  }

  /// Gives the pairing an input, and does what it wants. What comes of calls from within the delegate waits its turn.
  func run(_ input: PairingInput) {
    guard var machine = pairing else { return }
    let actions = machine.handle(input)
    hadAgreement = machine.agreement != nil
    pairing = machine.stage == .ended ? nil : machine
    noteCapability(of: machine)
    guard case .finished(let result)? = actions.last, result.isBonded, let delegate else { return perform(actions) }
    // Keys are kept before the last of this side's leave, so that a peer is not left with keys that this side could not keep.
    actionsAfterKeeping = actions
    delegate.securityManager(self, keeps: result) { [self] in keysWereKept($0) }
  }

  private func keysWereKept(_ failure: PairingFailure?) {
    guard let actions = actionsAfterKeeping else { return }
    actionsAfterKeeping = nil
    if let failure {
      perform([.send(.pairingFailed(SMPPairingFailed(reason: .unspecifiedReason))), .failed(failure)])
    } else {
      perform(actions)
    }
    guard let held else { return }
    self.held = nil
    receive(held[...])
  }

  /// The peer has sent something while keys are being kept.
  func hold(_ payload: ArraySlice<UInt8>) {
    if held == nil { held = Array(payload) } else { statistics.unsolicited += 1 }
  }

  private func perform(_ actions: [PairingAction]) {
    waitingActions.append(contentsOf: actions)
    if isPerforming { return }
    isPerforming = true
    defer { isPerforming = false }
    while !waitingActions.isEmpty { perform(waitingActions.removeFirst()) }
  }

  private func noteCapability(of machine: Pairing) {
    guard !isCapabilityNoted, let now = machine.peerFeatures?.ioCapability else { return }
    isCapabilityNoted = true
    guard let before = local.attempts.note(now, of: peerIdentity, at: loop.now) else { return }
    log.log(.notice, "\(peerAddress) was \(before) and now says \(now)")
    delegate?.securityManager(self, peerChanged: before, to: now)
  }

  private func perform(_ action: PairingAction) {
    switch action {
    case .send(let pdu): send(pdu)
    case .ask(let question):
      log.log(.debug, "pairing with \(peerAddress) by \(question.method.rawValue)")
      if let delegate {
        delegate.securityManager(self, asks: question)
      } else if question.wantsAnswer {
        run(.answered(.no, to: question.id))
      }
    case .peerTyped(let kind): delegate?.securityManager(self, peerTyped: kind)
    case .startEncryption(let key):
      keyOwner = .pairing
      isEncrypting = true
      delegate?.securityManager(self, encryptsWith: LongTermKey(key: key))
    case .finished(let result): pairingFinished(result)
    case .failed(let failure): pairingFailed(failure)
    }
  }

  private func pairingFinished(_ result: PairingResult) {
    loop.cancel(timer)
    requestedLevel = nil
    local.attempts.noteSuccess(of: peerIdentity)
    local.keys.notePairing(succeeded: true)
    if result.isBonded {
      bond = result
      // The link may have ceased to be encrypted while the keys were being kept.
      keyOwner = security == nil ? .none : .bond
    }
    log.log(.info, "paired with \(peerAddress) by \(result.security.method.rawValue)")
    delegate?.securityManager(self, didPair: result)
  }

  private func pairingFailed(_ failure: PairingFailure) {
    loop.cancel(timer)
    requestedLevel = nil
    if failure == .timedOut { isClosed = true }
    switch failure {
    // Going away in the middle must not be a way around the delay; but whoever has not begun has learnt nothing.
    case .disconnected, .cancelled: if hadAgreement { noteFailure() }
    default: noteFailure()
    }
    forgetKeyOfPairing()
    log.log(.info, "pairing with \(peerAddress) failed: \(failure)")
    delegate?.securityManager(self, didFail: failure)
  }

  /// A link that is encrypted with the key of a pairing that failed after all counts as open.
  private func forgetKeyOfPairing() {
    guard keyOwner == .pairing else { return }
    keyOwner = .none
    guard security != nil else { return }
    security = nil
    delegate?.securityManagerDidChangeSecurity(self)
  }

  private func noteFailure() {
    local.attempts.noteFailure(of: peerIdentity, at: loop.now)
    local.keys.notePairing(succeeded: false)
  }

  /// Sends a command; the time-out starts anew.
  func send(_ pdu: SMPPDU) {
    if isClosed { return }
    var writer = ByteWriter(headroom: channel.headroom, capacity: L2CAPLink.securityManagerMTU)
    pdu.encode(into: &writer)
    channel.send(securityManagerCommand: writer)
    restartTimer()
  }

  private func restartTimer() {
    loop.cancel(timer)
    guard pairing != nil || requestedLevel != nil else { return }
    timer = loop.schedule(after: Self.timeout, .background, self, tag: 0)
  }

  func stopTimer() { loop.cancel(timer) }
}

extension SecurityManager: TimerTarget {
  public func timerFired(tag: Int) {
    if pairing != nil {
      run(.timedOut)
    } else if requestedLevel != nil {
      requestedLevel = nil
      isClosed = true
      delegate?.securityManager(self, didFail: .timedOut)
    }
  }
}
