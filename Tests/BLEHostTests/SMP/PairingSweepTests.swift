import BLECore
import BLECrypto
import BLEHost
import BLEWire
import Testing

/// One command of each kind, and one with an unknown code.
private let everyCommand: [SMPPDU] = [
  .pairingRequest(SMPPairingRequest.examples[0]), .pairingResponse(SMPPairingResponse.examples[0]),
  .pairingConfirm(SMPPairingConfirm.examples[0]), .pairingRandom(SMPPairingRandom.examples[0]),
  .pairingFailed(SMPPairingFailed.examples[0]),
  .encryptionInformation(SMPEncryptionInformation.examples[0]),
  .centralIdentification(SMPCentralIdentification.examples[0]),
  .identityInformation(SMPIdentityInformation.examples[0]),
  .identityAddressInformation(SMPIdentityAddressInformation.examples[0]),
  .signingInformation(SMPSigningInformation.examples[0]), .securityRequest(SMPSecurityRequest.examples[0]),
  .pairingPublicKey(SMPPairingPublicKey.examples[0]), .pairingDHKeyCheck(SMPPairingDHKeyCheck.examples[0]),
  .pairingKeypressNotification(SMPPairingKeypressNotification.examples[0]),
  .unknown(SMPCode(0x55), parameters: [1, 2, 3]),
]

private let keyCommands: Set<SMPCode> = [
  .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
  .signingInformation,
]

/// The commands that a side in this stage may receive.
private func legal(in machine: Pairing) -> Set<SMPCode> {
  switch machine.stage {
  case .idle: machine.parameters.role == .peripheral ? [.pairingRequest] : []
  case .features: [.pairingResponse]
  case .publicKey: [.pairingPublicKey]
  case .confirm: [.pairingConfirm]
  case .random: [.pairingRandom]
  case .check: [.pairingDHKeyCheck]
  case .keys: keyCommands
  case .consent, .user, .encryption, .identityConsent, .ended: []
  }
}

@Suite struct PairingSweepTests {
  /// Pairings that together pass through every stage.
  private func pairings() -> [PairingPair] {
    var pairs: [PairingPair] = []
    for isSecure in [false, true] {
      for (initiator, responder) in [
        (SMPIOCapability.noInputNoOutput, SMPIOCapability.noInputNoOutput), (.displayOnly, .keyboardOnly),
        (.keyboardOnly, .displayOnly), (.displayYesNo, .displayYesNo), (.keyboardOnly, .keyboardOnly),
      ] {
        pairs.append(
          PairingPair(central: .test(initiator, secure: isSecure), peripheral: .test(responder, secure: isSecure)))
      }
    }
    let known = PairingPair(central: .test(), peripheral: .test())
    known.central.kept[PairingPair.peripheralAddress] = PairingSecurity(
      method: .numericComparison, isSecureConnections: true, keySize: 16)
    // One that is asked before anything was computed, and one that learns the other side's identity only at the end.
    let claimed = PairingPair(central: .test(), peripheral: .test())
    let victim = DeviceAddress(0xC000_0000_7777, kind: .random)
    claimed.central.kept[victim] = PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16)
    claimed.onTheWay = { fromCentral, pdu in
      !fromCentral && pdu.code == .identityAddressInformation
        ? [.identityAddressInformation(SMPIdentityAddressInformation(victim))] : [pdu]
    }
    return pairs + [known, claimed]
  }

  @Test("S8 every command in every state from both roles: only legal ones advance")
  func everyCommandInEveryStateFromBothRoles() {
    var stages: Set<Pairing.Stage> = []
    var count = 0
    for pair in pairings() {
      pair.play()
      #expect(pair.central.result != nil && pair.peripheral.result != nil)
      for snapshot in pair.central.snapshots + pair.peripheral.snapshots where snapshot.stage != .ended {
        stages.insert(snapshot.stage)
        for command in everyCommand {
          sweep(snapshot, command)
          count += 1
        }
      }
    }
    #expect(stages == Set(Pairing.Stage.allCases).subtracting([.ended]))
    #expect(count > 3000)
  }

  private func sweep(_ snapshot: Pairing, _ command: SMPPDU) {
    var machine = snapshot
    let actions = machine.handle(.received(command))
    let note = "\(snapshot), \(command.code)"
    var (sent, failures, asksForKeys) = ([SMPPDU](), [PairingFailure](), false)
    for action in actions {
      switch action {
      case .send(let pdu): sent.append(pdu)
      case .failed(let failure): failures.append(failure)
      case .startEncryption, .finished: asksForKeys = true
      case .ask, .peerTyped: break
      }
    }
    // Made-up values never lead to a key, and only the encrypted link accepts keys.
    #expect(!asksForKeys || snapshot.stage == .keys, "\(note)")
    let isIgnored =
      switch command.code {
      case .pairingKeypressNotification: true
      case .securityRequest: snapshot.parameters.role == .central
      case .pairingFailed: snapshot.stage == .idle
      default: command.code.rawValue == 0x55
      }
    if isIgnored || snapshot.stage == .idle && !legal(in: snapshot).contains(command.code) {
      #expect(sent.isEmpty && failures.isEmpty && machine.stage == snapshot.stage, "\(note)")
    } else if command.code == .pairingFailed {
      #expect(sent.isEmpty && failures.count == 1 && machine.stage == .ended, "\(note)")
    } else if !legal(in: snapshot).contains(command.code) {
      #expect(sent.count == 1 && sent[0].failedReason == .unspecifiedReason, "\(note)")
      #expect(failures == [.refused(.unspecifiedReason)] && machine.stage == .ended, "\(note)")
    }
  }

  @Test("S8 a second public key ends the pairing")
  func aSecondPublicKeyEndsThePairing() {
    for fromCentral in [false, true] {
      let pair = PairingPair(central: .test(), peripheral: .test())
      pair.onTheWay = { isCentrals, pdu in
        pdu.code == .pairingPublicKey && isCentrals == fromCentral ? [pdu, pdu] : [pdu]
      }
      pair.play()
      #expect((fromCentral ? pair.peripheral : pair.central).failures == [.refused(.unspecifiedReason)])
      #expect(pair.central.results.isEmpty && pair.peripheral.results.isEmpty)
    }
  }

  @Test("S8 the DHKey check cannot be skipped or wrong")
  func theDHKeyCheckCannotBeSkippedOrWrong() {
    for fromCentral in [false, true] {
      for replacement in [[], [SMPPDU.pairingDHKeyCheck(SMPPairingDHKeyCheck.examples[0])]] {
        let pair = PairingPair(central: .test(), peripheral: .test())
        pair.onTheWay = { isCentrals, pdu in
          pdu.code == .pairingDHKeyCheck && isCentrals == fromCentral ? replacement : [pdu]
        }
        pair.play()
        let receiver = fromCentral ? pair.peripheral : pair.central
        #expect(pair.central.results.isEmpty && pair.peripheral.results.isEmpty)
        #expect(pair.central.keyToStart == nil)
        #expect(receiver.failures == (replacement.isEmpty ? [] : [.refused(.dhKeyCheckFailed)]))
      }
    }
  }

  @Test("H5 keys that arrive before the link is encrypted are refused")
  func keysThatArriveBeforeTheLinkIsEncryptedAreRefused() {
    for isSecure in [false, true] {
      let pair = PairingPair(central: .test(secure: isSecure), peripheral: .test(secure: isSecure))
      pair.play()
      for snapshot in pair.central.snapshots + pair.peripheral.snapshots where snapshot.stage == .encryption {
        for command in everyCommand where keyCommands.contains(command.code) {
          var machine = snapshot
          _ = machine.handle(.received(command))
          #expect(machine.stage == .ended)
        }
      }
    }
  }

  @Test("random commands never lead to keys")
  func randomCommandsNeverLeadToKeys() {
    let seed: UInt64 = 0x5EED_0808
    let entropy = SeededEntropy(seed: seed)
    for round in 0..<2000 {
      let role: LinkRole = round.isMultiple(of: 2) ? .central : .peripheral
      let side = PairingSide(
        role, address: PairingPair.centralAddress, peer: PairingPair.peripheralAddress, policy: .test(),
        entropy: entropy.fork(UInt64(round)))
      side.give(.start)
      for _ in 0..<8 {
        let choice = Int(truncatingIfNeeded: entropy.uniform(0..<UInt64(everyCommand.count)))
        var octets = everyCommand[choice].octets
        let place = Int(truncatingIfNeeded: entropy.uniform(0..<UInt64(octets.count)))
        octets[place] = UInt8(truncatingIfNeeded: entropy.next())
        if let pdu = try? SMPPDU(octets[...]) { side.give(.received(pdu)) } else { side.give(.receivedMalformed) }
        if entropy.uniform(0..<4) == 0 { side.give(.encryptionChanged(isEncrypted: true)) }
      }
      #expect(side.results.isEmpty && side.keyToStart == nil, "seed \(seed) round \(round)")
    }
  }
}
