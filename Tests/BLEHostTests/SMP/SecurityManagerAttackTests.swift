import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLEWire
import Testing

private func wrongPasskey(_ question: PairingQuestion) -> PairingRequest.Answer? {
  if case .enterPasskey = question.kind { .passkey("000000") } else { nil }
}

@Suite struct SecurityManagerAttackTests {
  @Test("S5 after each failure an address waits twice as long, up to a limit, and a success ends that")
  func afterEachFailureAnAddressWaitsTwiceAsLong() {
    let attempts = PairingAttempts()
    let peer = PairingPair.centralAddress
    var now = StackInstant.zero
    var delays: [Int64] = []
    for _ in 0..<9 {
      #expect(attempts.delay(of: peer, at: now) == nil)
      attempts.noteFailure(of: peer, at: now)
      let delay = attempts.delay(of: peer, at: now) ?? .zero
      delays.append(delay.milliseconds / 1000)
      now = now + delay
      #expect(attempts.delay(of: peer, at: now - .nanoseconds(1)) != nil)
    }
    #expect(delays == [1, 2, 4, 8, 16, 32, 64, 64, 64])
    now = now + .seconds(3600)
    attempts.noteFailure(of: peer, at: now)
    #expect(attempts.delay(of: peer, at: now) == .seconds(1))
    attempts.noteSuccess(of: peer)
    #expect(attempts.delay(of: peer, at: now) == nil)
  }

  @Test("S5 a new address for each attempt does not help, nor does a success in between")
  func aNewAddressForEachAttemptDoesNotHelp() {
    let attempts = PairingAttempts()
    let now = StackInstant.zero
    let friend = DeviceAddress(0xC000_0000_0001, kind: .random)
    func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0x4000_0000_0000 + number, kind: .random) }
    for number in 0..<UInt64(PairingAttempts.overallAllowance) {
      #expect(attempts.delay(of: address(number), at: now) == nil)
      attempts.noteFailure(of: address(number), at: now)
    }
    #expect(attempts.delay(of: friend, at: now) == nil)
    for number in 100..<110 as Range<UInt64> {
      attempts.noteFailure(of: address(number), at: now)
      attempts.noteSuccess(of: friend)
    }
    #expect(attempts.delay(of: address(5000), at: now) == .seconds(64))
    // All are free again some time later.
    #expect(attempts.delay(of: address(5000), at: now + .seconds(65)) == nil)
    // A hundred thousand addresses are not remembered.
    for number in 0..<2000 as Range<UInt64> { attempts.noteFailure(of: address(number), at: now) }
    #expect(attempts.delay(of: address(0), at: now + .seconds(64)) == nil)
  }

  @Test("S5 a pairing too soon after a failure is answered with Repeated Attempts and not started")
  func aPairingTooSoonAfterAFailureIsAnswered() async throws {
    let first = ManagerPair(central: .test(.displayOnly), peripheral: .test(.keyboardOnly))
    first.peripheral.respond = wrongPasskey
    try first.pair()
    #expect(first.peripheral.results.isEmpty && first.peripheral.failures.count == 1)
    first.disconnect()

    let next = ManagerPair(
      central: .test(.displayOnly), loop: first.loop, peripheralLocal: first.peripheral.local)
    try next.pair()
    #expect(next.central.failures == [.refusedByPeer(.repeatedAttempts)])
    #expect(next.peripheral.failures.isEmpty && next.peripheral.questions.isEmpty)
    // The side that failed as the initiator waits by itself.
    #expect(throws: PairingFailure.self) { try first.central.manager.pair() }
    await next.advance(.seconds(3))
    let third = ManagerPair(loop: first.loop, peripheralLocal: first.peripheral.local)
    third.peripheral.respond = { _ in .yes }
    try third.pair()
    #expect(third.peripheral.results.count == 1)
  }

  @Test("S5 disconnecting during a pairing counts as a failure")
  func disconnectingDuringAPairingCountsAsAFailure() throws {
    let link = ManagerPair(central: .test(.displayOnly), peripheral: .test(.keyboardOnly))
    link.peripheral.respond = { _ in nil }
    try link.pair()
    #expect(link.peripheral.manager.isPairing)
    link.disconnect()
    #expect(link.peripheral.failures == [.disconnected])
    #expect(link.peripheral.local.attempts.delay(of: PairingPair.centralAddress, at: link.loop.now) != nil)
  }

  @Test("S7 a bond with a key of zeros encrypts nothing")
  func aBondWithAKeyOfZerosEncryptsNothing() {
    let link = ManagerPair()
    let zero = LongTermKey(key: SecretKey(AESBlock.zero))
    let bond = PairingResult(
      security: PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16), isBonded: true,
      peerIdentity: nil, keyAsCentral: zero, keyAsPeripheral: zero)
    link.central.manager.bond = bond
    link.peripheral.manager.bond = bond
    let encrypts = link.central.manager.encryptWithBond()
    #expect(!encrypts)
    #expect(link.peripheral.manager.longTermKey(encryptedDiversifier: 0, randomNumber: 0) == nil)
  }

  @Test("S7 during a pairing the old keys do not replace its own")
  func duringAPairingTheOldKeysDoNotReplace() throws {
    let first = ManagerPair()
    try first.pair()
    let next = ManagerPair(seed: 5)
    next.peripheral.manager.bond = first.peripheral.results.first
    next.commandsLeft = 2
    try next.central.manager.pair()
    next.deliverAll()
    #expect(next.peripheral.manager.isPairing)
    #expect(next.peripheral.manager.longTermKey(encryptedDiversifier: 0, randomNumber: 0) == nil)
    // A controller that reports encryption in spite of that does not make the link secure.
    next.peripheral.manager.encryptionChanged(isEncrypted: true)
    #expect(next.peripheral.manager.security == nil && next.peripheral.manager.isPairing)
  }

  @Test("S9 a peer whose input and output capabilities differ from before is reported")
  func aPeerWhoseInputAndOutputCapabilitiesDiffer() async throws {
    let first = ManagerPair(central: .test(.keyboardDisplay), peripheral: .test(.displayYesNo))
    try first.pair()
    #expect(first.peripheral.results.count == 1 && first.peripheral.capabilityChanges.isEmpty)
    let next = ManagerPair(
      central: .test(.noInputNoOutput), loop: first.loop, peripheralLocal: first.peripheral.local)
    try next.pair()
    let change = try #require(next.peripheral.capabilityChanges.first)
    #expect(change.0 == .keyboardDisplay && change.1 == .noInputNoOutput)
  }

  @Test("S10 a link that was encrypted by a pairing that failed in the end counts as unencrypted")
  func aLinkThatWasEncryptedByAPairingThatFailed() throws {
    let link = ManagerPair(central: .test(secure: false), peripheral: .test(secure: false))
    try link.central.manager.pair()
    // Everything but the keys.
    link.commandsLeft = 6
    link.deliverAll()
    #expect(link.central.manager.security != nil && link.central.manager.isPairing)
    link.central.manager.receive([0x05, 0x08])
    #expect(link.central.manager.security == nil && link.central.manager.bond == nil)
    #expect(link.central.securityChanges.last == .some(nil))
  }

  @Test("S11 the old bond stays until new keys are complete")
  func theOldBondStaysUntilNewKeysAreComplete() throws {
    let first = ManagerPair()
    try first.pair()
    let old = first.peripheral.results.first
    for commands in 0..<20 {
      let next = ManagerPair(seed: UInt64(commands))
      next.peripheral.manager.bond = old
      next.commandsLeft = commands
      try next.central.manager.pair()
      next.deliverAll()
      next.disconnect()
      if next.peripheral.results.isEmpty {
        #expect(next.peripheral.manager.bond?.keyAsPeripheral == old?.keyAsPeripheral)
      } else {
        #expect(next.peripheral.manager.bond?.keyAsPeripheral == next.peripheral.results[0].keyAsPeripheral)
      }
    }
  }

  @Test("S14 endless Security Requests lead to few pairings and few answers")
  func endlessSecurityRequestsLeadToFewPairingsAndFewAnswers() {
    let central = ManagerPair().central
    for _ in 0..<1000 {
      central.manager.receive([0x0B, 0x05])
      // The peer refuses each pairing that this side starts.
      central.manager.receive([0x05, 0x08])
    }
    #expect(central.sentCount <= SecurityManager.unsolicitedLimit)
    let content = ManagerPair(peripheral: .test(.noInputNoOutput))
    for _ in 0..<50 {
      content.central.manager.receive([0x0B, 0x05])
      content.deliverAll()
    }
    #expect((1...SecurityManager.unsolicitedLimit).contains(content.central.results.count))
  }

  @Test("S14 commands for the other role are answered a few times only")
  func commandsForTheOtherRoleAreAnsweredAFewTimes() {
    let link = ManagerPair()
    for _ in 0..<1000 {
      link.central.manager.receive([0x01, 0x04, 0x00, 0x05, 0x10, 0x07, 0x07])
      link.peripheral.manager.receive([0x0B, 0x00])
    }
    for end in [link.central, link.peripheral] {
      #expect(end.outbox == Array(repeating: [0x05, 0x07], count: SecurityManager.unsolicitedLimit))
      #expect(end.manager.statistics.unsolicited == 1000 && !end.manager.isPairing)
    }
  }

  @Test("S15 a peer that stops after any command fails the pairing at thirty seconds, for the rest of this link")
  func aPeerThatStopsAfterAnyCommandFailsThePairing()
    async throws
  {
    for isSecure in [false, true] {
      var complete = false
      var commands = 0
      while !complete {
        let link = ManagerPair(central: .test(secure: isSecure))
        link.commandsLeft = commands
        try link.pair()
        complete = !link.central.manager.isPairing && !link.peripheral.manager.isPairing
        if complete { break }
        await link.advance(.milliseconds(29_999))
        for end in [link.central, link.peripheral] where end.manager.isPairing { #expect(end.failures.isEmpty) }
        let waiting = [link.central, link.peripheral].filter(\.manager.isPairing)
        await link.advance(.milliseconds(1))
        for end in waiting {
          #expect(end.failures == [.timedOut] && end.manager.isClosed)
          let before = end.sentCount
          #expect(throws: PairingFailure.timedOut) { try end.manager.pair() }
          for code in UInt8(0)...15 { end.manager.receive([code, 0, 0, 0, 16, 0, 0]) }
          #expect(end.sentCount == before && end.results.isEmpty)
        }
        commands += 1
      }
      #expect(commands > 8)
    }
  }

  @Test("S15 a Security Request without a reaction times out as well")
  func aSecurityRequestWithoutAReactionTimesOutAsWell() async throws {
    let link = ManagerPair()
    try link.peripheral.manager.pair()
    await link.advance(.seconds(30))
    #expect(link.peripheral.failures == [.timedOut] && link.peripheral.manager.isClosed)
    let again = ManagerPair(seed: 9)
    try again.pair()
    await again.advance(.seconds(60))
    #expect(again.central.failures.isEmpty && !again.central.manager.isClosed)
  }
}
