import BLECore
import BLECrypto
import BLEPairing
import BLEWire

/// The Security Manager of one link: receives the payloads of channel 0x0006, runs one pairing at a time with its time-out,
/// and tracks which keys encrypt the link. Everything on the loop.
public final class SecurityManager: L2CAPChannelReceiver {
  /// The SMP time-out (Core, Vol 3 Part H 3.4).
  public static let timeout = StackDuration.seconds(30)
  /// The most answers on one link to Security Requests and to commands outside of a pairing.
  public static let unsolicitedLimit = 8

  public let role: LinkRole
  public let localAddress: DeviceAddress
  public let peerAddress: DeviceAddress
  public weak var delegate: (any SecurityManagerDelegate)?
  /// The keys of an earlier pairing with this peer, set by the owner of the link. Replaced by a new bond.
  public var bond: PairingResult?
  /// The data exchanged out of band, for the next pairing.
  public var outOfBand = OutOfBandExchange()
  /// Whether this side, and not the peer, requested the current or last pairing.
  public private(set) var isRequestedLocally = false
  /// The security of the link; `nil` if it is not encrypted.
  public internal(set) var security: PairingSecurity?
  /// True once a pairing has timed out or the link has ended: commands are neither sent nor answered.
  public internal(set) var isClosed = false
  public internal(set) var statistics = Statistics()

  /// Counts of what was dropped on one link, by reason.
  public struct Statistics: Equatable, Sendable {
    /// Commands whose length does not fit their code.
    public var malformed = 0
    /// Commands outside of a pairing.
    public var unsolicited = 0
    /// Commands after the manager was closed.
    public var afterClosing = 0
  }

  /// The origin of the key that encrypts the link, or is about to.
  enum KeyOwner { case none, pairing, bond }

  private final class CurrentPairing {
    let pairing: Pairing

    init(_ pairing: Pairing) { self.pairing = pairing }
  }

  let local: LocalSecurity
  let loop: any StackLoop
  let log: Logger
  private let channel: any SecurityManagerChannel
  /// The current pairing. Kept in memory of its own, because its state takes a kilobyte and most links never have one.
  var pairing: Pairing? {
    get { current?.pairing }
    set { current = newValue.map(CurrentPairing.init) }
  }
  private var current: CurrentPairing?
  /// The level that this side has requested by a Security Request.
  var requestedLevel: SecurityLevel?
  /// Whether that request was made for an application or the user.
  var isSecurityRequestLocal = false
  var keyOwner = KeyOwner.none
  /// Whether the central's controller is encrypting the link.
  var isEncrypting = false
  var unsolicitedAnswers = 0
  private var pairingCount = 0
  private var isCapabilityNoted = false
  /// Whether the current or last pairing has completed the feature exchange.
  private var hadAgreement = false
  private var timer = TimerToken()
  private var waitingActions: [PairingAction] = []
  private var isPerforming = false
  /// The actions to perform once the keys of a pairing are stored; `nil` if none are being stored.
  private var actionsAfterStoring: [PairingAction]?
  /// A command received while keys are being stored. Only one, because none is expected then.
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

  public var isPairing: Bool { pairing != nil || isStoringKeys }

  /// Whether the keys of a pairing are being stored. They are not used before.
  public var isStoringKeys: Bool { actionsAfterStoring != nil }

  /// The bond, if the current policy accepts its keys. Other keys are not used at all.
  public var usableBond: PairingResult? { bond.flatMap { local.policy.accepts($0.security) ? $0 : nil } }

  /// Whether the peer has proved its identity: the link is encrypted with the keys of the bond, or the bond was made on it.
  public var isProven: Bool { security != nil && keyOwner == .bond }

  /// The identity of the peer if it is known, otherwise its address.
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

  // MARK: The current pairing

  func begin(minimumLevel: SecurityLevel, isRequestedLocally: Bool, first input: PairingInput) {
    self.isRequestedLocally = isRequestedLocally
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

  /// Passes an input to the pairing and performs its actions. Actions from reentrant calls by the delegate are queued.
  func run(_ input: PairingInput) {
    guard var machine = pairing else { return }
    let actions = machine.handle(input)
    hadAgreement = machine.agreement != nil
    pairing = machine.stage == .ended ? nil : machine
    noteCapability(of: machine)
    guard case .finished(let result)? = actions.last, result.isBonded, let delegate else { return perform(actions) }
    // Keys are stored before this side sends its last ones, so that the peer does not have keys that this side could not store.
    actionsAfterStoring = actions
    delegate.securityManager(self, stores: result) { [self] in keysWereStored($0) }
  }

  private func keysWereStored(_ failure: PairingFailure?) {
    guard let actions = actionsAfterStoring else { return }
    actionsAfterStoring = nil
    if let failure {
      perform([.send(.pairingFailed(SMPPairingFailed(reason: .unspecifiedReason))), .failed(failure)])
    } else {
      perform(actions)
    }
    guard let held else { return }
    self.held = nil
    receive(held[...])
  }

  /// Holds a command of the peer until the keys are stored.
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
    log.log(.notice, "the I/O capability of \(peerAddress) changed from \(before) to \(now)")
    delegate?.securityManager(
      self, peerChangedFrom: PairingCapability(rawValue: before.rawValue), to: PairingCapability(rawValue: now.rawValue)
    )
  }

  private func perform(_ action: PairingAction) {
    switch action {
    case .send(let pdu): send(pdu)
    case .ask(let question):
      log.log(.debug, "pairing with \(peerAddress) by \(question.method.rawValue)")
      if let delegate {
        delegate.securityManager(self, asks: question)
      } else if question.needsAnswer {
        run(.answered(.no, to: question.id))
      }
    case .peerTyped(let keypress): delegate?.securityManager(self, peerTyped: keypress)
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
      // The encryption may have ended while the keys were being stored.
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
    // Disconnecting or cancelling must not avoid the delay, except before the feature exchange, when the peer has learned nothing.
    case .disconnected, .cancelled: if hadAgreement { noteFailure() }
    default: noteFailure()
    }
    forgetKeyOfPairing()
    log.log(.info, "pairing with \(peerAddress) failed: \(failure)")
    delegate?.securityManager(self, didFail: failure)
  }

  /// A link encrypted with the key of a pairing that then failed counts as not encrypted.
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

  /// Sends a command and restarts the time-out.
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
