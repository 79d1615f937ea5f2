import BLECore
import BLECrypto
import BLEWire

/// The state of phase 2 of legacy pairing.
struct LegacyExchange {
  var temporaryKey = SecretKey(AESBlock.zero)
  var localRandom: AESBlock?
  var localConfirm: AESBlock?
  var peerConfirm: AESBlock?
}

/// Phase 2 of legacy pairing (Core, Vol 3 Part H 2.3.5.2 to 2.3.5.5).
extension Pairing {
  mutating func beginLegacy(_ agreement: PairingAgreement) {
    var exchange = LegacyExchange()
    if agreement.model == .outOfBand {
      guard let key = parameters.outOfBand.temporaryKey, key.count == AESBlock.octetCount else {
        return refuse(.oobNotAvailable)
      }
      exchange.temporaryKey = key
    }
    legacy = exchange
    stage = isInitiator ? .user : .confirm
    switch agreement.model {
    case .justWorks: if asksBeforeJustWorks { ask(.confirmJustWorks) }
    case .passkeyEntry(let entry): beginPasskeyEntry(entry)
    case .outOfBand: break
    case .numericComparison: return refuse(.unspecifiedReason)
    }
    if question == nil { resumeLegacy() }
  }

  /// Continues once this side knows the temporary key.
  mutating func resumeLegacy() {
    if let passkey { legacy?.temporaryKey = SecretKey(passkey.block) }
    if isInitiator, stage == .user { sendLegacyConfirm(thenStage: .confirm) }
  }

  private mutating func sendLegacyConfirm(thenStage next: Stage) {
    let random = source.nonce()
    guard let confirm = legacyConfirm(random) else { return refuse(.unspecifiedReason) }
    legacy?.localRandom = random
    legacy?.localConfirm = confirm
    stage = next
    send(.pairingConfirm(SMPPairingConfirm(confirmValue: confirm.leastSignificantFirst[...])))
  }

  mutating func receiveLegacyConfirm(_ value: AESBlock) {
    if let localConfirm = legacy?.localConfirm, AESBlock.constantTimeEquals(value, localConfirm) {
      // A reflected confirm value could be followed by the reflected random value, which proves nothing.
      return refuse(.confirmValueFailed)
    }
    legacy?.peerConfirm = value
    if isInitiator {
      guard let random = legacy?.localRandom else { return refuse(.unspecifiedReason) }
      stage = .random
      send(.pairingRandom(SMPPairingRandom(randomValue: random.leastSignificantFirst[...])))
    } else {
      sendLegacyConfirm(thenStage: .random)
    }
  }

  mutating func receiveLegacyRandom(_ value: AESBlock) {
    guard let exchange = legacy, let local = exchange.localRandom, let peerConfirm = exchange.peerConfirm,
      let expected = legacyConfirm(value), let agreement
    else { return refuse(.unspecifiedReason) }
    guard AESBlock.constantTimeEquals(expected, peerConfirm), !AESBlock.constantTimeEquals(value, local) else {
      return refuse(.confirmValueFailed)
    }
    let (initiators, responders) = isInitiator ? (local, value) : (value, local)
    let shortTermKey = LongTermKey.shortened(
      SecurityToolbox.s1(k: exchange.temporaryKey, r1: responders, r2: initiators), toSize: agreement.keySize)
    if !isInitiator { send(.pairingRandom(SMPPairingRandom(randomValue: local.leastSignificantFirst[...]))) }
    encrypt(with: shortTermKey)
  }

  private func legacyConfirm(_ random: AESBlock) -> AESBlock? {
    guard let agreement, let legacy else { return nil }
    let (initiator, responder) =
      isInitiator
      ? (parameters.localAddress, parameters.peerAddress) : (parameters.peerAddress, parameters.localAddress)
    return SecurityToolbox.c1(
      k: legacy.temporaryKey, r: random, preq: agreement.request[...], pres: agreement.response[...], ia: initiator,
      ra: responder)
  }
}
