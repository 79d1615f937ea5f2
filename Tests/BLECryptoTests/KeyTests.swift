import BLECore
import BLECrypto
import Testing

@Suite struct SecretKeyTests {
  private let key = SecretKey(mostSignificantFirst: Array(repeating: UInt8(0xA5), count: 16))

  @Test("a key is never printed")
  func aKeyIsNeverPrinted() {
    var dumped = ""
    dump(key, to: &dumped)
    dump([key], to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\(P256PrivateKey.debug)"] {
      #expect(text.contains("redacted"))
      #expect(!text.lowercased().contains("a5a5") && !text.contains("165, 165"), "\(text)")
    }
  }

  @Test("keys are equal where their octets are")
  func keysAreEqualWhereTheirOctets() {
    #expect(key == SecretKey(mostSignificantFirst: Array(repeating: UInt8(0xA5), count: 16)))
    #expect(key != SecretKey(mostSignificantFirst: Array(repeating: UInt8(0xA5), count: 15)))
    #expect(key != SecretKey(mostSignificantFirst: Array(repeating: UInt8(0xA5), count: 15) + [0xA4]))
    #expect(SecretKey(.zero).isZero && !key.isZero)
  }

  @Test("the order of octets is reversed for the air")
  func theOrderOfOctetsIsReversedForTheAir() {
    let octets = Array(UInt8(0)..<16)
    #expect(SecretKey(leastSignificantFirst: octets).revealMostSignificantFirst() == octets.reversed())
    #expect(SecretKey(mostSignificantFirst: octets).revealLeastSignificantFirst() == octets.reversed())
    #expect(AESBlock(leastSignificantFirst: octets)?.mostSignificantFirst == octets.reversed())
    #expect(AESBlock(mostSignificantFirst: octets.dropLast()) == nil)
  }
}

@Suite struct CounterModeTests {
  private let ccm = AESCCM(key: SecretKey(AESBlock(high: 1, low: 2)))
  private let nonce = [UInt8](repeating: 7, count: AESCCM.nonceLength)

  @Test("sealed octets are opened, and one changed bit is detected", arguments: [0, 1, 15, 16, 17, 251])
  func sealedOctetsAreOpened(length: Int) {
    let message = [UInt8](repeating: 0x5A, count: length)
    let sealed = ccm.seal(message[...], nonce: nonce, additional: [3])
    #expect(sealed.count == length + 4)
    #expect(ccm.open(sealed[...], nonce: nonce, additional: [3]) == message)
    #expect(ccm.open(sealed[...], nonce: nonce, additional: [2]) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x10
      #expect(ccm.open(changed[...], nonce: nonce, additional: [3]) == nil)
    }
    #expect(ccm.open(sealed.dropLast(), nonce: nonce, additional: [3]) == nil)
    #expect(ccm.open(sealed[...], nonce: nonce, additional: [3]) == message)
  }

  @Test("octets shorter than a check are not opened")
  func octetsShorterThanACheckAreNotOpened() {
    for length in 0..<4 {
      #expect(ccm.open(ArraySlice(repeating: 0, count: length), nonce: nonce, additional: []) == nil)
    }
  }
}

@Suite struct IdentityResolverTests {
  @Test("an address is resolved by the key that made it and by no other")
  func anAddressIsResolvedByTheKeyThatMade() {
    let entropy = SeededEntropy(seed: 5)
    let resolver = IdentityResolver(irk: .random(entropy))
    let other = IdentityResolver(irk: .random(entropy))
    for _ in 0..<100 {
      let address = resolver.makeAddress(entropy)
      #expect(address.randomKind == .resolvablePrivate)
      #expect(resolver.resolves(address))
      #expect(!other.resolves(address))
    }
  }

  @Test("a key of zeros resolves nothing")
  func aKeyOfZerosResolvesNothing() {
    let resolver = IdentityResolver(irk: SecretKey(.zero))
    #expect(!resolver.resolves(resolver.makeAddress(SeededEntropy(seed: 1))))
  }
}

@Suite struct DatabaseHashTests {
  @Test("declarations count with their values, descriptors without, values not at all")
  func declarationsCountWithTheirValues() {
    func hash(_ battery: UInt8, _ description: String, _ property: UInt8) -> AESBlock {
      var hash = DatabaseHash()
      hash.append(handle: AttributeHandle(1), type: BLEUUID(0x2800), value: [0x0F, 0x18])
      hash.append(handle: AttributeHandle(2), type: BLEUUID(0x2803), value: [property, 3, 0, 0x19, 0x2A])
      hash.append(handle: AttributeHandle(3), type: BLEUUID(0x2A19), value: [battery])
      hash.append(handle: AttributeHandle(4), type: BLEUUID(0x2901), value: Array(description.utf8))
      return hash.value
    }
    #expect(hash(100, "battery", 2) == hash(50, "charge", 2))
    #expect(hash(100, "battery", 2) != hash(100, "battery", 0x12))
  }
}
