import BLECore
import BLECrypto
import BLEHost
import BLEWire
import Testing

@Suite struct SecurityManagerTests {
  @Test("two managers pair, encrypt and keep the bond, and encrypt with it on the next link")
  func twoManagersPairEncryptAndKeepTheBond() throws {
    let link = ManagerPair()
    try link.pair()
    let bond = try #require(link.central.results.first)
    #expect(bond.isBonded && link.central.manager.security == bond.security)
    #expect(link.peripheral.manager.security == bond.security)
    #expect(link.central.manager.security?.linkSecurity(isBonded: true).isEncrypted == true)
    link.disconnect()
    #expect(link.central.manager.security == nil)

    for isSecure in [true, false] {
      let first = ManagerPair(central: .test(secure: isSecure))
      try first.pair()
      let next = ManagerPair(seed: 2)
      next.central.manager.bond = first.central.results.first
      next.peripheral.manager.bond = first.peripheral.results.first
      let encrypts = next.central.manager.encryptWithBond()
      #expect(encrypts)
      next.deliverAll()
      #expect(next.central.manager.security != nil)
      #expect(next.central.manager.security == next.peripheral.manager.security)
      #expect(next.central.sentCount == 0 && next.peripheral.sentCount == 0)
    }
  }

  @Test("a lost bond shows as failed encryption, and the keys of another link do not match")
  func aLostBondShowsAsFailedEncryption() throws {
    let first = ManagerPair()
    try first.pair()
    for foreign in [false, true] {
      let other = ManagerPair(seed: 77)
      try other.pair()
      let next = ManagerPair(seed: 3)
      next.central.manager.bond = first.central.results.first
      if foreign { next.peripheral.manager.bond = other.peripheral.results.first }
      let encrypts = next.central.manager.encryptWithBond()
      #expect(encrypts)
      next.deliverAll()
      #expect(next.central.failures == [.bondFailed])
      #expect(next.central.manager.security == nil)
    }
  }

  @Test("a Security Request leads to a pairing, or to encryption where there is a sufficient bond")
  func aSecurityRequestLeadsToAPairing()
    throws
  {
    let first = ManagerPair()
    try first.peripheral.manager.pair()
    first.deliverAll()
    #expect(first.central.results.count == 1 && first.peripheral.results.count == 1)

    let next = ManagerPair(central: .test(mitm: false), peripheral: .test(mitm: false), seed: 4)
    next.central.manager.bond = first.central.results.first
    next.peripheral.manager.bond = first.peripheral.results.first
    try next.peripheral.manager.pair()
    next.deliverAll()
    #expect(next.central.manager.security != nil && next.central.results.isEmpty)
    // Sufficient now: a further request changes nothing.
    let before = next.central.sentCount
    try next.peripheral.manager.pair()
    next.deliverAll()
    #expect(next.central.sentCount == before)

    var refusing = SecurityPolicy.test()
    refusing.answersSecurityRequests = false
    let refused = ManagerPair(central: refusing)
    try refused.peripheral.manager.pair(minimumLevel: .authenticated)
    refused.deliverAll()
    #expect(refused.peripheral.failures == [.refusedByPeer(.pairingNotSupported)])
  }

  @Test("a level requested by this side applies to the pairing that follows, in both roles")
  func aLevelRequestedByThisSideAppliesToThePairing() throws {
    for byPeripheral in [false, true] {
      let link = ManagerPair(
        central: .test(.keyboardDisplay, mitm: false), peripheral: .test(.noInputNoOutput, mitm: false))
      try (byPeripheral ? link.peripheral : link.central).manager.pair(minimumLevel: .authenticated)
      link.deliverAll()
      #expect(
        (byPeripheral ? link.peripheral : link.central).failures == [.refused(.authenticationRequirements)])
    }
  }

  @Test("without an agent, questions are answered with a refusal")
  func withoutAnAgentQuestionsAreAnsweredWithARefusal() throws {
    var asking = SecurityPolicy.test()
    asking.asksBeforeJustWorks = true
    let link = ManagerPair(peripheral: asking)
    link.peripheral.manager.delegate = nil
    try link.pair()
    #expect(link.central.failures == [.refusedByPeer(.unspecifiedReason)])
    #expect(!link.peripheral.manager.isPairing)
  }

  @Test("an answer to a question of an earlier pairing does not reach the one of the next")
  func anAnswerToAQuestionOfAnEarlierPairing() async throws {
    var asking = SecurityPolicy.test()
    asking.asksBeforeJustWorks = true
    let link = ManagerPair(peripheral: asking)
    link.peripheral.respond = { _ in nil }
    try link.pair()
    let first = try #require(link.peripheral.questions.first)
    link.central.manager.cancel()
    link.deliverAll()
    await link.advance(.seconds(2))
    try link.pair()
    #expect(link.peripheral.questions.count == 2)
    link.peripheral.manager.answer(.yes, to: first.id)
    link.deliverAll()
    #expect(link.peripheral.results.isEmpty && link.peripheral.manager.isPairing)
    link.peripheral.manager.answer(.yes, to: try #require(link.peripheral.questions.last).id)
    link.deliverAll()
    #expect(link.peripheral.results.count == 1)
  }

  @Test("a second pairing is refused while one is under way")
  func aSecondPairingIsRefusedWhileOneIsUnderWay() throws {
    let link = ManagerPair()
    try link.central.manager.pair()
    #expect(throws: PairingFailure.busy) { try link.central.manager.pair() }
    let encrypts = link.central.manager.encryptWithBond()
    #expect(!encrypts)
    link.deliverAll()
    #expect(link.central.results.count == 1)
  }

  @Test("every command at every length, in and outside a pairing, does no harm")
  func everyCommandAtEveryLength() {
    for role in [LinkRole.central, .peripheral] {
      for code in Array(UInt8(0)...0x10) + [0x55, 0xFF] {
        for length in 0...66 {
          let link = ManagerPair()
          let end = role == .central ? link.central : link.peripheral
          if length.isMultiple(of: 2), role == .central { try? end.manager.pair() }
          let payload = length == 0 ? [] : [code] + [UInt8](repeating: 0x01, count: length - 1)
          end.manager.receive(payload[...])
          #expect(end.results.isEmpty && end.keyToStart == nil)
          if role == .central { continue }
          #expect(end.manager.isPairing == (code == 1 && length == 7 && end.outbox.first?.first == 2))
        }
      }
    }
  }
}
