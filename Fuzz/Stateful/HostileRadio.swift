import BLECore
import BLECrypto
import BLEHCI
import BLEHost
import BLEPairing
import BLEVirtualRadio
import BLEWire

/// A radio of the attacker's, with a host of its own that does what the input says: it takes any address, claims any identity,
/// pairs as it should or nearly so, and sends what octets it likes.
final class HostileRadio {
  private let number: UInt64
  private let loop: any StackLoop
  private let radio: VirtualController
  private let controller: HCIController
  private let entropy: SeededEntropy

  private(set) var address: DeviceAddress
  var identity: DeviceAddress
  /// How it changes one kind of command of its pairings: the kind in the lowest bits; 0 changes none.
  var forgery: UInt8 = 0
  private(set) var resolvingKey: SecretKey
  private var advertisement: [UInt8]?
  private var link: HCILink?
  private var channels: L2CAPLink?
  private var local: LocalSecurity?
  private var security: SecurityManager?
  private var server: GATTServerLink?
  private var bearer: ATTBearer?
  /// The keys of its last pairing.
  private var keys: PairingResult?

  init(_ number: UInt64, air: Air) {
    self.number = number
    loop = air.loop
    entropy = SeededEntropy(seed: 0xBAD0 + number)
    address = DeviceAddress(0xC0DE_0000_0000 | number, kind: .random)
    identity = address
    resolvingKey = .random(entropy)
    let radio = air.makeController(address: address)
    self.radio = radio
    controller = HCIController(loop: air.loop) { radio }
    controller.delegate = self
    controller.start()
  }

  // MARK: Who it is

  /// One of the addresses that it may show or claim: its own, private ones that its key makes or does not, those of the others.
  func address(_ choice: UInt8, others: [HostileRadio]) -> DeviceAddress {
    let part = UInt64(choice >> 3)
    switch choice & 7 {
    case 0: return DeviceAddress(0xC0DE_0000_0000 | number, kind: .random)
    case 1: return DeviceAddress(0x4000_0000_0100 | number << 4 | part, kind: .random)
    case 2: return IdentityResolver(irk: resolvingKey).makeAddress(SeededEntropy(seed: part))
    case 3: return DeviceAddress(0x0000_0000_0200 | number << 4 | part, kind: .random)
    case 4: return others[Int(part & 3)].address
    case 5: return others[Int(part & 3)].identity
    case 6: return DeviceAddress(0x0000_2000_0000 | part, kind: .public)
    default: return DeviceAddress(0xC0DE_0001_0000 | part, kind: .random)
    }
  }

  /// The key that it hands out: another one, another radio's, or zeros.
  func changeKey(_ choice: UInt8, others: [HostileRadio]) {
    switch choice & 3 {
    case 0: resolvingKey = SecretKey(AESBlock.zero)
    case 1: resolvingKey = others[Int(choice >> 2 & 3)].resolvingKey
    default: resolvingKey = .random(entropy)
    }
  }

  func take(_ address: DeviceAddress) {
    // A radio can show a public address that it has not got: to those who listen it is a random one of that value.
    self.address = DeviceAddress(address.value, kind: .random)
    controller.send(LESetAdvertisingEnable(isEnabled: false))
    controller.send(LESetRandomAddress(address: self.address))
    startAdvertising()
  }

  private func policy(_ choice: UInt8) -> SecurityPolicy {
    var policy = SecurityPolicy(ioCapability: SMPIOCapability(rawValue: choice % 5))
    policy.offersSecureConnections = choice & 8 == 0
    policy.isBondable = choice & 16 == 0
    policy.fixedPasskey = SixDigits(lowest: 0)
    return policy
  }

  // MARK: The link layer

  func advertise(_ choice: UInt8) {
    let data: [UInt8] = [2, 0x01, 0x06, 3, 0x03, 0x30, 0xFF, 3, 0x09, 0x41 + choice % 26, 0x41]
    advertisement = choice & 32 == 0 ? data : Array(data.prefix(Int(choice & 15)))
    startAdvertising()
  }

  func stopAdvertising() {
    advertisement = nil
    controller.send(LESetAdvertisingEnable(isEnabled: false))
  }

  private func startAdvertising() {
    guard let advertisement, controller.features != nil else { return }
    let interval = AdvertisingInterval(rawValue: 0xA0)
    controller.send(LESetAdvertisingEnable(isEnabled: false))
    controller.send(
      LESetAdvertisingParameters(
        intervalMinimum: interval, intervalMaximum: interval, type: .connectable, ownAddressType: .random,
        peerAddress: .none, channels: .all, filterPolicy: .all))
    controller.send(LESetAdvertisingData(data: advertisement[...]))
    controller.send(LESetAdvertisingEnable(isEnabled: true))
  }

  func connect(to host: DeviceAddress) {
    guard controller.features != nil, link == nil else { return }
    let interval = ScanInterval(nearest: .milliseconds(60))
    controller.send(
      LECreateConnection(
        scanInterval: interval, scanWindow: interval, filterPolicy: .peerAddress, peerAddress: HCIAddress(host),
        ownAddressType: .random,
        parameters: ConnectionParameters(
          intervalMinimum: ConnectionInterval(nearest: .milliseconds(15)),
          intervalMaximum: ConnectionInterval(nearest: .milliseconds(15)),
          supervisionTimeout: SupervisionTimeout(nearest: .seconds(5)))))
  }

  func disconnect() {
    guard let link else { return }
    controller.send(HCIDisconnect(connectionHandle: link.handle, reason: .remoteUserTerminated))
  }

  func cutPower() { radio.silence() }
  func restorePower() { radio.comeBack() }

  // MARK: Its host

  func pair(_ choice: UInt8) {
    local?.policy = policy(choice)
    do throws(PairingFailure) { try security?.pair() } catch { Trace.note("radio \(number) can't pair: \(error)") }
  }

  /// Encrypts with the keys of its last pairing.
  func encrypt() {
    security?.bond = keys
    _ = security?.encryptWithBond()
  }

  func send(_ payload: [UInt8], on channel: ChannelIdentifier) {
    var writer = ByteWriter(headroom: L2CAPLink.payloadHeadroom, capacity: payload.count)
    writer.append(contentsOf: payload)
    channels?.send(writer, on: channel)
  }

  fileprivate func send(command: [UInt8]) {
    guard forgery != 0, let code = command.first, code == forgery & 15 else {
      return send(command, on: .securityManager)
    }
    switch forgery >> 4 & 3 {
    case 0: break
    case 1: send(Array(command.dropLast()) + [(command.last ?? 0) ^ 1], on: .securityManager)
    case 2: for _ in 0..<2 { send(command, on: .securityManager) }
    default: send([0x05, 0x08], on: .securityManager)
    }
  }
}

extension HostileRadio: HCIControllerDelegate {
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
    case .disconnectionComplete(let event) where event.connectionHandle == link?.handle: linkEnded()
    case .encryptionChange(let event):
      security?.encryptionChanged(isEncrypted: event.status.isSuccess && event.state != .off)
    case .encryptionKeyRefreshComplete(let event): security?.encryptionChanged(isEncrypted: event.status.isSuccess)
    case .leLongTermKeyRequest(let event): answer(event)
    default: break
    }
  }

  private func linkCameUp(_ handle: ConnectionHandle, _ role: LEConnectionRole, _ peer: DeviceAddress) {
    guard link == nil, let link = controller.link(handle) else { return }
    self.link = link
    Trace.note("radio \(number) has a link to \(peer)")
    let channels = L2CAPLink(role: role == .central ? .central : .peripheral, loop: loop, carrier: RadioCarrier(link))
    link.receiver = RadioReceiver(channels)
    // Attempts are not counted against it: it may try as often as the host lets it.
    let local = LocalSecurity(
      policy: policy(3), identity: LocalIdentity(address: identity, identityResolvingKey: resolvingKey),
      entropy: entropy)
    let security = SecurityManager(
      role: channels.role, localAddress: address, peerAddress: peer, local: local, loop: loop,
      channel: CommandForger(self))
    security.delegate = self
    channels.securityManager = security
    let bearer = ATTBearer(loop: loop, channel: AttributeSender(channels), receiveMTU: ATTLimits.fullValueMTU)
    channels.attributeProtocol = AttributeReceiver(bearer)
    server = HostileDatabase.make().makeLink(on: bearer)
    (self.channels, self.local, self.security, self.bearer) = (channels, local, security, bearer)
  }

  private func linkEnded() {
    Trace.note("radio \(number) has lost its link")
    security?.linkEnded()
    // A server holds its links until they are closed.
    server?.close()
    bearer?.close()
    channels?.close()
    (link, channels, local, security, bearer, server) = (nil, nil, nil, nil, nil, nil)
    startAdvertising()
  }

  private func answer(_ event: LELongTermKeyRequestEvent) {
    security?.bond = keys
    guard
      let key = security?.longTermKey(encryptedDiversifier: event.diversifier, randomNumber: event.randomNumber)
    else {
      return controller.send(LELongTermKeyRequestNegativeReply(connectionHandle: event.connectionHandle))
    }
    controller.send(
      LELongTermKeyRequestReply(
        connectionHandle: event.connectionHandle, key: HCISecret(key.revealLeastSignificantFirst())))
  }
}

extension HostileRadio: SecurityManagerDelegate {
  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion) {
    if case .enterPasskey = question.kind {
      manager.answer(.passkey("000000"), to: question.id)
    } else if question.needsAnswer {
      manager.answer(.yes, to: question.id)
    }
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
    server?.security = manager.security?.linkSecurity(isBonded: false) ?? .open
  }
  func securityManager(_ manager: SecurityManager, didPair result: PairingResult) {
    Trace.note("radio \(number) is paired by \(result.security.method)")
    keys = result
  }
  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure) {
    Trace.note("radio \(number) is not paired: \(failure)")
  }
  func securityManager(
    _ manager: SecurityManager, peerChangedFrom before: PairingCapability?, to now: PairingCapability?
  ) {}
}

/// Brings the commands of a radio's Security Manager to where they may be forged.
private final class CommandForger: SecurityManagerChannel {
  private unowned let radio: HostileRadio
  let headroom = L2CAPLink.payloadHeadroom
  init(_ radio: HostileRadio) { self.radio = radio }
  func send(securityManagerCommand command: consuming ByteWriter) {
    radio.send(command: Array(command.octets.dropFirst(headroom)))
  }
}
