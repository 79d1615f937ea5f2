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
  var timer: TimerToken?

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
    if controller.features?.supportsDataLengthExtension == true {
      controller.send(
        LESetDataLength(
          connectionHandle: handle, transmitOctets: LinkPolicy.dataLength, transmitTime: LinkPolicy.dataTime),
        status: { [weak self] status in
          guard let self, self.isUp, status.isSuccess else { return }
          self.setUpSteps.hasLongPackets = true
          self.askForFasterPHY()
        })
    }
    database.client.exchangeMTU { [weak self] _ in
      guard let self, self.isUp else { return }
      self.setUpSteps.needsMTU = false
      self.finishSetUp()
    }
  }

  /// What the peer's link layer can do; nothing where it did not say.
  func featuresBecameKnown(_ features: LEFeatures) {
    guard isUp else { return }
    setUpSteps.peerFeatures = features
    askForFasterPHY()
    setUpSteps.needsFeatures = false
    finishSetUp()
  }

  private func askForFasterPHY() {
    guard role == .central, setUpSteps.hasLongPackets, setUpSteps.peerFeatures?.contains(.phy2M) == true,
      stack.controller.features?.supports2MPHY == true
    else { return }
    stack.controller.send(
      LESetPHY(connectionHandle: handle, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
  }

  func timerFired(tag: Int) {
    if tag == LinkProtection.encryptionTag { return encryptionTimerFired() }
    setUpSteps.timer = nil
    guard isUp else { return }
    stack.log.log(.info, "\(peer.address) takes long to agree on features and MTU")
    setUpSteps.cancel(loop)
    finishSetUp()
  }

  /// The link is encrypted with the keys of the bond.
  func encryptionIsSetUp() {
    setUpSteps.needsEncryption = false
    finishSetUp()
  }

  private func finishSetUp() {
    guard phase == .settingUp, setUpSteps.isDone else { return }
    setUpSteps.cancel(loop)
    stack.connectionIsReady(self)
  }
}
