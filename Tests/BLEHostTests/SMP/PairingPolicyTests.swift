import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLEWire
import Testing

@Suite struct PairingPolicyTests {
  @Test("S9 each question and the stored keys have the method, and a policy can allow a single method")
  func eachQuestionAndTheStoredKeysHaveTheMethod() {
    for method in PairingMethod.allCases where method != .outOfBand {
      var central = SecurityPolicy.test(.keyboardDisplay)
      central.allowedMethods = [method]
      for (peripheral, leadsTo) in [
        (SMPIOCapability.noInputNoOutput, PairingMethod.justWorks), (.displayOnly, .passkeyEntry),
        (.keyboardDisplay, .numericComparison),
      ] {
        let pair = PairingPair(central: central, peripheral: .test(peripheral))
        pair.play()
        #expect(pair.central.questions.allSatisfy { $0.method == leadsTo && $0.isSecureConnections })
        if method == leadsTo {
          #expect(pair.central.result?.security.method == method)
        } else {
          #expect(pair.central.failures == [.refused(.authenticationRequirements)])
        }
      }
    }
  }

  @Test("a device that cannot show a new passkey each time shows its fixed one")
  func aDeviceThatCannotShowANewPasskeyEachTime() throws {
    var display = SecurityPolicy.test(.displayOnly)
    display.fixedPasskey = SixDigits(12_345)
    for isSecure in [true, false] {
      for showsAsCentral in [true, false] {
        let keyboard = SecurityPolicy.test(.keyboardOnly, secure: isSecure)
        let pair = PairingPair(
          central: showsAsCentral ? display : keyboard, peripheral: showsAsCentral ? keyboard : display)
        pair.play()
        let shows = showsAsCentral ? pair.central : pair.peripheral
        guard case .displayPasskey(let digits)? = shows.questions.first?.kind else {
          Issue.record("nothing was shown")
          continue
        }
        #expect(digits == "012345")
        #expect(shows.result?.security.method == .passkeyEntry)
      }
    }
  }

  @Test("S10 a pairing that must be authenticated does not fall back to Just Works")
  func aPairingThatMustBeAuthenticatedDoesNotFallBack() {
    for (level, isSecure) in [
      (SecurityLevel.authenticated, true), (.authenticated, false), (.authenticatedSecureConnections, true),
    ] {
      for strictIsCentral in [false, true] {
        var strict = SecurityPolicy.test(.keyboardDisplay, mitm: false)
        strict.minimumLevel = level
        let loose = SecurityPolicy.test(.noInputNoOutput, mitm: false, secure: isSecure)
        let pair = PairingPair(
          central: strictIsCentral ? strict : loose, peripheral: strictIsCentral ? loose : strict)
        pair.play()
        let (refuses, other) = strictIsCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
        #expect(refuses.failures == [.refused(.authenticationRequirements)])
        // It ends before anything but features has been exchanged.
        #expect(pair.passed.allSatisfy { $0.pdu.code.rawValue <= 0x02 || $0.pdu.code == .pairingFailed })
        #expect(other.failures == [.refusedByPeer(.authenticationRequirements)])
      }
    }
  }

  @Test("S10 Secure Connections Only mode refuses legacy pairing, short keys and Just Works")
  func secureConnectionsOnlyModeRefusesLegacyPairing() {
    for strictIsCentral in [false, true] {
      let strict = SecurityPolicy.secureConnectionsOnly(ioCapability: .keyboardDisplay)
      var short = SecurityPolicy.test(.displayOnly)
      short.maximumKeySize = 15
      short.minimumKeySize = 7
      for (other, reason) in [
        (SecurityPolicy.test(.displayOnly, secure: false), SMPPairingFailedReason.authenticationRequirements),
        (.test(.noInputNoOutput), .authenticationRequirements), (short, .encryptionKeySize),
      ] {
        let pair = PairingPair(
          central: strictIsCentral ? strict : other, peripheral: strictIsCentral ? other : strict)
        pair.play()
        #expect((strictIsCentral ? pair.central : pair.peripheral).failures == [.refused(reason)])
      }
      let good = PairingPair(central: strict, peripheral: .test(.displayOnly))
      good.play()
      #expect(good.central.result?.security.level == .authenticatedSecureConnections)
    }
  }

  @Test("S10 stored keys are never replaced by weaker ones without a question")
  func storedKeysAreNeverReplacedByWeakerOnes() {
    let strong = PairingSecurity(method: .numericComparison, isSecureConnections: true, keySize: 16)
    for (policy, agrees) in [
      (SecurityPolicy.test(.noInputNoOutput), false), (.test(.noInputNoOutput), true),
      (.test(.displayOnly, secure: false), false),
    ] {
      let pair = PairingPair(central: policy, peripheral: .test(.keyboardDisplay))
      pair.peripheral.kept[PairingPair.centralAddress] = strong
      pair.peripheral.agrees = agrees
      pair.play()
      let asked = pair.peripheral.questions.contains { question in
        question.kind
          == .replaceBond(
            of: PairingPeer(address: PairingPair.centralAddress, name: nil), keptMethod: .numericComparison)
      }
      #expect(asked)
      #expect(pair.peripheral.failures == (agrees ? [] : [.refused(.authenticationRequirements)]))
      #expect((pair.peripheral.result != nil) == agrees)
    }
    // Equally strong ones, confirmed by the user, are accepted.
    let again = PairingPair(central: .test(.displayYesNo), peripheral: .test(.displayYesNo))
    again.peripheral.kept[PairingPair.centralAddress] = strong
    again.play()
    #expect(again.peripheral.result != nil && again.peripheral.questions.count == 1)
  }

  @Test
  func
    `S11 I11.22 keys of the device at the peer's address are asked about before anything is computed, in both roles`()
  {
    let kept = PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16)
    for (isCentral, agrees) in [(true, false), (true, true), (false, false), (false, true)] {
      let pair = PairingPair(central: .test(), peripheral: .test())
      let (side, other) = isCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
      side.kept[isCentral ? PairingPair.peripheralAddress : PairingPair.centralAddress] = kept
      side.agrees = agrees
      pair.play()
      // One question, and its answer applies to the end.
      #expect(side.questions.count == 1 && (side.result != nil) == agrees)
      if agrees { continue }
      let last: [SMPCode] =
        isCentral ? [.pairingRequest, .pairingResponse, .pairingFailed] : [.pairingRequest, .pairingFailed]
      #expect(pair.passed.map(\.pdu.code) == last)
      #expect(other.failures == [.refusedByPeer(.authenticationRequirements)] && other.result == nil)
    }
  }

  @Test("S10 I11.3 keys that a policy would refuse to make are insufficient for it too")
  func keysThatAPolicyWouldRefuseToMakeAreInsufficient() {
    let good = PairingSecurity(method: .numericComparison, isSecureConnections: true, keySize: 16)
    #expect(SecurityPolicy.secureConnectionsOnly(ioCapability: .displayYesNo).accepts(good))
    var policies: [(SecurityPolicy, PairingSecurity)] = []
    func refuse(_ security: PairingSecurity, _ body: (inout SecurityPolicy) -> Void) {
      var policy = SecurityPolicy()
      body(&policy)
      policies.append((policy, security))
    }
    refuse(PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16)) {
      $0.minimumLevel = .authenticated
    }
    refuse(PairingSecurity(method: .passkeyEntry, isSecureConnections: false, keySize: 16)) {
      $0.requiresSecureConnections = true
    }
    refuse(PairingSecurity(method: .passkeyEntry, isSecureConnections: true, keySize: 15)) { $0.minimumKeySize = 16 }
    refuse(good) { $0.allowedMethods = [.outOfBand] }
    refuse(PairingSecurity(method: .numericComparison, isSecureConnections: true, keySize: 16, usesDebugKey: true)) {
      _ in
    }
    for (policy, security) in policies { #expect(!policy.accepts(security)) }
  }

  @Test("S11 a Just Works pairing under a known identity does not replace it without a question")
  func aJustWorksPairingUnderAKnownIdentity() {
    let victim = DeviceAddress(0xC000_0000_7777, kind: .random)
    let kept = PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16)
    for (agrees, isProven) in [(false, false), (true, false), (false, true)] {
      let pair = PairingPair(central: .test(), peripheral: .test())
      pair.peripheral.kept[victim] = kept
      pair.peripheral.agrees = agrees
      if isProven {
        // The link is already encrypted with the keys of that device.
        pair.peripheral.parameters.provenIdentity = victim
        pair.peripheral.reset()
      }
      pair.onTheWay = { fromCentral, pdu in
        fromCentral && pdu.code == .identityAddressInformation
          ? [.identityAddressInformation(SMPIdentityAddressInformation(victim))] : [pdu]
      }
      pair.play()
      #expect((pair.peripheral.result != nil) == (agrees || isProven))
      #expect(pair.peripheral.failures == (agrees || isProven ? [] : [.refused(.keyRejected)]))
    }
  }

  @Test("S12 the bit for BR-EDR keys is never set, and ignored where a peer sets it")
  func theBitForBREDRKeysIsNeverSet() {
    for isSecure in [false, true] {
      var all = SecurityPolicy.test(secure: isSecure)
      all.initiatorKeys = SMPKeyDistribution(rawValue: 0xFF)
      all.responderKeys = SMPKeyDistribution(rawValue: 0xFF)
      let pair = PairingPair(central: all, peripheral: all)
      pair.onTheWay = { _, pdu in
        switch pdu {
        case .pairingRequest(let packet): #expect(!hasLinkBit(packet.features))
        case .pairingResponse(let packet): #expect(!hasLinkBit(packet.features))
        default: break
        }
        return [pdu]
      }
      pair.play()
      #expect(pair.central.result != nil && pair.peripheral.result != nil)
      // A peer that sets it gets an answer without it, and no such key is derived.
      let side = PairingSide(
        .peripheral, address: PairingPair.peripheralAddress, peer: PairingPair.centralAddress, policy: all,
        entropy: SeededEntropy(seed: 12))
      var features = SMPPairingRequest.examples[0].features
      features.initiatorKeyDistribution = SMPKeyDistribution(rawValue: 0x0F)
      features.responderKeyDistribution = SMPKeyDistribution(rawValue: 0x0F)
      side.give(.received(.pairingRequest(SMPPairingRequest(features: features))))
      guard case .pairingResponse(let response)? = side.sent.first else {
        Issue.record("no response")
        return
      }
      #expect(!hasLinkBit(response.features))
      #expect(side.pairing.agreement?.initiatorKeys.contains(.link) == false)
    }
  }

  private func hasLinkBit(_ features: SMPPairingFeatures) -> Bool {
    features.initiatorKeyDistribution.contains(.link) || features.responderKeyDistribution.contains(.link)
  }

  @Test("S13 a resolving key of zeros, or this side's own, resolves nothing")
  func aResolvingKeyOfZeros() {
    for ours in [false, true] {
      let pair = PairingPair(central: .test(), peripheral: .test())
      let key = pair.peripheral.local.identity.identityResolvingKey
      pair.onTheWay = { fromCentral, pdu in
        guard fromCentral, pdu.code == .identityInformation else { return [pdu] }
        let octets = ours ? key.revealLeastSignificantFirst() : []
        return [.identityInformation(SMPIdentityInformation(identityResolvingKey: SMPKeyOctets(octets)))]
      }
      pair.play()
      #expect(pair.peripheral.result != nil && pair.peripheral.result?.peerIdentityResolvingKey == nil)
      #expect(pair.central.result?.peerIdentityResolvingKey != nil)
    }
  }

  @Test("S13 an invalid identity, or this side's own, is refused")
  func anInvalidIdentityOrThisSidesOwn() {
    for (address, type, reason) in [
      (0x4011_2233_4455, 1, SMPPairingFailedReason.invalidParameters),
      (0x0011_2233_4455, 1, .invalidParameters), (0x8011_2233_4455, 1, .invalidParameters),
      (0x0011_2233_4455, 2, .invalidParameters), (PairingPair.peripheralAddress.value, 0, .keyRejected),
    ] as [(UInt64, UInt8, SMPPairingFailedReason)] {
      let pair = PairingPair(central: .test(), peripheral: .test())
      pair.onTheWay = { fromCentral, pdu in
        guard fromCentral, pdu.code == .identityAddressInformation else { return [pdu] }
        return [
          .identityAddressInformation(SMPIdentityAddressInformation(addressType: type, deviceAddress: address))
        ]
      }
      pair.play()
      #expect(pair.peripheral.failures == [.refused(reason)] && pair.peripheral.results.isEmpty)
    }
  }

  @Test("S16 the key pair is renewed by policy")
  func theKeyPairIsRenewedByPolicy() {
    let identity = LocalIdentity(address: PairingPair.centralAddress, identityResolvingKey: SecretKey(.zero))
    func keys(_ renewal: EphemeralKeys.Renewal, _ outcomes: [Bool]) -> Int {
      let local = LocalSecurity(
        policy: .test(), identity: identity, entropy: SeededEntropy(seed: 16), renewal: renewal)
      var seen: Set<P256PublicKey> = []
      for succeeded in outcomes {
        seen.insert(local.keyPair().publicKey)
        #expect(local.keyPair().publicKey == local.keyPair().publicKey)
        local.keys.notePairing(succeeded: succeeded)
      }
      return seen.count
    }
    #expect(keys(.eachPairing, [true, false, true, true]) == 4)
    #expect(keys(.bySpecification, Array(repeating: true, count: 8)) == 1)
    #expect(keys(.bySpecification, Array(repeating: true, count: 9)) == 2)
    #expect(keys(.bySpecification, Array(repeating: false, count: 6)) == 2)
  }

  @Test("S17 nothing secret is printed")
  func nothingSecretIsPrinted() throws {
    let entropy = SeededEntropy(seed: 17)
    let data = LocalOutOfBandData(keyPair: .random(entropy), random: AESBlock(high: 11, low: 22))
    let pair = PairingPair(
      central: .test(.displayOnly, secure: false), peripheral: .test(.keyboardOnly),
      peripheralData: OutOfBandExchange(local: data))
    pair.play()
    let digits = try #require(pair.central.shown)
    let result = try #require(pair.central.result)
    var text = "\(result) \(digits) \(data) \(pair.central.questions)"
    dump(result, to: &text)
    dump(pair.central.questions, to: &text)
    dump(pair.central.sent, to: &text)
    dump(data, to: &text)
    for snapshot in pair.central.snapshots + pair.peripheral.snapshots {
      text += "\(snapshot)"
      dump(snapshot, to: &text)
    }
    #expect(text.contains("<redacted>"))
    #expect(!text.contains(digits.digits) && !text.contains(String(digits.value)))
    for key in [result.keyAsCentral?.key, result.peerIdentityResolvingKey, result.localSigningKey] {
      let octets = try #require(key).revealMostSignificantFirst()
      #expect(!text.contains(octets.hexadecimal) && !text.contains(octets.map(String.init).joined(separator: ", ")))
    }
  }
}
