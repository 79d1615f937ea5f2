import BLECore
import BLECrypto
import BLEHost
import BLEWire
import Testing

private let prime: [UInt8] = [
  0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
]

/// prime - number, both most significant octet first.
private func negated(_ number: [UInt8]) -> [UInt8] {
  var result = prime
  var borrow = 0
  for index in stride(from: 31, through: 0, by: -1) {
    let difference = Int(prime[index]) - Int(number[index]) - borrow
    borrow = difference < 0 ? 1 : 0
    result[index] = UInt8(truncatingIfNeeded: difference)
  }
  return result
}

private func publicKey(x: [UInt8], y: [UInt8]) -> SMPPDU {
  .pairingPublicKey(SMPPairingPublicKey(x: x.reversed()[...], y: y.reversed()[...]))
}

/// Plays a pairing in which `attacker`'s public key is replaced. Returns the side that got it.
private func play(replacing key: @escaping (P256PublicKey) -> SMPPDU, fromCentral: Bool) -> PairingSide {
  let pair = PairingPair(central: .test(), peripheral: .test())
  let victim = fromCentral ? pair.peripheral : pair.central
  pair.onTheWay = { isCentrals, pdu in
    pdu.code == .pairingPublicKey && isCentrals == fromCentral ? [key(victim.local.keyPair().publicKey)] : [pdu]
  }
  pair.play()
  return victim
}

@Suite struct PairingAttackTests {
  @Test("S1 points off the curve are refused before anything is computed with them")
  func pointsOffTheCurveAreRefusedBeforeAnythingIsComputed() {
    let good = P256PrivateKey.debug.publicKey
    let zero = [UInt8](repeating: 0, count: 32)
    let full = [UInt8](repeating: 0xFF, count: 32)
    for (x, y) in [
      (zero, zero), (good.x, zero), (zero, good.y), (good.y, good.x), (full, good.y), (good.x, full), (prime, good.y),
      (good.x, prime), (full, full),
    ] {
      for fromCentral in [false, true] {
        let victim = play(replacing: { _ in publicKey(x: x, y: y) }, fromCentral: fromCentral)
        #expect(victim.failures == [.refused(.invalidParameters)])
        // Nothing that depends on a shared secret was sent by this side.
        let codes = victim.sent.map(\.code)
        #expect(codes.last == .pairingFailed && !codes.contains(.pairingConfirm) && !codes.contains(.pairingDHKeyCheck))
      }
    }
  }

  @Test("S2 this side's own public key sent back, or its mirror image, is refused")
  func thisSidesOwnPublicKeySentBack() {
    for fromCentral in [false, true] {
      let reflected = play(replacing: { publicKey(x: $0.x, y: $0.y) }, fromCentral: fromCentral)
      #expect(reflected.failures == [.refused(.invalidParameters)])
      let mirrored = play(
        replacing: { own in
          let y = negated(own.y)
          #expect(P256PublicKey(x: own.x, y: y) != nil)
          return publicKey(x: own.x, y: y)
        }, fromCentral: fromCentral)
      #expect(mirrored.failures == [.refused(.invalidParameters)])
    }
  }

  @Test("S2 a legacy confirm value or random value sent back is refused")
  func aLegacyConfirmValueOrRandomValueSentBack() {
    let victim = PairingSide(
      .central, address: PairingPair.centralAddress, peer: PairingPair.peripheralAddress,
      policy: .test(.displayOnly, secure: false), entropy: SeededEntropy(seed: 0x5EED_0052))
    victim.give(.start)
    victim.give(
      .received(
        .pairingResponse(
          SMPPairingResponse(
            features: SMPPairingFeatures(
              ioCapability: .keyboardOnly, authenticationRequirements: [.bonding, .mitm],
              initiatorKeyDistribution: [], responderKeyDistribution: [])))))
    // The attacker does not know the passkey and repeats what it receives.
    for _ in 0..<2 { if let echo = victim.sent.last { victim.give(.received(echo)) } }
    #expect(victim.failures == [.refused(.confirmValueFailed)])
    #expect(victim.keyToStart == nil && !victim.sent.contains { $0.code == .pairingRandom })
  }

  @Test("S3 the debug key is refused, and where it is allowed the keys are marked and prove nothing")
  func theDebugKeyIsRefused() throws {
    for fromCentral in [false, true] {
      let debug = P256PrivateKey.debug.publicKey
      let victim = play(replacing: { _ in publicKey(x: debug.x, y: debug.y) }, fromCentral: fromCentral)
      #expect(victim.failures == [.refused(.invalidParameters)])
    }
    var allowing = SecurityPolicy.test(.displayYesNo)
    allowing.allowsDebugKey = true
    let data = OutOfBandExchange(local: LocalOutOfBandData(keyPair: .debug, random: .zero))
    let pair = PairingPair(central: allowing, peripheral: .test(.displayYesNo), peripheralData: data)
    pair.play()
    let result = try #require(pair.central.result)
    #expect(result.security.usesDebugKey && !result.security.isAuthenticated && result.security.level == .encrypted)
    // It does not count as an authenticated pairing either.
    allowing.minimumLevel = .authenticated
    let strict = PairingPair(central: allowing, peripheral: .test(.displayYesNo), peripheralData: data)
    strict.play()
    #expect(strict.central.failures == [.refused(.authenticationRequirements)])
  }

  @Test("S4 each attempt has a passkey of its own, and passkeys are evenly spread")
  func eachAttemptHasAPasskeyOfItsOwn() {
    let pair = PairingPair(central: .test(.displayOnly), peripheral: .test(.keyboardOnly))
    pair.peripheral.typed = SixDigits("999999")
    var shown: Set<SixDigits> = []
    for _ in 0..<20 {
      pair.central.reset()
      pair.peripheral.reset()
      pair.play()
      if let digits = pair.central.shown { shown.insert(digits) }
    }
    #expect(shown.count == 20)
    let seed: UInt64 = 0x5EED_0054
    let local = LocalSecurity(
      policy: .test(), identity: pair.central.local.identity, entropy: SeededEntropy(seed: seed))
    var buckets = [Int](repeating: 0, count: 100)
    for _ in 0..<100_000 { buckets[Int(local.passkey().value / 10_000)] += 1 }
    // A thousand expected in each; six standard deviations either way.
    #expect(buckets.allSatisfy { (810...1190).contains($0) }, "seed \(seed)")
  }

  @Test("S4 twenty rounds with fresh nonces, and the first wrong bit ends the pairing")
  func twentyRoundsWithFreshNonces() throws {
    let pair = PairingPair(central: .test(.displayOnly), peripheral: .test(.keyboardOnly))
    pair.play()
    let nonces = pair.passed.compactMap { entry in
      if case .pairingRandom(let packet) = entry.pdu { Array(packet.randomValue) } else { nil as [UInt8]? }
    }
    #expect(nonces.count == 40 && Set(nonces).count == 40)
    let digits = try #require(pair.central.shown)
    for bit in [0, 7, 19] {
      let wrong = PairingPair(central: .test(.displayOnly), peripheral: .test(.keyboardOnly))
      wrong.peripheral.typed = SixDigits((digits.value ^ 1 << UInt32(bit)) % 1_000_000)
      guard wrong.peripheral.typed?.value == digits.value ^ 1 << UInt32(bit) else { continue }
      wrong.play()
      #expect(wrong.peripheral.failures == [.refused(.confirmValueFailed)])
      let confirms = wrong.passed.filter { $0.fromCentral && $0.pdu.code == .pairingConfirm }
      #expect(confirms.count == bit + 1)
      // The responder never reveals its nonce of the wrong round.
      #expect(wrong.passed.filter { !$0.fromCentral && $0.pdu.code == .pairingRandom }.count == bit)
    }
  }

  @Test("S6 key sizes out of bounds are refused in both roles")
  func keySizesOutOfBoundsAreRefusedInBothRoles() {
    for size in UInt8.min...UInt8.max where !(7...16).contains(size) {
      let wanted = PairingFailure.refused(size < 7 ? .encryptionKeySize : .invalidParameters)
      for fromCentral in [false, true] {
        let pair = PairingPair(central: .test(), peripheral: .test())
        pair.onTheWay = { isCentrals, pdu in
          switch pdu {
          case .pairingRequest(var packet) where fromCentral:
            packet.features.maximumEncryptionKeySize = size
            return [.pairingRequest(packet)]
          case .pairingResponse(var packet) where !fromCentral && !isCentrals:
            packet.features.maximumEncryptionKeySize = size
            return [.pairingResponse(packet)]
          default: return [pdu]
          }
        }
        pair.play()
        #expect((fromCentral ? pair.peripheral : pair.central).failures == [wanted], "size \(size)")
      }
    }
  }

  @Test("S6 short keys are refused by default, and shortened exactly as agreed where they are allowed")
  func shortKeysAreRefusedByDefault() throws {
    for isSecure in [false, true] {
      for size in 7...15 {
        var short = SecurityPolicy.test(secure: isSecure)
        short.maximumKeySize = size
        short.minimumKeySize = size
        for fromCentral in [false, true] {
          let (central, peripheral) = fromCentral ? (short, .test()) : (SecurityPolicy.test(), short)
          let pair = PairingPair(central: central, peripheral: peripheral)
          pair.play()
          #expect((fromCentral ? pair.peripheral : pair.central).failures == [.refused(.encryptionKeySize)])
        }
        let pair = PairingPair(central: short, peripheral: short)
        pair.play()
        let result = try #require(pair.central.result)
        #expect(result.security.keySize == size)
        for key in [result.keyAsCentral, result.keyAsPeripheral] {
          let octets = try #require(key).key.revealMostSignificantFirst()
          #expect(octets.prefix(16 - size).allSatisfy { $0 == 0 } && octets[16 - size] != 0)
        }
      }
    }
  }

  @Test("S7 no key is used before both sides have proved themselves")
  func noKeyIsUsedBeforeBothSidesHaveProvedThemselves() {
    for isSecure in [false, true] {
      let pair = PairingPair(
        central: .test(.displayOnly, secure: isSecure), peripheral: .test(.keyboardOnly, secure: isSecure))
      pair.play()
      var offered = 0
      for snapshot in pair.peripheral.snapshots {
        var machine = snapshot
        let key = machine.longTermKey(encryptedDiversifier: 0, randomNumber: 0)
        #expect((key != nil) == (snapshot.stage == .encryption))
        #expect(key?.isZero != true)
        offered += key == nil ? 0 : 1
        // Encryption with another key than this pairing's advances nothing.
        var other = snapshot
        _ = other.handle(.encryptionChanged(isEncrypted: true))
        #expect(other.stage == snapshot.stage || snapshot.stage == .encryption)
        #expect(machine.longTermKey(encryptedDiversifier: 1, randomNumber: 0) == nil)
        #expect(machine.longTermKey(encryptedDiversifier: 0, randomNumber: 1) == nil)
      }
      #expect(offered == 1)
    }
  }

  @Test("S7 a long-term key of zeros is not accepted")
  func aLongTermKeyOfZerosIsNotAccepted() {
    let pair = PairingPair(central: .test(secure: false), peripheral: .test(secure: false))
    pair.onTheWay = { _, pdu in
      pdu.code == .encryptionInformation
        ? [.encryptionInformation(SMPEncryptionInformation(longTermKey: SMPKeyOctets([])))] : [pdu]
    }
    pair.play()
    #expect(pair.central.failures == [.refused(.keyRejected)] && pair.central.results.isEmpty)
  }
}
