import BLECore
import BLECrypto
import Testing

@Suite struct SHA256Tests {
  @Test("the digests of FIPS 180-4's examples")
  func examples() {
    let expected = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ]
    for (text, digest) in expected { #expect(SHA256.digest(of: Array(text.utf8)).hexadecimal == digest) }
  }
}
