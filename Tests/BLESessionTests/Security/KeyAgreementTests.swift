import BLESession
import Foundation
import Testing

@testable import BLESessionCryptography

/// X25519 by the octets of RFC 7748.
@Suite struct KeyAgreementTests {
  private func key(_ digits: String) throws -> any AgreementKey {
    try Library.agreementKey(privateKey: try Hexadecimal.decode(digits))
  }

  @Test("R4.11 X25519: public keys and secret (RFC 7748, 6.1)")
  func agreement() throws {
    let alice = try key("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    let bob = try key("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    #expect(
      Hexadecimal.encode(alice.publicKey) == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    #expect(
      Hexadecimal.encode(bob.publicKey) == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    let secret = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    #expect(Hexadecimal.encode(try alice.agree(with: bob.publicKey)) == secret)
    #expect(Hexadecimal.encode(try bob.agree(with: alice.publicKey)) == secret)
  }

  @Test("R4.11 X25519: points of small order and keys of other lengths give no secret")
  func refusals() throws {
    let alice = try key("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    let smallOrder = [
      String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]
    for digits in smallOrder {
      #expect(throws: CryptographyError.publicKey) { try alice.agree(with: try Hexadecimal.decode(digits)) }
    }
    for count in [0, 31, 33] {
      #expect(throws: CryptographyError.publicKey) { try alice.agree(with: Data(count: count)) }
    }
    #expect(throws: CryptographyError.length) { try Library.agreementKey(privateKey: Data(count: 31)) }
  }
}
