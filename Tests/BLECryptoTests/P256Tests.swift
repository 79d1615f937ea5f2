import BLECore
import BLECrypto
import Testing

@Suite
struct P256SampleTests {
  private func keys() throws -> [String: P256PrivateKey] {
    let section: [String: [[String: Any]]] = try SampleData.section("p256")
    var keys: [String: P256PrivateKey] = [:]
    for entry in try #require(section["key_pairs"]) {
      let sample = Sample(inputs: entry, output: "")
      let name = try #require(entry["name"] as? String)
      let scalar = try sample.key("private")
      let key = try #require(P256PrivateKey(scalar: scalar))
      #expect(try key.publicKey.x == sample.octets("public_x"))
      #expect(try key.publicKey.y == sample.octets("public_y"))
      keys[name] = key
    }
    return keys
  }

  @Test("key pairs and shared secrets agree with the sample data, in both directions")
  func keyPairsAndSharedSecretsAgreeWithTheSampleData() throws {
    let keys = try keys()
    let section: [String: [[String: Any]]] = try SampleData.section("p256")
    for entry in try #require(section["shared_secrets"]) {
      let sample = Sample(inputs: entry, output: entry["dhkey"] ?? "")
      let a = try #require((entry["key_a"] as? String).flatMap { keys[$0] })
      let b = try #require((entry["key_b"] as? String).flatMap { keys[$0] })
      #expect(try a.sharedSecret(with: b.publicKey).revealMostSignificantFirst() == sample.output())
      #expect(try b.sharedSecret(with: a.publicKey).revealMostSignificantFirst() == sample.output())
    }
  }

  @Test("invalid public keys of the sample data are refused")
  func invalidPublicKeysOfTheSampleDataAreRefused() throws {
    let section: [String: [[String: Any]]] = try SampleData.section("p256")
    for entry in try #require(section["invalid_public_keys"]) {
      let sample = Sample(inputs: entry, output: "")
      #expect(P256PublicKey(x: try sample.octets("public_x"), y: try sample.octets("public_y")) == nil)
    }
  }
}

@Suite struct P256Tests {
  private let prime: [UInt8] =
    [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + Array(repeating: 0, count: 12) + Array(repeating: 0xFF, count: 12)

  @Test("coordinates that are not below the prime are refused")
  func coordinatesThatAreNotBelowThePrimeAreRefused() {
    let key = P256PrivateKey.debug.publicKey
    #expect(P256PublicKey(x: prime, y: key.y) == nil)
    #expect(P256PublicKey(x: key.x, y: prime) == nil)
    #expect(P256PublicKey(x: Array(repeating: 0xFF, count: 32), y: key.y) == nil)
    #expect(P256PublicKey(x: key.x.dropLast(), y: key.y) == nil)
    #expect(P256PublicKey(x: key.x, y: key.y) == key)
    #expect(key.isDebugKey)
  }

  @Test("a scalar of zero or not below the order is no key")
  func aScalarOfZeroOrNotBelowTheOrder() throws {
    let order = try #require(
      [UInt8](hexadecimal: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
    #expect(P256PrivateKey(scalar: SecretKey(mostSignificantFirst: Array(repeating: UInt8(0), count: 32))) == nil)
    #expect(P256PrivateKey(scalar: SecretKey(mostSignificantFirst: order)) == nil)
    #expect(P256PrivateKey(scalar: SecretKey(mostSignificantFirst: Array(repeating: UInt8(0xFF), count: 32))) == nil)
    #expect(P256PrivateKey(scalar: SecretKey(mostSignificantFirst: [1])) == nil)
    let last = SecretKey(mostSignificantFirst: order.dropLast() + [0x50])
    #expect(P256PrivateKey(scalar: last) != nil)
  }

  @Test("pairs from the same seed are the same, and agree on a secret")
  func pairsFromTheSameSeedAreTheSame() {
    let first = P256PrivateKey.random(SeededEntropy(seed: 1))
    let again = P256PrivateKey.random(SeededEntropy(seed: 1))
    let second = P256PrivateKey.random(SeededEntropy(seed: 2))
    #expect(first.publicKey == again.publicKey)
    #expect(first.publicKey != second.publicKey)
    #expect(first.sharedSecret(with: second.publicKey) == second.sharedSecret(with: first.publicKey))
  }
}
