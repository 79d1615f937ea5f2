import BLECore
import BLECrypto

/// Plays `smp-vectors/1`: the functions of the toolbox, signatures, points, addresses, packets, and whole pairings.
enum SecurityManagerVectors {
  typealias NotUnderstood = AttributeVectors.NotUnderstood

  static func play(_ document: JSONValue) -> [VectorOutcome] {
    var outcomes: [VectorOutcome] = []
    func each(_ list: JSONValue?, _ kind: String, _ body: (JSONValue, inout VectorOutcome) throws -> Void) {
      for (index, test) in (list?.array ?? []).enumerated() {
        outcomes.append(play(test, "\(kind) \(index)", body))
      }
    }
    each(document["functions"], "function", playFunction)
    each(document["signed_write"]?["signatures"], "signature", playSignature)
    each(document["signed_write"]?["verifications"], "verification", playVerification)
    each(document["p256"]?["key_pairs"], "key pair", playKeyPair)
    let pairs = document["p256"]?["key_pairs"]?.array ?? []
    each(document["p256"]?["shared_secrets"], "shared secret") { try playSharedSecret($0, pairs, &$1) }
    each(document["p256"]?["invalid_public_keys"], "invalid public key", playInvalidKey)
    each(document["rpa_resolution"], "address resolution", playResolution)
    if let encryption = document["ll_encryption"] {
      each(encryption["packets"], "link-layer packet") { try playPacket($0, encryption, &$1) }
    }
    each(document["pairing_transcripts"], "pairing transcript", playTranscript)
    each(document["pairing_failures"], "pairing failure", playFailure)
    return outcomes
  }

  private static func play(
    _ test: JSONValue, _ fallback: String, _ body: (JSONValue, inout VectorOutcome) throws -> Void
  ) -> VectorOutcome {
    let name = test["name"]?.string ?? test["function"]?.string
    var outcome = VectorOutcome(name: name.map { "\(fallback) (\($0))" } ?? fallback)
    do {
      try body(test, &outcome)
    } catch let error as NotUnderstood {
      outcome.notUnderstood(error.what)
    } catch {
      outcome.failures.append("\(error)")
    }
    return outcome
  }
}

/// How values of the file are read.
extension JSONValue {
  /// A key of any length, most significant octet first.
  func key(_ name: String) throws -> SecretKey { SecretKey(mostSignificantFirst: try octets(name)) }

  /// A key of sixteen octets.
  func key16(_ name: String) throws -> SecretKey { SecretKey(try block(name)) }

  /// Sixteen octets, most significant first.
  func block(_ name: String) throws -> AESBlock {
    guard let block = AESBlock(mostSignificantFirst: try octets(name)) else { throw NotUnderstood(name) }
    return block
  }

  /// A number of `width` octets, most significant first.
  func number(_ name: String, width: Int) throws -> UInt64 {
    let octets = try octets(name)
    guard octets.count == width else { throw NotUnderstood(name) }
    return octets.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Six octets of address; its kind as a number in a field of its own.
  func address(_ name: String, kind: String) throws -> DeviceAddress {
    guard let kind = DeviceAddress.Kind(rawValue: UInt8(clamping: try integer(kind))) else {
      throw NotUnderstood(kind)
    }
    return DeviceAddress(try number(name, width: 6), kind: kind)
  }

  /// Seven octets: kind, then address.
  func typedAddress(_ name: String) throws -> DeviceAddress {
    let octets = try octets(name)
    guard octets.count == 7, let kind = DeviceAddress.Kind(rawValue: octets[0]) else { throw NotUnderstood(name) }
    return DeviceAddress(octets: octets.dropFirst().reversed(), kind: kind)
  }

  func text(_ name: String) throws -> String {
    guard let text = self[name]?.string else { throw NotUnderstood(name) }
    return text
  }

  func flag(_ name: String) throws -> Bool {
    guard let flag = self[name]?.boolean else { throw NotUnderstood(name) }
    return flag
  }
}
