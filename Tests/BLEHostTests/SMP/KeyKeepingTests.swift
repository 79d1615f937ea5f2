import BLECore
import BLEHost
import BLEWire
import Testing

/// Pairings whose keys are stored with a delay.
@Suite struct KeyKeepingTests {
  @Test("the last of this side's keys are sent, and the keys are used, only when they are stored")
  func theLastOfThisSidesKeysAreSent() throws {
    let link = ManagerPair()
    link.central.keepsKeysLate = true
    try link.pair()
    #expect(link.central.manager.isStoringKeys && link.central.manager.isPairing && link.peripheral.manager.isPairing)
    #expect(link.central.results.isEmpty && link.peripheral.results.isEmpty && link.central.manager.bond == nil)
    #expect(throws: PairingFailure.busy) { try link.central.manager.pair() }
    let sent = link.central.sentCount
    link.central.keysWereKept()
    #expect(link.central.sentCount > sent && !link.central.manager.isPairing)
    link.deliverAll()
    #expect(link.central.results.count == 1 && link.peripheral.results.count == 1)
    #expect(link.central.manager.isProven && link.peripheral.manager.isProven)
  }

  @Test("keys that cannot be stored in the end fail the pairing on both sides")
  func keysThatCannotBeStoredInTheEndFail() throws {
    let link = ManagerPair()
    link.central.keepsKeysLate = true
    try link.pair()
    link.central.keysWereKept(.storageFailed)
    link.deliverAll()
    #expect(link.central.failures == [.storageFailed] && link.central.results.isEmpty)
    #expect(link.peripheral.failures == [.refusedByPeer(.unspecifiedReason)] && link.peripheral.results.isEmpty)
    #expect(link.central.manager.bond == nil && link.central.manager.security == nil)
  }

  @Test("the result of storing the keys is reported when the link has ended meanwhile, and no key is sent before")
  func theResultOfStoringTheKeysIsReported()
    throws
  {
    let link = ManagerPair()
    link.peripheral.keepsKeysLate = true
    try link.pair()
    #expect(link.central.results.count == 1 && link.peripheral.manager.isStoringKeys)
    #expect(link.peripheral.manager.longTermKey(encryptedDiversifier: 0, randomNumber: 0) == nil)
    link.disconnect()
    #expect(link.peripheral.failures.isEmpty && link.peripheral.results.isEmpty)
    link.peripheral.keysWereKept()
    #expect(link.peripheral.results.count == 1 && link.peripheral.failures.isEmpty)
    #expect(!link.peripheral.manager.isProven)
  }

  @Test("a link that loses its encryption meanwhile is not taken for an encrypted one afterwards")
  func aLinkThatLosesItsEncryptionMeanwhileIsNotTaken() throws {
    let link = ManagerPair()
    link.peripheral.keepsKeysLate = true
    try link.pair()
    link.peripheral.manager.encryptionChanged(isEncrypted: false)
    link.peripheral.keysWereKept()
    #expect(link.peripheral.results.count == 1)
    #expect(link.peripheral.manager.security == nil && !link.peripheral.manager.isProven)
  }

  @Test("one command that arrives meanwhile is processed afterwards, and further ones are dropped")
  func oneCommandThatArrivesMeanwhileIsProcessedAfterwards() throws {
    let link = ManagerPair()
    link.peripheral.keepsKeysLate = true
    try link.pair()
    link.peripheral.outbox = []
    for _ in 0..<1_000 { link.peripheral.manager.receive([0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03]) }
    #expect(link.peripheral.outbox.isEmpty)
    #expect(link.peripheral.manager.statistics.unsolicited == 999)
    link.peripheral.keepsKeysLate = false
    link.peripheral.keysWereKept()
    #expect(link.peripheral.results.count == 1 && link.peripheral.outbox.count == 1)
  }
}
