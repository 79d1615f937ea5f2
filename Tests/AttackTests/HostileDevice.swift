import BLECore
import BLECrypto
import BLEHCI
import BLEHost
import BLEPairing
import BLETestKit
import BLEVirtualRadio
import BLEWire

/// A device whose host is a test: it sends arbitrary PDUs over a real link layer, and records the answers. With a Security
/// Manager it pairs as it should, except for the commands that `forge` changes.
///
/// `@unchecked Sendable`: touched on the world's loop, and by the test while the world is not running.
final class HostileDevice: @unchecked Sendable {
  let world: World
  let address: DeviceAddress
  private(set) var controller: HCIController!
  private var radio: VirtualController?

  // What has happened.
  private(set) var connectionCount = 0
  /// Why the last link ended, as a controller's error.
  private(set) var endReason: UInt8?
  /// Each change of encryption: the controller's status, and whether the link is encrypted.
  private(set) var encryption: [(status: UInt8, isOn: Bool)] = []
  /// PDUs received on the Security Manager's channel.
  private(set) var commands: [[UInt8]] = []
  /// PDUs received on the Attribute Protocol's channel.
  private(set) var attributePDUs: [[UInt8]] = []
  /// Signed commands that its server got.
  private(set) var signedCommands: [ATTSignedWriteCommand] = []
  /// How often its controller requested a key.
  private(set) var keyRequests = 0
  private var unanswered: LELongTermKeyRequestEvent?

  // Its behaviour.
  /// Replaces each command of its Security Manager by the octets to send.
  var forge: ([UInt8]) -> [[UInt8]] = { [$0] }
  /// The key that it gives its controller; `nil`: its Security Manager's, if it has one.
  var answersKeyRequests = true
  var key: SecretKey?
  var server: GATTServer?
  /// The longest attribute PDU that its server takes.
  var receiveMTU = ATTLimits.fullValueMTU
  /// Replaces its server's answers; `request` is the last PDU received on that channel.
  var forgeAttribute: (_ request: [UInt8], _ answer: [UInt8]) -> [[UInt8]] = { [$1] }
  /// Called on the loop when its link is there, and when it has ended.
  var linkChanged: (_ device: HostileDevice, _ isUp: Bool) -> Void = { _, _ in }
  /// Its identity and policy where it pairs as it should.
  var local: LocalSecurity?
  private(set) var security: SecurityManager?
  private(set) var results: [PairingResult] = []
  private(set) var failures: [PairingFailure] = []
  private(set) var questions: [PairingQuestion] = []
  var respond: (PairingQuestion) -> PairingRequest.Answer? = { $0.needsAnswer ? .yes : nil }

  private var link: HCILink?
  private var channels: L2CAPLink?
  private var bearer: ATTBearer?
  private var serverLink: GATTServerLink?
  private var advertisement: [UInt8]?

  init(_ world: World, address: DeviceAddress, configuration: ControllerConfiguration = ControllerConfiguration()) {
    self.world = world
    self.address = address
    controller = HCIController(loop: world.loop) { [unowned self] () throws(TransportError) in
      let radio = world.air.makeController(address: self.address, configuration: configuration)
      self.radio = radio
      return radio
    }
    controller.delegate = self
    onLoop { $0.controller.start() }
  }

  /// A random static address from a number.
  static func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC0DE_0000_0000 | number, kind: .random) }

  func onLoop(_ job: @escaping (HostileDevice) -> Void) {
    let bound = LoopBound((self, job))
    world.loop.submit(from: .common) { bound.value.1(bound.value.0) }
  }

  /// From now on it pairs as it should.
  func behave(_ policy: SecurityPolicy = SecurityPolicy(), resolvingKey: SecretKey? = nil, seed: UInt64 = 0xBAD) {
    let entropy = SeededEntropy(seed: seed)
    local = LocalSecurity(
      policy: policy,
      identity: LocalIdentity(address: address, identityResolvingKey: resolvingKey ?? .random(entropy)),
      entropy: entropy)
  }

  // MARK: Links

  func advertise(_ name: String, _ service: UInt16? = nil) {
    var data: [UInt8] = [2, 0x01, 0x06, UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
    if let service { data += [3, 0x03, UInt8(service & 0xFF), UInt8(service >> 8)] }
    onLoop {
      $0.advertisement = data
      $0.startAdvertising()
    }
  }

  private func startAdvertising() {
    guard let advertisement, controller.features != nil else { return }
    let interval = AdvertisingInterval(rawValue: 0xA0)
    controller.send(
      LESetAdvertisingParameters(
        intervalMinimum: interval, intervalMaximum: interval, type: .connectable, ownAddressType: .random,
        peerAddress: .none, channels: .all, filterPolicy: .all))
    controller.send(LESetAdvertisingData(data: advertisement[...]))
    controller.send(LESetAdvertisingEnable(isEnabled: true))
  }

  func connect(to peer: DeviceAddress) {
    onLoop {
      let interval = ScanInterval(nearest: .milliseconds(60))
      $0.controller.send(
        LECreateConnection(
          scanInterval: interval, scanWindow: interval, filterPolicy: .peerAddress, peerAddress: HCIAddress(peer),
          ownAddressType: .random,
          parameters: ConnectionParameters(
            intervalMinimum: ConnectionInterval(nearest: .milliseconds(15)),
            intervalMaximum: ConnectionInterval(nearest: .milliseconds(15)),
            supervisionTimeout: SupervisionTimeout(nearest: .seconds(5)))))
    }
  }

  /// Connects as soon as the peer can be found, and waits for the link and a little longer.
  func link(to peer: DeviceAddress, within limit: Duration = .seconds(10)) async throws {
    connect(to: peer)
    try await world.wait(within: limit) { self.isConnected }
    await world.advance(by: .milliseconds(100))
  }

  var isConnected: Bool { link?.isOpen ?? false }

  func disconnect() {
    onLoop { device in
      guard let link = device.link else { return }
      device.controller.send(HCIDisconnect(connectionHandle: link.handle, reason: .remoteUserTerminated))
    }
  }

  /// Ends the link; a second later both sides know it.
  func leave() async {
    disconnect()
    await world.advance(by: .seconds(1))
  }

  func cutPower() { onLoop { $0.radio?.silence() } }
  func restorePower() { onLoop { $0.radio?.comeBack() } }

  /// Has the central's controller start encryption.
  func encrypt(with key: SecretKey, random: UInt64 = 0, diversifier: UInt16 = 0) {
    onLoop { device in
      guard let link = device.link else { return }
      device.controller.send(
        LEEnableEncryption(
          connectionHandle: link.handle, randomNumber: random, diversifier: diversifier,
          key: HCISecret(key.revealLeastSignificantFirst())))
    }
  }

  // MARK: Octets

  func sendCommand(_ payload: [UInt8]) { onLoop { $0.transmit(payload, on: .securityManager) } }
  func sendAttributePDU(_ payload: [UInt8]) { onLoop { $0.transmit(payload, on: .attributeProtocol) } }

  private func transmit(_ payload: [UInt8], on channel: ChannelIdentifier) {
    var writer = ByteWriter(headroom: L2CAPLink.payloadHeadroom, capacity: payload.count)
    writer.append(contentsOf: payload)
    channels?.send(writer, on: channel)
  }

  func forgetWhatCame() {
    commands = []
    attributePDUs = []
    encryption = []
    results = []
    failures = []
  }

  /// Sends one request and returns the answer, in hexadecimal.
  func ask(_ pdu: String) async -> [String] {
    attributePDUs = []
    sendAttributePDU([UInt8](hexadecimal: pdu) ?? [])
    await world.advance(by: .milliseconds(200))
    return attributePDUs.map(\.hexadecimal)
  }

  /// Answers its last question.
  func answer(_ answer: PairingRequest.Answer) {
    onLoop { device in
      if let question = device.questions.last { device.security?.answer(answer, to: question.id) }
    }
  }

  /// Starts a pairing as a central should.
  func pair() { onLoop { device in try? device.security?.pair() } }

  /// As soon as its controller is ready: connects, and pairs as the central, well or not.
  func pair(with peer: DeviceAddress) async {
    await world.advance(by: .milliseconds(100))
    connect(to: peer)
    await world.advance(by: .seconds(1))
    pair()
    await world.advance(by: .seconds(2))
  }
}

extension HostileDevice: HCIControllerDelegate {
  func controller(_ controller: HCIController, didChange state: HCIControllerState) {
    guard case .ready = state else { return }
    controller.send(LESetRandomAddress(address: address))
    startAdvertising()
  }

  func controller(_ controller: HCIController, didReceive event: HCIEvent) {
    switch event {
    case .leConnectionComplete(let event) where event.status.isSuccess:
      linkCameUp(event.connectionHandle, event.role, event.peerAddress.address)
    case .leEnhancedConnectionComplete(let event) where event.status.isSuccess:
      linkCameUp(event.connectionHandle, event.role, event.peerAddress.address)
    case .disconnectionComplete(let event): linkEnded(event.reason.rawValue)
    case .encryptionChange(let event): encryptionChanged(event.status, event.state != .off)
    case .encryptionKeyRefreshComplete(let event): encryptionChanged(event.status, true)
    case .leLongTermKeyRequest(let event): keyWanted(event)
    default: break
    }
  }

  private func linkCameUp(_ handle: ConnectionHandle, _ role: LEConnectionRole, _ peer: DeviceAddress) {
    connectionCount += 1
    endReason = nil
    guard let link = controller.link(handle) else { return }
    self.link = link
    let channels = L2CAPLink(role: role == .central ? .central : .peripheral, loop: world.loop, carrier: Carrier(link))
    link.receiver = Receiver(channels)
    channels.securityManager = Tap { [unowned self] in receiveCommand($0) }
    if let server {
      let bearer = ATTBearer(loop: world.loop, channel: AttributeForger(self), receiveMTU: receiveMTU)
      channels.attributeProtocol = Tap { [unowned self] in
        attributePDUs.append($0)
        bearer.receive($0[...])
      }
      let serverLink = server.makeLink(on: bearer)
      serverLink.verifySignature = { [unowned self] command, verified in
        signedCommands.append(command)
        verified(false)
      }
      self.serverLink = serverLink
      self.bearer = bearer
    } else {
      channels.attributeProtocol = Tap { [unowned self] in attributePDUs.append($0) }
    }
    self.channels = channels
    if let local {
      let security = SecurityManager(
        role: channels.role, localAddress: address, peerAddress: peer, local: local, loop: world.loop,
        channel: Forger(self))
      security.delegate = self
      self.security = security
    }
    linkChanged(self, true)
  }

  private func linkEnded(_ reason: UInt8) {
    endReason = reason
    security?.linkEnded()
    bearer?.close()
    channels?.close()
    (link, channels, security, bearer, serverLink) = (nil, nil, nil, nil, nil)
    startAdvertising()
    linkChanged(self, false)
  }

  private func receiveCommand(_ command: [UInt8]) {
    commands.append(command)
    security?.receive(command[...])
  }

  private func encryptionChanged(_ status: HCIErrorCode, _ isOn: Bool) {
    encryption.append((status.rawValue, isOn && status.isSuccess))
    security?.encryptionChanged(isEncrypted: isOn && status.isSuccess)
  }

  /// Answers a request of its controller for a key that was left unanswered so far.
  func answerKeyRequest() {
    onLoop { device in
      guard let event = device.unanswered else { return }
      device.unanswered = nil
      device.answer(event)
    }
  }

  private func keyWanted(_ event: LELongTermKeyRequestEvent) {
    keyRequests += 1
    if answersKeyRequests { answer(event) } else { unanswered = event }
  }

  private func answer(_ event: LELongTermKeyRequestEvent) {
    let key =
      key ?? security?.longTermKey(encryptedDiversifier: event.diversifier, randomNumber: event.randomNumber)
    if let key {
      controller.send(
        LELongTermKeyRequestReply(
          connectionHandle: event.connectionHandle, key: HCISecret(key.revealLeastSignificantFirst())))
    } else {
      controller.send(LELongTermKeyRequestNegativeReply(connectionHandle: event.connectionHandle))
    }
  }

  fileprivate func send(forgedAttribute answer: [UInt8]) {
    for pdu in forgeAttribute(attributePDUs.last ?? [], answer) { transmit(pdu, on: .attributeProtocol) }
  }

  fileprivate func send(forged command: [UInt8]) { for part in forge(command) { transmit(part, on: .securityManager) } }
}

extension HostileDevice: SecurityManagerDelegate {
  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion) {
    questions.append(question)
    if let answer = respond(question) { manager.answer(answer, to: question.id) }
  }
  func securityManager(_ manager: SecurityManager, peerTyped keypress: PairingKeypress) {}
  func securityManager(_ manager: SecurityManager, encryptsWith key: LongTermKey) {
    guard let link else { return }
    controller.send(
      LEEnableEncryption(
        connectionHandle: link.handle, randomNumber: key.randomNumber, diversifier: key.encryptedDiversifier,
        key: HCISecret(key.key.revealLeastSignificantFirst())))
  }
  func securityManagerDidChangeSecurity(_ manager: SecurityManager) {
    serverLink?.security = manager.security?.linkSecurity(isBonded: false) ?? .open
  }
  func securityManager(_ manager: SecurityManager, didPair result: PairingResult) { results.append(result) }
  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure) { failures.append(failure) }
  func securityManager(
    _ manager: SecurityManager, peerChangedFrom before: PairingCapability?, to now: PairingCapability?
  ) {}
}

private final class Carrier: L2CAPCarrier {
  private let link: HCILink
  init(_ link: HCILink) { self.link = link }
  func send(_ frame: consuming [UInt8], sent: (() -> Void)?) {
    link.send(frame)
    sent?()
  }
  var queuedFrames: Int { link.queuedFrames }
}

private final class Receiver: HCILinkReceiver {
  private let channels: L2CAPLink
  init(_ channels: L2CAPLink) { self.channels = channels }
  func link(_ link: HCILink, didReceive packet: HCIACLPacket) {
    channels.receive(fragment: packet.payload, isFirst: packet.boundary != .continuing)
  }
  func link(_ link: HCILink, didHandOver token: UInt64) {}
}

private final class Tap: L2CAPChannelReceiver {
  private let body: ([UInt8]) -> Void
  init(_ body: @escaping ([UInt8]) -> Void) { self.body = body }
  func receive(_ payload: ArraySlice<UInt8>) { body(Array(payload)) }
}

private final class AttributeForger: ATTChannel {
  private unowned let device: HostileDevice
  let headroom = L2CAPLink.payloadHeadroom
  let isCongested = false
  init(_ device: HostileDevice) { self.device = device }
  func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) {
    device.send(forgedAttribute: Array(pdu.octets.dropFirst(headroom)))
    sent?()
  }
}

private final class Forger: SecurityManagerChannel {
  private unowned let device: HostileDevice
  let headroom = L2CAPLink.payloadHeadroom
  init(_ device: HostileDevice) { self.device = device }
  func send(securityManagerCommand command: consuming ByteWriter) {
    device.send(forged: Array(command.octets.dropFirst(headroom)))
  }
}
