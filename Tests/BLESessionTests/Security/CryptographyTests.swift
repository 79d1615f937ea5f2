import BLESession
import BLESessionCryptography
import Foundation
import Testing

/// Known answers of the standards that name the ciphers.
@Suite struct CryptographyTests {
  private let system = SystemCryptography()
  private func hex(_ text: String) throws -> Data { try Hexadecimal.decode(text) }

  @Test("R4.11 X6 AES-128 in electronic codebook mode (NIST SP 800-38A F.1.1)")
  func codebook() throws {
    let key = try hex("2b7e151628aed2a6abf7158809cf4f3c")
    let clear = try hex("6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51")
    let sealed = try hex("3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf")
    #expect(try system.aes(.electronicCodebook, .encrypt, key: key, clear) == sealed)
    #expect(try system.aes(.electronicCodebook, .decrypt, key: key, sealed) == clear)
  }

  @Test("R4.11 X6 AES-128 in block chaining mode (NIST SP 800-38A F.2.1)")
  func chaining() throws {
    let key = try hex("2b7e151628aed2a6abf7158809cf4f3c")
    let mode = AESMode.blockChaining(initial: try hex("000102030405060708090a0b0c0d0e0f"))
    let clear = try hex("6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51")
    let sealed = try hex("7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2")
    #expect(try system.aes(mode, .encrypt, key: key, clear) == sealed)
    #expect(try system.aes(mode, .decrypt, key: key, sealed) == clear)
  }

  @Test("R4.11 X6 AES-128 in counter mode, of any length (NIST SP 800-38A F.5.1)")
  func counter() throws {
    let key = try hex("2b7e151628aed2a6abf7158809cf4f3c")
    let mode = AESMode.counter(initial: try hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    let clear = try hex("6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51")
    let sealed = try hex("874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff")
    #expect(try system.aes(mode, .encrypt, key: key, clear) == sealed)
    #expect(try system.aes(mode, .decrypt, key: key, sealed.prefix(21)) == clear.prefix(21))
  }

  @Test("R4.11 AES-128 counter with checksum (RFC 3610, packet vector 1), and any change is detected")
  func counterWithChecksum() throws {
    let key = try hex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf")
    let mode = AESMode.counterWithChecksum(
      nonce: try hex("00000003020100a0a1a2a3a4a5"), authenticating: try hex("0001020304050607"), tagLength: 8)
    let clear = Data((0x08...0x1E).map { UInt8($0) })
    let sealed = try hex("588c979a61c663d2f066d0c2c0f989806d5f6b61dac384 17e8d12cfdf926e0")
    #expect(try system.aes(mode, .encrypt, key: key, clear) == sealed)
    #expect(try system.aes(mode, .decrypt, key: key, sealed) == clear)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CryptographyError.notAuthentic) { try system.aes(mode, .decrypt, key: key, changed) }
    }
  }

  @Test("R4.11 HKDF with SHA-256 (RFC 5869, test cases 1 and 3)")
  func derivation() throws {
    let secret = Data(repeating: 0x0B, count: 22)
    #expect(
      try system.deriveKey(
        secret: secret, salt: try hex("000102030405060708090a0b0c"), info: try hex("f0f1f2f3f4f5f6f7f8f9"), count: 42)
        == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    #expect(
      try system.deriveKey(secret: secret, salt: Data(), info: Data(), count: 42)
        == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    #expect(throws: CryptographyError.length) {
      try system.deriveKey(secret: secret, salt: Data(), info: Data(), count: 8_161)
    }
  }

  @Test("R4.11 X6 AES-256-GCM (the algorithm's specification, test case 16), and any change is detected")
  func galois() throws {
    let key = try hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    let nonce = try hex("cafebabefacedbaddecaf888")
    let clear = try hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    let extra = try hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    let sealed = try hex(
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
    )
    #expect(try system.seal(clear, key: key, nonce: nonce, authenticating: extra) == sealed)
    #expect(try system.open(sealed, key: key, nonce: nonce, authenticating: extra) == clear)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x80
      #expect(throws: CryptographyError.notAuthentic) {
        try system.open(changed, key: key, nonce: nonce, authenticating: extra)
      }
    }
    #expect(throws: CryptographyError.notAuthentic) {
      try system.open(Data(count: 15), key: key, nonce: nonce, authenticating: extra)
    }
  }

  @Test("R4.11 X6 inputs of the wrong length are refused")
  func lengths() throws {
    let key = Data(count: 16)
    #expect(throws: CryptographyError.length) {
      try system.aes(.electronicCodebook, .encrypt, key: key, Data(count: 15))
    }
    #expect(throws: CryptographyError.length) {
      try system.aes(.electronicCodebook, .encrypt, key: Data(), Data(count: 16))
    }
    #expect(throws: CryptographyError.length) {
      try system.aes(.blockChaining(initial: Data(count: 8)), .encrypt, key: key, Data(count: 16))
    }
    #expect(throws: CryptographyError.length) {
      try system.aes(.counterWithChecksum(nonce: Data(count: 6)), .encrypt, key: key, Data())
    }
  }

  @Test("R4.11 X6 wrong padding and a wrong key give the same error")
  func padding() throws {
    let codec = try CipherCodec(cryptography: system, mode: .electronicCodebook, key: Data(count: 16))
    for length in [0, 1, 15, 16, 17, 100] {
      let content = Data((0..<length).map { UInt8($0) })
      #expect(try codec.decode(try codec.encode(content)) == [content])
    }
    #expect(throws: CryptographyError.notAuthentic) { try codec.decode(Data(count: 16)) }
    #expect(throws: CryptographyError.notAuthentic) { try codec.decode(Data(count: 15)) }
    #expect(throws: CryptographyError.notAuthentic) { try codec.decode(Data()) }
  }
}

@Suite struct SecureChannelTests {
  private func agree() throws -> (beginner: SecureChannelAgreement, answerer: SecureChannelAgreement) {
    let beginner = SecureChannelAgreement(cryptography: SystemCryptography(), limit: AgreementLimit())
    let answerer = SecureChannelAgreement(cryptography: SystemCryptography(), limit: AgreementLimit())
    let key = try #require(try beginner.proceed(try answerer.answer(try beginner.begin())))
    #expect(beginner.verificationCode == nil && answerer.verificationCode == nil)
    #expect(try beginner.proceed(try answerer.answer(key)) == nil)
    return (beginner, answerer)
  }

  @Test("R4.11 both sides agree, see the same six digits and understand each other")
  func agreement() throws {
    let (beginner, answerer) = try agree()
    #expect(beginner.verificationCode?.count == 6)
    #expect(beginner.verificationCode == answerer.verificationCode)
    for text in ["unlock", "", "open the front door"] {
      let there = try beginner.seal(Data(text.utf8))
      #expect(there.count == text.utf8.count + SecureChannel.overhead)
      #expect(try answerer.open(there) == Data(text.utf8))
      #expect(try beginner.open(try answerer.seal(Data(text.utf8))) == Data(text.utf8))
    }
  }

  @Test("R4.11 equal contents are encrypted differently, and no side accepts its own messages as the other's")
  func differences() throws {
    let (beginner, answerer) = try agree()
    let (first, second) = (try beginner.seal(Data([1, 2, 3])), try beginner.seal(Data([1, 2, 3])))
    #expect(first.dropFirst(8) != second.dropFirst(8))
    #expect(throws: CryptographyError.notAuthentic) { try beginner.open(first) }
    let other = try agree()
    #expect(throws: CryptographyError.notAuthentic) { try other.answerer.open(first) }
    _ = answerer
  }

  @Test("R4.11 replays are refused, and messages out of order within 64 are accepted once")
  func replays() throws {
    let (beginner, answerer) = try agree()
    let values = try (0..<100).map { try beginner.seal(Data([UInt8($0)])) }
    #expect(try answerer.open(values[70]) == Data([70]))
    #expect(try answerer.open(values[7]) == Data([7]))
    for old in [70, 7, 6] {
      #expect(throws: CryptographyError.replayed) { try answerer.open(values[old]) }
    }
    #expect(try answerer.open(values[99]) == Data([99]))
    #expect(throws: CryptographyError.replayed) { try answerer.open(values[30]) }
    #expect(try answerer.open(values[98]) == Data([98]))
  }

  @Test("R4.11 a forged number does not move the window")
  func forgery() throws {
    let (beginner, answerer) = try agree()
    var forged = try beginner.seal(Data([1]))
    let genuine = try beginner.seal(Data([2]))
    forged[0] = 0xFF
    #expect(throws: CryptographyError.notAuthentic) { try answerer.open(forged) }
    #expect(try answerer.open(genuine) == Data([2]))
    #expect(throws: CryptographyError.notAuthentic) { try answerer.open(Data(count: 10)) }
  }

  @Test("R4.11 I11.2 a key before a commitment, as in the first version, is refused")
  func oldOrder() throws {
    let cryptography = SystemCryptography()
    let key = try cryptography.makeAgreementKey()
    let answerer = SecureChannelAgreement(cryptography: cryptography)
    #expect(throws: CryptographyError.version) { try answerer.answer(Data([1]) + key.publicKey) }
    #expect(answerer.verificationCode == nil)
    let beginner = SecureChannelAgreement(cryptography: cryptography)
    _ = try beginner.begin()
    #expect(throws: CryptographyError.version) { try beginner.proceed(Data([1]) + key.publicKey) }
    #expect(beginner.verificationCode == nil)
  }

  @Test("R4.11 keys that give no secret are refused")
  func badKeys() throws {
    let beginner = SecureChannelAgreement(cryptography: SystemCryptography())
    let expected: [(Data, CryptographyError)] = [
      (Data(), .outOfTurn), (Data([3]), .publicKey), (Data([3]) + Data(count: 32), .publicKey),
      (Data([2]) + Data(repeating: 9, count: 32), .outOfTurn),
    ]
    for (word, error) in expected {
      _ = try beginner.begin()
      #expect(throws: error) { try beginner.proceed(word) }
      // One answer for each beginning.
      #expect(throws: CryptographyError.outOfTurn) { try beginner.proceed(Data([3]) + Data(repeating: 9, count: 32)) }
    }
    #expect(throws: CryptographyError.outOfTurn) { try beginner.seal(Data()) }
    #expect(throws: CryptographyError.outOfTurn) { try beginner.open(Data(count: 24)) }
  }
}
