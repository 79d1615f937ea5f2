import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLEWire

/// One end of a link: a manager, its user and its controller.
final class ManagerEnd: SecurityManagerDelegate, SecurityManagerChannel {
  let headroom = L2CAPLink.payloadHeadroom
  let local: LocalSecurity
  private(set) var manager: SecurityManager
  var outbox: [[UInt8]] = []
  private(set) var sentCount = 0
  private(set) var results: [PairingResult] = []
  private(set) var failures: [PairingFailure] = []
  private(set) var questions: [PairingQuestion] = []
  private(set) var capabilityChanges: [(PairingCapability?, PairingCapability?)] = []
  private(set) var securityChanges: [PairingSecurity?] = []
  var keyToStart: LongTermKey?
  /// The user's immediate answer; `nil`: none.
  var respond: (PairingQuestion) -> PairingRequest.Answer? = { $0.needsAnswer ? .yes : nil }
  /// Whether keys count as stored only when `keysWereKept` says so.
  var keepsKeysLate = false
  private var keeping: ((PairingFailure?) -> Void)?

  init(
    _ role: LinkRole, address: DeviceAddress, peer: DeviceAddress, local: LocalSecurity, loop: VirtualLoop
  ) {
    self.local = local
    let channel = Unowned()
    manager = SecurityManager(
      role: role, localAddress: address, peerAddress: peer, local: local, loop: loop, channel: channel)
    channel.end = self
    manager.delegate = self
  }

  /// The manager retains its channel; the end retains the manager.
  private final class Unowned: SecurityManagerChannel {
    weak var end: ManagerEnd?
    let headroom = L2CAPLink.payloadHeadroom
    func send(securityManagerCommand command: consuming ByteWriter) { end?.send(securityManagerCommand: command) }
  }

  func send(securityManagerCommand command: consuming ByteWriter) {
    outbox.append(Array(command.octets.dropFirst(headroom)))
    sentCount += 1
  }

  func securityManager(
    _ manager: SecurityManager, stores result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void
  ) {
    if keepsKeysLate { keeping = completion } else { completion(nil) }
  }

  func keysWereKept(_ failure: PairingFailure? = nil) {
    let completion = keeping
    keeping = nil
    completion?(failure)
  }

  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion) {
    questions.append(question)
    if let answer = respond(question) { manager.answer(answer, to: question.id) }
  }
  func securityManager(_ manager: SecurityManager, peerTyped keypress: PairingKeypress) {}
  func securityManager(_ manager: SecurityManager, encryptsWith key: LongTermKey) { keyToStart = key }
  func securityManagerDidChangeSecurity(_ manager: SecurityManager) { securityChanges.append(manager.security) }
  func securityManager(_ manager: SecurityManager, didPair result: PairingResult) { results.append(result) }
  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure) { failures.append(failure) }
  func securityManager(
    _ manager: SecurityManager, peerChangedFrom before: PairingCapability?, to now: PairingCapability?
  ) { capabilityChanges.append((before, now)) }
}

/// A link between two managers in virtual time.
final class ManagerPair {
  let loop: VirtualLoop
  let central: ManagerEnd
  let peripheral: ManagerEnd
  /// How many commands still pass; `nil`: all.
  var commandsLeft: Int?

  init(
    central: SecurityPolicy = .test(), peripheral: SecurityPolicy = .test(), loop: VirtualLoop = VirtualLoop(),
    centralLocal: LocalSecurity? = nil, peripheralLocal: LocalSecurity? = nil,
    centralAddress: DeviceAddress = PairingPair.centralAddress, seed: UInt64 = 0x5EED_0044
  ) {
    self.loop = loop
    let entropy = SeededEntropy(seed: seed)
    func local(_ policy: SecurityPolicy, _ address: DeviceAddress, _ number: UInt64) -> LocalSecurity {
      LocalSecurity(
        policy: policy, identity: LocalIdentity(address: address, identityResolvingKey: .random(entropy)),
        entropy: entropy.fork(number))
    }
    self.central = ManagerEnd(
      .central, address: centralAddress, peer: PairingPair.peripheralAddress,
      local: centralLocal ?? local(central, centralAddress, 1), loop: loop)
    self.peripheral = ManagerEnd(
      .peripheral, address: PairingPair.peripheralAddress, peer: centralAddress,
      local: peripheralLocal ?? local(peripheral, PairingPair.peripheralAddress, 2), loop: loop)
  }

  /// Delivers commands and lets the controllers encrypt, until nothing is left.
  func deliverAll() {
    while deliver(central, peripheral) || deliver(peripheral, central) || encrypt() {}
  }

  private func deliver(_ from: ManagerEnd, _ to: ManagerEnd) -> Bool {
    guard !from.outbox.isEmpty else { return false }
    let command = from.outbox.removeFirst()
    if let left = commandsLeft {
      if left == 0 { return true }
      commandsLeft = left - 1
    }
    to.manager.receive(command[...])
    return true
  }

  private func encrypt() -> Bool {
    guard let key = central.keyToStart else { return false }
    central.keyToStart = nil
    let own = peripheral.manager.longTermKey(
      encryptedDiversifier: key.encryptedDiversifier, randomNumber: key.randomNumber)
    // Without a key the peripheral's controller refuses, and only the central gets the event.
    if own == key.key { peripheral.manager.encryptionChanged(isEncrypted: true) }
    central.manager.encryptionChanged(isEncrypted: own == key.key)
    return true
  }

  func pair() throws {
    try central.manager.pair()
    deliverAll()
  }

  func disconnect() {
    central.manager.linkEnded()
    peripheral.manager.linkEnded()
  }

  func advance(_ time: StackDuration) async { await loop.run(until: .instant(loop.now + time)) }
}
