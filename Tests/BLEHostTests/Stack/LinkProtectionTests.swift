import BLECore
import BLEWire
import Testing

@testable import BLEHost

@Suite struct LinkProtectionTests {
  private let unauthenticated = PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16)
  private let authenticated = PairingSecurity(method: .passkeyEntry, isSecureConnections: true, keySize: 16)
  private let short = PairingSecurity(method: .passkeyEntry, isSecureConnections: false, keySize: 7)

  private func level(
    _ code: ATTErrorCode, _ current: PairingSecurity?, maximumKeySize: Int = 16, canAuthenticate: Bool = true
  ) -> SecurityLevel? {
    LinkProtection.level(
      requiredBy: code, current: current, maximumKeySize: maximumKeySize, canAuthenticate: canAuthenticate)
  }

  @Test("an open link is encrypted for any requirement")
  func anOpenLinkIsEncryptedForWhateverIsRequired() {
    for code in [ATTErrorCode.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort] {
      #expect(level(code, nil, canAuthenticate: false) == .encrypted)
    }
  }

  @Test("an encrypted link is paired again only if that can give more")
  func anEncryptedLinkIsPairedAgainOnlyIfThatCanGiveMore() {
    #expect(level(.insufficientAuthentication, unauthenticated) == .authenticated)
    #expect(level(.insufficientEncryption, unauthenticated) == .authenticated)
    #expect(level(.insufficientAuthentication, unauthenticated, canAuthenticate: false) == nil)
    #expect(level(.insufficientAuthentication, authenticated) == nil)
  }

  @Test("a longer key is obtained by pairing at the same level up to the policy's longest")
  func aLongerKeyIsHadByPairingAtTheSameLevelUpToThePolicysLongest() {
    #expect(level(.encryptionKeySizeTooShort, short) == short.level)
    #expect(level(.encryptionKeySizeTooShort, short, canAuthenticate: false) == short.level)
    #expect(level(.encryptionKeySizeTooShort, short, maximumKeySize: 7) == nil)
    #expect(level(.encryptionKeySizeTooShort, authenticated) == nil)
  }

  @Test("a link from outside is proven once it is encrypted with the bond's keys")
  func aLinkFromOutsideIsProvenOnceItIsEncryptedWithTheBondsKeys() throws {
    let first = ManagerPair()
    #expect(LinkProtection(manager: first.peripheral.manager).isProven)
    try first.pair()
    let next = ManagerPair()
    next.central.manager.bond = first.central.results.first
    next.peripheral.manager.bond = first.peripheral.results.first
    let central = LinkProtection(manager: next.central.manager)
    let peripheral = LinkProtection(manager: next.peripheral.manager)
    #expect(central.isProven && !peripheral.isProven)
    #expect(next.central.manager.encryptWithBond())
    #expect(central.isEncryptingForBond && !peripheral.isEncryptingForBond)
    next.deliverAll()
    #expect(peripheral.isProven && !central.isEncryptingForBond)
  }

  @Test("only a link that ends while it is being encrypted has lost its bond")
  func onlyALinkThatEndsWhileItIsBeingEncryptedHasLostItsBond() throws {
    let first = ManagerPair()
    try first.pair()
    let next = ManagerPair()
    next.central.manager.bond = first.central.results.first
    let protection = LinkProtection(manager: next.central.manager)
    #expect(protection.reasonOfFailedEncryption(.pinOrKeyMissing) == nil)
    #expect(next.central.manager.encryptWithBond())
    #expect(protection.reasonOfFailedEncryption(.pinOrKeyMissing) == .bondLost)
    #expect(protection.reasonOfFailedEncryption(.messageIntegrityFailure) == .bondLost)
    #expect(protection.reasonOfFailedEncryption(.connectionTimeout) == .encryptionTimedOut)
    #expect(protection.reasonOfFailedEncryption(.remoteUserTerminated) == nil)
  }
}
