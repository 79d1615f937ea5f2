import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// What has to be agreed on before a new link is told to programs.
struct SetUpSteps {
  var needsFeatures = false
  var needsMTU = false
  /// The link is being encrypted with the keys of a bond. Nothing cuts this short.
  var needsEncryption = false
  /// What the peer's link layer can do, once it said so.
  var peerFeatures: LEFeatures?
  /// Whether the controller took the longer packets that it says it can send.
  var hasLongPackets = false
  /// The PHY that this side sends on; `nil` where it is not known yet, since the device may have been found on another.
  var phy: LEPHY? = .le1M
  var hasAskedForPHY = false
  var timer: TimerToken?

  /// Of the timer after which a peripheral asks for a faster PHY.
  static let peripheralTag = 2

  var isDone: Bool { !needsFeatures && !needsMTU && !needsEncryption }

  mutating func cancel(_ loop: any StackLoop) {
    if let timer { loop.cancel(timer) }
    timer = nil
    needsFeatures = false
    needsMTU = false
  }
}

/// A central begins each link by asking for long packets, the faster PHY and a large MTU: what the peer does not know costs
/// nothing, and what takes too long does not hold the program up.
///
/// The PHY comes after the long packets were granted. There are controllers that list both and know neither; they refuse
/// the one, but leave the other without an answer, which would end in a reset.
extension HostConnection: TimerTarget {
  func setUp() {
    let controller = stack.controller
    setUpSteps.needsFeatures = true
    setUpSteps.needsMTU = true
    setUpSteps.timer = loop.schedule(after: LinkPolicy.setUpLimit, .background, self, tag: 0)
    encryptIfBonded()
    controller.send(
      LEReadRemoteFeatures(connectionHandle: handle),
      status: { [weak self] status in
        if !status.isSuccess { self?.featuresBecameKnown([]) }
      })
    askForLongPackets()
    if stack.searchPHYs.contains(.leCoded) { readPHY() }
    database.client.exchangeMTU { [weak self] _ in
      guard let self, self.isUp else { return }
      self.setUpSteps.needsMTU = false
      self.finishSetUp()
    }
  }

  /// A peripheral asks as well: a central that never does would leave it with packets of 27 octets. What the central asks for itself
  /// comes first, so that the two do not collide.
  func setUpAsPeripheral() {
    askForLongPackets()
    guard stack.controller.features?.supports2MPHY == true else { return }
    setUpSteps.timer = loop.schedule(
      after: LinkPolicy.peripheralPHYDelay, .background, self, tag: SetUpSteps.peripheralTag)
  }

  private func askForLongPackets() {
    let controller = stack.controller
    guard controller.features?.supportsDataLengthExtension == true else { return }
    controller.send(
      LESetDataLength(
        connectionHandle: handle, transmitOctets: LinkPolicy.dataLength,
        transmitTime: max(LinkPolicy.dataTime, controller.features?.maximumTransmitTime ?? 0)),
      status: { [weak self] status in
        guard let self, self.isUp, status.isSuccess else { return }
        self.setUpSteps.hasLongPackets = true
        self.askForFasterPHY()
      })
  }

  /// The central has had its time to ask for a faster PHY.
  private func offerFasterPHY() {
    guard isUp, phase == .ready, setUpSteps.hasLongPackets, setUpSteps.phy == .le1M else { return }
    stack.controller.send(
      LEReadRemoteFeatures(connectionHandle: handle),
      status: { [weak self] status in
        if !status.isSuccess { self?.featuresBecameKnown([]) }
      })
  }

  /// A device that was found on LE Coded is on LE Coded: LE 2M would not reach it.
  private func readPHY() {
    setUpSteps.phy = nil
    stack.controller.send(LEReadPHY(connectionHandle: handle)) { [weak self] result in
      guard let self, self.isUp, case .success(let answer) = result else { return }
      self.phyBecameKnown(answer.transmitPHY)
      self.askForFasterPHY()
    }
  }

  func phyBecameKnown(_ phy: LEPHY) { setUpSteps.phy = phy }

  /// What the peer's link layer can do; nothing where it did not say.
  func featuresBecameKnown(_ features: LEFeatures) {
    guard isUp else { return }
    setUpSteps.peerFeatures = features
    askForFasterPHY()
    setUpSteps.needsFeatures = false
    finishSetUp()
  }

  private func askForFasterPHY() {
    guard setUpSteps.hasLongPackets, setUpSteps.peerFeatures?.contains(.phy2M) == true,
      stack.controller.features?.supports2MPHY == true, setUpSteps.phy == .le1M, !setUpSteps.hasAskedForPHY
    else { return }
    setUpSteps.hasAskedForPHY = true
    stack.controller.send(
      LESetPHY(connectionHandle: handle, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
  }

  func timerFired(tag: Int) {
    if tag == LinkProtection.encryptionTag { return encryptionTimerFired() }
    setUpSteps.timer = nil
    guard isUp else { return }
    if tag == SetUpSteps.peripheralTag { return offerFasterPHY() }
    stack.log.log(.info, "\(peer.address) takes long to agree on features and MTU")
    setUpSteps.cancel(loop)
    finishSetUp()
  }

  /// The link is encrypted with the keys of the bond.
  func encryptionIsSetUp() {
    setUpSteps.needsEncryption = false
    finishSetUp()
    bearer.releaseIndications()
  }

  private func finishSetUp() {
    guard phase == .settingUp, setUpSteps.isDone else { return }
    setUpSteps.cancel(loop)
    stack.connectionIsReady(self)
  }
}
