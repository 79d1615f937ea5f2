import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// The steps to complete before a new link is reported to applications.
struct SetUpSteps {
  var needsFeatures = false
  var needsMTU = false
  /// The features of the peer's link layer, once received.
  var peerFeatures: LEFeatures?
  /// Whether the controller accepted the longer packets that it claims to support.
  var hasLongPackets = false
  /// The transmit PHY; `nil` until it is read, because the device may have been found on another one.
  var phy: LEPHY? = .le1M
  var hasRequestedPHY = false
  var timer: TimerToken?

  /// The tag of the timer after which a peripheral requests a faster PHY.
  static let peripheralTag = 2

  var isDone: Bool { !needsFeatures && !needsMTU }

  mutating func cancel(_ loop: any StackLoop) {
    if let timer { loop.cancel(timer) }
    timer = nil
    needsFeatures = false
    needsMTU = false
  }
}

/// A central begins each link by requesting long packets, the faster PHY and a large MTU. What the peer does not support is skipped,
/// and a time limit keeps slow steps from delaying the application.
///
/// The PHY is requested only after the long packets were accepted: some controllers claim to support both but support neither, and
/// while they refuse the former, they never answer the request for the PHY, which would end in a reset.
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
        if !status.isSuccess { self?.didReceiveFeatures([]) }
      })
    requestLongPackets()
    if stack.searchPHYs.contains(.leCoded) { readPHY() }
    database.client.exchangeMTU { [weak self] _ in
      guard let self, self.isUp else { return }
      self.setUpSteps.needsMTU = false
      self.finishSetUp()
    }
  }

  /// Sets up a link as a peripheral: requests long packets, too, because a central that does not would leave the link with packets
  /// of 27 octets. The PHY is requested later, so that it does not collide with a request of the central.
  func setUpAsPeripheral() {
    requestLongPackets()
    guard stack.controller.features?.supports2MPHY == true else { return }
    setUpSteps.timer = loop.schedule(
      after: LinkPolicy.peripheralPHYDelay, .background, self, tag: SetUpSteps.peripheralTag)
  }

  private func requestLongPackets() {
    let controller = stack.controller
    guard controller.features?.supportsDataLengthExtension == true else { return }
    controller.send(
      LESetDataLength(
        connectionHandle: handle, transmitOctets: LinkPolicy.dataLength,
        transmitTime: max(LinkPolicy.dataTime, controller.features?.maximumTransmitTime ?? 0)),
      status: { [weak self] status in
        guard let self, self.isUp, status.isSuccess else { return }
        self.setUpSteps.hasLongPackets = true
        self.requestFasterPHY()
      })
  }

  /// Starts to request a faster PHY as a peripheral, after the central had time to do so.
  private func offerFasterPHY() {
    guard isUp, phase == .ready, setUpSteps.hasLongPackets, setUpSteps.phy == .le1M else { return }
    stack.controller.send(
      LEReadRemoteFeatures(connectionHandle: handle),
      status: { [weak self] status in
        if !status.isSuccess { self?.didReceiveFeatures([]) }
      })
  }

  /// Reads the PHY, because a link to a device found on LE Coded uses LE Coded, and LE 2M might not reach it.
  private func readPHY() {
    setUpSteps.phy = nil
    stack.controller.send(LEReadPHY(connectionHandle: handle)) { [weak self] result in
      guard let self, self.isUp, case .success(let answer) = result else { return }
      self.phyDidChange(answer.transmitPHY)
      self.requestFasterPHY()
    }
  }

  func phyDidChange(_ phy: LEPHY) { setUpSteps.phy = phy }

  /// Handles the features of the peer's link layer; empty if they could not be read.
  func didReceiveFeatures(_ features: LEFeatures) {
    guard isUp else { return }
    setUpSteps.peerFeatures = features
    requestFasterPHY()
    setUpSteps.needsFeatures = false
    finishSetUp()
  }

  private func requestFasterPHY() {
    guard setUpSteps.hasLongPackets, setUpSteps.peerFeatures?.contains(.phy2M) == true,
      stack.controller.features?.supports2MPHY == true, setUpSteps.phy == .le1M, !setUpSteps.hasRequestedPHY
    else { return }
    setUpSteps.hasRequestedPHY = true
    stack.controller.send(
      LESetPHY(connectionHandle: handle, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
  }

  func timerFired(tag: Int) {
    if tag == LinkProtection.encryptionTag { return encryptionTimerFired() }
    setUpSteps.timer = nil
    guard isUp else { return }
    if tag == SetUpSteps.peripheralTag { return offerFasterPHY() }
    stack.log.log(.info, "the exchange of features and MTU with \(peer.address) takes too long")
    setUpSteps.cancel(loop)
    finishSetUp()
  }

  /// Completes the encryption step of the set-up.
  func encryptionIsSetUp() {
    protection.needsEncryption = false
    finishSetUp()
    bearer.releaseIndications()
  }

  private func finishSetUp() {
    guard phase == .settingUp, setUpSteps.isDone, !protection.needsEncryption else { return }
    setUpSteps.cancel(loop)
    stack.connectionIsReady(self)
  }
}
