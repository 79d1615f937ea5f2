import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLEWire
import Testing

@Suite struct PairingTests {
  @Test("legacy pairing distributes keys for both roles, identities and signing keys")
  func legacyPairingDistributesKeysForBothRoles() throws {
    let pair = PairingPair(central: .test(.keyboardOnly, secure: false), peripheral: .test(.displayOnly))
    pair.play()
    let central = try #require(pair.central.result)
    let peripheral = try #require(pair.peripheral.result)
    #expect(central.isBonded && peripheral.isBonded)
    #expect(central.security == PairingSecurity(method: .passkeyEntry, isSecureConnections: false, keySize: 16))
    #expect(central.security == peripheral.security && central.security.level == .authenticated)
    #expect(central.keyAsCentral != nil && central.keyAsCentral == peripheral.keyAsPeripheral)
    #expect(central.keyAsPeripheral != nil && central.keyAsPeripheral == peripheral.keyAsCentral)
    #expect(central.keyAsCentral?.randomNumber != 0 && central.keyAsCentral != central.keyAsPeripheral)
    #expect(central.peerIdentity == PairingPair.peripheralAddress)
    #expect(peripheral.peerIdentity == PairingPair.centralAddress)
    #expect(central.peerIdentityResolvingKey == pair.peripheral.local.identity.identityResolvingKey)
    #expect(peripheral.peerIdentityResolvingKey == pair.central.local.identity.identityResolvingKey)
    #expect(central.localSigningKey != nil && central.localSigningKey == peripheral.peerSigningKey)
    #expect(peripheral.localSigningKey != nil && peripheral.localSigningKey == central.peerSigningKey)
  }

  @Test("Secure Connections makes one key for both roles and never sends it")
  func secureConnectionsMakesOneKeyForBothRolesAndNever() throws {
    let pair = PairingPair(central: .test(.keyboardDisplay), peripheral: .test(.displayYesNo))
    pair.play()
    let central = try #require(pair.central.result)
    #expect(central.security.level == .authenticatedSecureConnections)
    #expect(central.keyAsCentral == central.keyAsPeripheral)
    #expect(central.keyAsCentral == pair.peripheral.result?.keyAsPeripheral)
    #expect(central.keyAsCentral?.encryptedDiversifier == 0 && central.keyAsCentral?.randomNumber == 0)
    #expect(!pair.passed.contains { $0.pdu.code == .encryptionInformation })
    #expect(pair.passed.contains { $0.pdu.code == .identityInformation })
  }

  @Test("the responder's keys come first, in the specification's order")
  func theRespondersKeysComeFirst() {
    let pair = PairingPair(central: .test(secure: false), peripheral: .test(secure: false))
    pair.play()
    let keys = pair.passed.filter { (0x06...0x0A).contains($0.pdu.code.rawValue) }
    #expect(keys.map(\.pdu.code.rawValue) == [6, 7, 8, 9, 10, 6, 7, 8, 9, 10])
    #expect(keys.map(\.fromCentral) == Array(repeating: false, count: 5) + Array(repeating: true, count: 5))
  }

  @Test("only keys that both sides request are distributed")
  func onlyKeysThatBothSidesRequestAreDistributed() {
    for isSecure in [false, true] {
      for bits in UInt8(0)..<64 {
        var central = SecurityPolicy.test(secure: isSecure)
        central.initiatorKeys = SMPKeyDistribution(rawValue: bits & 7)
        var peripheral = SecurityPolicy.test(secure: isSecure)
        peripheral.responderKeys = SMPKeyDistribution(rawValue: bits >> 3)
        let pair = PairingPair(central: central, peripheral: peripheral)
        pair.play()
        #expect(pair.central.result != nil && pair.peripheral.result != nil, "\(bits)")
        let fromCentral = pair.passed.filter(\.fromCentral).map(\.pdu.code)
        #expect(fromCentral.contains(.encryptionInformation) == (bits & 1 != 0 && !isSecure))
        #expect(fromCentral.contains(.identityAddressInformation) == (bits & 2 != 0))
        #expect(fromCentral.contains(.signingInformation) == (bits & 4 != 0))
      }
    }
  }

  @Test("without bonding on one side nothing is distributed or stored")
  func withoutBondingOnOneSideNothingIsDistributedOrStored() throws {
    for centralBonds in [false, true] {
      var central = SecurityPolicy.test()
      central.isBondable = centralBonds
      var peripheral = SecurityPolicy.test()
      peripheral.isBondable = !centralBonds
      let pair = PairingPair(central: central, peripheral: peripheral)
      pair.play()
      #expect(try !#require(pair.central.result).isBonded)
      #expect(try !#require(pair.peripheral.result).isBonded)
      #expect(!pair.passed.contains { (0x06...0x0A).contains($0.pdu.code.rawValue) })
    }
  }

  @Test("a wrong passkey, a comparison denied, Just Works denied: no keys on either side")
  func aWrongPasskeyAComparisonDenied() {
    for isSecure in [false, true] {
      let pair = PairingPair(
        central: .test(.displayOnly, secure: isSecure), peripheral: .test(.keyboardOnly, secure: isSecure))
      pair.peripheral.typed = SixDigits("000001")
      pair.play()
      #expect([pair.central.failure, pair.peripheral.failure].contains(.refused(.confirmValueFailed)))
      #expect([pair.central.failure, pair.peripheral.failure].contains(.refusedByPeer(.confirmValueFailed)))
      #expect(pair.central.results.isEmpty && pair.peripheral.results.isEmpty)
    }
    for deniesCentral in [true, false] {
      let pair = PairingPair(central: .test(.displayYesNo), peripheral: .test(.displayYesNo))
      (deniesCentral ? pair.central : pair.peripheral).agrees = false
      pair.play()
      let (denies, other) = deniesCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
      #expect(denies.failures == [.refused(.numericComparisonFailed)])
      #expect(other.failures == [.refusedByPeer(.numericComparisonFailed)])
    }
    for isSecure in [false, true] {
      var asking = SecurityPolicy.test(secure: isSecure)
      asking.asksBeforeJustWorks = true
      let pair = PairingPair(central: .test(), peripheral: asking)
      pair.peripheral.agrees = false
      pair.play()
      #expect(pair.peripheral.failure == .refused(.unspecifiedReason))
      #expect(pair.central.results.isEmpty && pair.peripheral.results.isEmpty)
    }
  }

  @Test("keypresses are reported where both sides support them, while the passkey is typed")
  func keypressesAreReportedWhereBothSidesSupportThem() {
    for isWanted in [false, true] {
      var (central, peripheral) = (SecurityPolicy.test(.displayOnly), SecurityPolicy.test(.keyboardOnly))
      central.sendsKeypresses = true
      peripheral.sendsKeypresses = isWanted
      let pair = PairingPair(central: central, peripheral: peripheral)
      var typedSome = false
      pair.onTheWay = { fromCentral, pdu in
        if pdu.code == .pairingPublicKey, !fromCentral, !typedSome {
          typedSome = true
          for keypress in [PairingKeypress.started, .digitEntered, .completed] {
            pair.peripheral.give(.typed(keypress))
          }
        }
        return [pdu]
      }
      pair.play()
      #expect(pair.central.keypresses == (isWanted ? [.started, .digitEntered, .completed] : []))
      #expect(pair.central.result?.security.method == .passkeyEntry)
    }
  }

  @Test("out-of-band data of another device are refused before anything is computed")
  func outOfBandDataOfAnotherDeviceAreRefused() {
    let entropy = SeededEntropy(seed: 0x5EED_0B0B)
    func data() -> LocalOutOfBandData {
      LocalOutOfBandData(keyPair: .random(entropy), random: AESBlock(high: entropy.next(), low: entropy.next()))
    }
    let pair = PairingPair(
      central: .test(), peripheral: .test(), centralData: OutOfBandExchange(peer: data().data),
      peripheralData: OutOfBandExchange(local: data()))
    pair.play()
    #expect(pair.central.failures == [.refused(.confirmValueFailed)])
    // The peer claims to have data, and this side never gave any.
    let lying = PairingPair(
      central: .test(), peripheral: .test(), centralData: OutOfBandExchange(peer: data().data))
    lying.play()
    #expect(lying.peripheral.failures == [.refused(.oobNotAvailable)])
  }

  @Test("cancelling, disconnecting and failing encryption end either side once, in every state")
  func cancellingDisconnectingAndFailingEncryptionEndEitherSideOnce() {
    for isSecure in [false, true] {
      let pair = PairingPair(
        central: .test(.displayOnly, secure: isSecure), peripheral: .test(.keyboardOnly, secure: isSecure))
      pair.play()
      for snapshot in pair.central.snapshots + pair.peripheral.snapshots {
        for input in [PairingInput.cancelled, .disconnected, .timedOut] {
          var copy = snapshot
          let actions = copy.handle(input)
          let failures = actions.filter { if case .failed = $0 { true } else { false } }
          #expect(failures.count == 1 && copy.stage == .ended)
          #expect(copy.handle(input).isEmpty && copy.handle(.start).isEmpty)
        }
      }
    }
  }
}
