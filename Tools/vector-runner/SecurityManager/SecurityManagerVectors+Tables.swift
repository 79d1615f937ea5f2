import BLECore
import BLECrypto

/// Signatures, points, addresses and link-layer packets.
extension SecurityManagerVectors {
  static func playSignature(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    guard let counter = UInt32(exactly: try test.integer("sign_counter")) else { throw NotUnderstood("sign_counter") }
    let algorithm = SignatureAlgorithm(csrk: try test.key16("csrk_msb_first"))
    let message = try test.octets("message_on_air_order")
    let signature = algorithm.signature(of: message, signCounter: counter)
    outcome.expect("signature", wanted: try test.octets("signature").hexadecimal, got: signature.hexadecimal)
    outcome.expect(
      "sign counter of what was signed", wanted: counter, got: algorithm.verify((message + signature)[...]))
  }

  static func playVerification(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    let algorithm = SignatureAlgorithm(csrk: try test.key16("csrk_msb_first"))
    outcome.expect("valid", wanted: try test.flag("valid"), got: algorithm.verify(try test.octets("pdu")[...]) != nil)
  }

  static func playKeyPair(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    let key = try keyPair(test)
    outcome.expect("public_x", wanted: try test.octets("public_x").hexadecimal, got: key.publicKey.x.hexadecimal)
    outcome.expect("public_y", wanted: try test.octets("public_y").hexadecimal, got: key.publicKey.y.hexadecimal)
  }

  static func playSharedSecret(_ test: JSONValue, _ pairs: [JSONValue], _ outcome: inout VectorOutcome) throws {
    func pair(_ field: String) throws -> P256PrivateKey {
      let name = try test.text(field)
      guard let entry = pairs.first(where: { $0["name"]?.string == name }) else { throw NotUnderstood(field) }
      return try keyPair(entry)
    }
    let (a, b) = (try pair("key_a"), try pair("key_b"))
    let wanted = try test.octets("dhkey").hexadecimal
    outcome.expect("dhkey", wanted: wanted, got: hex(a.sharedSecret(with: b.publicKey)))
    outcome.expect("dhkey the other way round", wanted: wanted, got: hex(b.sharedSecret(with: a.publicKey)))
  }

  static func playInvalidKey(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    let key = P256PublicKey(x: try test.octets("public_x"), y: try test.octets("public_y"))
    outcome.expect("refused", wanted: true, got: key == nil)
  }

  static func playResolution(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    let address = DeviceAddress(try test.number("address", width: 6), kind: .random)
    let resolver = IdentityResolver(irk: try test.key16("irk"))
    outcome.expect("resolves", wanted: try test.flag("resolves"), got: resolver.resolves(address))
  }

  static func playPacket(_ test: JSONValue, _ encryption: JSONValue, _ outcome: inout VectorOutcome) throws {
    let sessionKey = SecurityToolbox.e(
      key: try encryption.key16("ltk"), try encryption.block("skd_peripheral_central"))
    outcome.expect(
      "session key", wanted: try encryption.octets("session_key").hexadecimal, got: hex(sessionKey))
    let clear = try test.octets("clear_pdu")
    let encrypted = try test.octets("encrypted_pdu")
    let direction = try test.integer("direction_bit")
    guard clear.count >= 2, encrypted.count >= 2, (0...1).contains(direction),
      let counter = UInt64(exactly: try test.integer("packet_counter"))
    else { throw NotUnderstood("packet") }
    // Thirty-nine bits of counter and one of direction, then the initialization vector (Vol 6 Part E 2.1).
    var nonce = ByteWriter(capacity: AESCCM.nonceLength)
    nonce.append(counter | UInt64(direction) << 39, width: 5)
    nonce.append(contentsOf: try encryption.octets("iv_on_air_order"))
    guard nonce.count == AESCCM.nonceLength else { throw NotUnderstood("iv_on_air_order") }
    outcome.expect("nonce", wanted: try test.octets("nonce").hexadecimal, got: nonce.octets.hexadecimal)
    // Of the header only its first octet is checked, without the bits that retransmission changes.
    let additional = [clear[0] & 0xE3]
    let ccm = AESCCM(key: SecretKey(sessionKey))
    let sealed = ccm.seal(clear[2...], nonce: nonce.octets, additional: additional)
    let packet = [clear[0], UInt8(clamping: sealed.count)] + sealed
    outcome.expect("encrypted_pdu", wanted: encrypted.hexadecimal, got: packet.hexadecimal)
    let opened = ccm.open(encrypted[2...], nonce: nonce.octets, additional: [encrypted[0] & 0xE3])
    outcome.expect("clear_pdu", wanted: clear[2...].hexadecimal, got: opened?.hexadecimal)
  }

  private static func keyPair(_ entry: JSONValue) throws -> P256PrivateKey {
    guard let key = P256PrivateKey(scalar: try entry.key("private")) else { throw NotUnderstood("private") }
    return key
  }
}
