import BLECore
import BLEHost
import BLEWire
import Testing

/// Pairings whose keys take their time to come to where they outlive the process.
@Suite struct KeyKeepingTests {
  @Test func `the last of this side's keys leave, and the keys are used, only when they are kept`() throws {
    let link = ManagerPair()
    link.central.keepsKeysLate = true
    try link.pair()
    #expect(link.central.manager.isStoringKeys && link.central.manager.isPairing && link.peripheral.manager.isPairing)
    #expect(link.central.results.isEmpty && link.peripheral.results.isEmpty && link.central.manager.bond == nil)
    #expect(throws: PairingFailure.busy) { try link.central.manager.pair() }
    let sent = link.central.sentCount
    link.central.keysWereKept()
    #expect(link.central.sentCount > sent && !link.central.manager.isPairing)
    link.goOn()
    #expect(link.central.results.count == 1 && link.peripheral.results.count == 1)
    #expect(link.central.manager.isProven && link.peripheral.manager.isProven)
  }

  @Test func `keys that can't be kept after all end the pairing on both sides`() throws {
    let link = ManagerPair()
    link.central.keepsKeysLate = true
    try link.pair()
    link.central.keysWereKept(.storageFailed)
    link.goOn()
    #expect(link.central.failures == [.storageFailed] && link.central.results.isEmpty)
    #expect(link.peripheral.failures == [.refusedByPeer(.unspecifiedReason)] && link.peripheral.results.isEmpty)
    #expect(link.central.manager.bond == nil && link.central.manager.security == nil)
  }

  @Test func `what became of the keys is told when the link has ended meanwhile, and no key is given out before`()
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

  @Test func `a link that ceases to be encrypted meanwhile is not taken for an encrypted one afterwards`() throws {
    let link = ManagerPair()
    link.peripheral.keepsKeysLate = true
    try link.pair()
    link.peripheral.manager.encryptionChanged(isEncrypted: false)
    link.peripheral.keysWereKept()
    #expect(link.peripheral.results.count == 1)
    #expect(link.peripheral.manager.security == nil && !link.peripheral.manager.isProven)
  }

  @Test func `one command that comes meanwhile is worked off afterwards, and further ones are dropped`() throws {
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
