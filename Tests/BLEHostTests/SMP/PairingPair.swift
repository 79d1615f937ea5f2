import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLEWire

/// One side of a pairing in memory, with its user.
final class PairingSide: BondDirectory {
  let local: LocalSecurity
  var parameters: PairingParameters
  var pairing: Pairing
  /// The user's answers to yes-or-no questions.
  var agrees = true
  /// What the user types, where it is not what the other side shows.
  var typed: SixDigits?
  var kept: [DeviceAddress: PairingSecurity] = [:]

  private(set) var questions: [PairingQuestion] = []
  private(set) var results: [PairingResult] = []
  private(set) var failures: [PairingFailure] = []
  private(set) var keypresses: [PairingKeypress] = []
  private(set) var sent: [SMPPDU] = []
  private(set) var keyToStart: SecretKey?
  var outbox: [SMPPDU] = []
  var openQuestion: PairingQuestion?
  /// The machine before each input, for sweeps.
  private(set) var snapshots: [Pairing] = []

  init(
    _ role: LinkRole, address: DeviceAddress, peer: DeviceAddress, policy: SecurityPolicy, entropy: SeededEntropy,
    outOfBand: OutOfBandExchange = OutOfBandExchange()
  ) {
    local = LocalSecurity(
      policy: policy, identity: LocalIdentity(address: address, identityResolvingKey: .random(entropy)),
      entropy: entropy)
    parameters = PairingParameters(
      role: role, localAddress: address, peerAddress: peer, policy: policy, identity: local.identity,
      outOfBand: outOfBand)
    pairing = Pairing(parameters, source: local)
    local.bonds = self
  }

  /// Starts over with the present parameters.
  func reset() {
    pairing = Pairing(parameters, source: local)
    questions = []
    results = []
    failures = []
    sent = []
    snapshots = []
    keyToStart = nil
    openQuestion = nil
    outbox = []
  }

  var result: PairingResult? { results.last }
  var failure: PairingFailure? { failures.last }
  var shown: SixDigits? {
    for question in questions { if case .displayPasskey(let digits) = question.kind { return SixDigits(digits) } }
    return nil
  }
  var compared: SixDigits? {
    for question in questions { if case .compare(let digits) = question.kind { return SixDigits(digits) } }
    return nil
  }

  func give(_ input: PairingInput) {
    snapshots.append(pairing)
    for action in pairing.handle(input) {
      switch action {
      case .send(let pdu):
        sent.append(pdu)
        outbox.append(pdu)
      case .ask(let question):
        questions.append(question)
        if question.needsAnswer { openQuestion = question }
      case .peerTyped(let keypress): keypresses.append(keypress)
      case .startEncryption(let key): keyToStart = key
      case .finished(let result): results.append(result)
      case .failed(let failure): failures.append(failure)
      }
    }
  }

  func takeKeyToStart() -> SecretKey? {
    defer { keyToStart = nil }
    return keyToStart
  }

  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity? { kept[identity] }
}

/// Two connected sides, with a wire that can change what passes.
final class PairingPair {
  static let centralAddress = DeviceAddress(0xC0FF_EE00_0001, kind: .random)
  static let peripheralAddress = DeviceAddress(0x0011_2233_4455, kind: .public)

  let central: PairingSide
  let peripheral: PairingSide
  /// Called with every command before it arrives; the returned one arrives in its place.
  var onTheWay: ((_ fromCentral: Bool, SMPPDU) -> [SMPPDU])?
  private(set) var passed: [(fromCentral: Bool, pdu: SMPPDU)] = []

  init(
    central: SecurityPolicy, peripheral: SecurityPolicy, seed: UInt64 = 0x5EED_0004,
    centralData: OutOfBandExchange = OutOfBandExchange(), peripheralData: OutOfBandExchange = OutOfBandExchange()
  ) {
    let entropy = SeededEntropy(seed: seed)
    self.central = PairingSide(
      .central, address: Self.centralAddress, peer: Self.peripheralAddress, policy: central, entropy: entropy.fork(1),
      outOfBand: centralData)
    self.peripheral = PairingSide(
      .peripheral, address: Self.peripheralAddress, peer: Self.centralAddress, policy: peripheral,
      entropy: entropy.fork(2), outOfBand: peripheralData)
  }

  /// Plays until neither side has anything to send.
  func play() {
    central.give(.start)
    deliverAll()
  }

  func deliverAll() {
    while deliverOne() || answerOne() || encrypt() {}
  }

  private func deliverOne() -> Bool {
    for (from, to) in [(central, peripheral), (peripheral, central)] where !from.outbox.isEmpty {
      let pdu = from.outbox.removeFirst()
      for pdu in onTheWay?(from === central, pdu) ?? [pdu] {
        passed.append((from === central, pdu))
        to.give(.received(pdu))
      }
      return true
    }
    return false
  }

  private func answerOne() -> Bool {
    for (side, other) in [(central, peripheral), (peripheral, central)] {
      guard let question = side.openQuestion else { continue }
      side.openQuestion = nil
      if case .enterPasskey = question.kind {
        guard let digits = side.typed ?? other.shown ?? SixDigits(424_242) else { continue }
        side.give(.answered(.passkey(digits.digits), to: question.id))
      } else {
        side.give(.answered(side.agrees ? .yes : .no, to: question.id))
      }
      return true
    }
    return false
  }

  private func encrypt() -> Bool {
    guard let key = central.takeKeyToStart() else { return false }
    let isRight = peripheral.pairing.longTermKey(encryptedDiversifier: 0, randomNumber: 0) == key
    peripheral.give(.encryptionChanged(isEncrypted: isRight))
    central.give(.encryptionChanged(isEncrypted: isRight))
    return true
  }
}

extension SecurityPolicy {
  /// A policy that requests MITM protection and accepts the result.
  static func test(
    _ capability: SMPIOCapability = .noInputNoOutput, mitm: Bool = true, secure: Bool = true
  ) -> SecurityPolicy {
    var policy = SecurityPolicy(ioCapability: capability)
    policy.wantsAuthentication = mitm
    policy.offersSecureConnections = secure
    policy.asksBeforeJustWorks = false
    return policy
  }
}

extension SMPPDU {
  var failedReason: SMPPairingFailedReason? {
    if case .pairingFailed(let packet) = self { packet.reason } else { nil }
  }
}
