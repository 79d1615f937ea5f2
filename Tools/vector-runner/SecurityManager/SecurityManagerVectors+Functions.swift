import BLECore
import BLECrypto

/// The functions. Each answers octets in lower-case hexadecimal, or several by their names in the file.
extension SecurityManagerVectors {
  static func playFunction(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    guard let inputs = test["inputs"], let wanted = test["output"] else { throw NotUnderstood("inputs, output") }
    let results = try results(of: try test.text("function"), inputs)
    switch wanted {
    case .string(let text): outcome.expect("output", wanted: text.lowercased(), got: results["output"] ?? "nothing")
    case .object(let named):
      if named.isEmpty { throw NotUnderstood("output") }
      for (name, value) in named.sorted(by: { $0.key < $1.key }) {
        guard let text = value.string, let got = results[name] else { throw NotUnderstood("output.\(name)") }
        outcome.expect(name, wanted: text.lowercased(), got: got)
      }
    default: throw NotUnderstood("output")
    }
  }

  private static func results(of function: String, _ inputs: JSONValue) throws -> [String: String] {
    switch function {
    case "e (AES-128 block)":
      return one(SecurityToolbox.e(key: try inputs.key16("key"), try inputs.block("plaintext")))
    case "aes-cmac": return one(AESCMAC(key: try inputs.key16("key")).code(try inputs.octets("message")))
    case "aes-cmac-subkeys":
      let key = try inputs.key16("key")
      let subkeys = AESCMAC(key: key).subkeys
      return [
        "aes_of_zero": hex(AES128(key: key).encrypt(.zero)), "k1": hex(subkeys.k1), "k2": hex(subkeys.k2),
      ]
    case "gatt-database-hash": return one(AESCMAC(key: SecretKey(.zero)).code(try inputs.octets("m")))
    case "c1":
      return one(
        SecurityToolbox.c1(
          k: try inputs.key16("k"), r: try inputs.block("r"), preq: try inputs.octets("preq").reversed()[...],
          pres: try inputs.octets("pres").reversed()[...], ia: try inputs.address("ia", kind: "iat"),
          ra: try inputs.address("ra", kind: "rat")))
    case "s1":
      return one(
        SecurityToolbox.s1(k: try inputs.key16("k"), r1: try inputs.block("r1"), r2: try inputs.block("r2")))
    case "f4":
      return one(
        SecurityToolbox.f4(
          u: try inputs.octets("u"), v: try inputs.octets("v"), x: try inputs.block("x"),
          z: UInt8(truncatingIfNeeded: try inputs.number("z", width: 1))))
    case "f5":
      let keys = SecurityToolbox.f5(
        w: try inputs.key("w"), n1: try inputs.block("n1"), n2: try inputs.block("n2"),
        a1: try inputs.typedAddress("a1"), a2: try inputs.typedAddress("a2"))
      return ["mackey": hex(keys.macKey), "ltk": hex(keys.ltk)]
    case "f6":
      let capability = try inputs.octets("io_cap")
      guard capability.count == 3 else { throw NotUnderstood("io_cap") }
      return one(
        SecurityToolbox.f6(
          w: try inputs.key16("w"), n1: try inputs.block("n1"), n2: try inputs.block("n2"),
          r: try inputs.block("r"), ioCap: (capability[0], capability[1], capability[2]),
          a1: try inputs.typedAddress("a1"), a2: try inputs.typedAddress("a2")))
    case "g2":
      let number = SecurityToolbox.g2(
        u: try inputs.octets("u"), v: try inputs.octets("v"), x: try inputs.block("x"), y: try inputs.block("y"))
      let digits = String(SecurityToolbox.sixDigits(number))
      return [
        "value": hex(UInt64(number), width: 4),
        "six_digits": String(repeating: "0", count: 6 - digits.count) + digits,
      ]
    case "ah", "csip-sih":
      let hash = SecurityToolbox.ah(
        AES128(key: try inputs.key16("k")), UInt32(truncatingIfNeeded: try inputs.number("r", width: 3)))
      return ["output": hex(UInt64(hash), width: 3)]
    default: return try derivedKeys(of: function, inputs)
    }
  }

  /// Keys made of keys, some by combining functions of the toolbox as other specifications do.
  private static func derivedKeys(of function: String, _ inputs: JSONValue) throws -> [String: String] {
    switch function {
    case "h6":
      return one(
        SecurityToolbox.h6(
          w: try inputs.key16("w"), keyID: UInt32(truncatingIfNeeded: try inputs.number("key_id", width: 4))))
    case "h7": return one(SecurityToolbox.h7(salt: try inputs.block("salt"), w: try inputs.key16("w")))
    case "h8":
      return one(
        SecurityToolbox.h8(
          k: try inputs.key16("k"), s: try inputs.block("s"),
          keyID: UInt32(truncatingIfNeeded: try inputs.number("key_id", width: 4))))
    case "ltk-to-link-key": return one(try converted(inputs, "ltk", "tmp1", "lebr"))
    case "link-key-to-ltk": return one(try converted(inputs, "link_key", "tmp2", "brle"))
    case "csip-s1": return one(salt(try inputs.text("m_ascii")))
    case "csip-k1":
      return one(k1(try inputs.octets("n"), salt: try inputs.block("salt"), try inputs.text("p_ascii")))
    case "csip-sef":
      return one(k1(try inputs.octets("k"), salt: salt("SIRKenc"), "csis") ^ (try inputs.block("sirk")))
    case "big-group-session-key":
      let first = SecurityToolbox.h7(
        salt: AESBlock(high: 0, low: UInt64(identifier("BIG1"))), w: try inputs.key16("broadcast_code"))
      let second = SecurityToolbox.h6(w: first, keyID: identifier("BIG2"))
      let third = SecurityToolbox.h8(k: second, s: try inputs.block("gskd"), keyID: identifier("BIG3"))
      return ["igltk": hex(first), "gltk": hex(second), "gsk": hex(third)]
    default: throw NotUnderstood("function \(function)")
    }
  }

  private static func converted(
    _ inputs: JSONValue, _ name: String, _ first: String, _ second: String
  ) throws -> SecretKey {
    let key = try inputs.key16(name)
    let intermediate =
      try inputs.flag("ct2")
      ? SecurityToolbox.h7(salt: AESBlock(high: 0, low: UInt64(identifier(first))), w: key)
      : SecurityToolbox.h6(w: key, keyID: identifier(first))
    return SecurityToolbox.h6(w: intermediate, keyID: identifier(second))
  }

  private static func salt(_ text: String) -> AESBlock { AESCMAC(key: SecretKey(.zero)).code(Array(text.utf8)) }

  private static func k1(_ n: [UInt8], salt: AESBlock, _ text: String) -> AESBlock {
    AESCMAC(key: SecretKey(AESCMAC(key: SecretKey(salt)).code(n))).code(Array(text.utf8))
  }

  /// Four letters as a number.
  private static func identifier(_ text: String) -> UInt32 { text.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

  private static func one(_ block: AESBlock) -> [String: String] { ["output": hex(block)] }
  private static func one(_ key: SecretKey) -> [String: String] { ["output": hex(key)] }
  static func hex(_ block: AESBlock) -> String { block.mostSignificantFirst.hexadecimal }
  static func hex(_ key: SecretKey) -> String { key.revealMostSignificantFirst().hexadecimal }
  private static func hex(_ number: UInt64, width: Int) -> String {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }.hexadecimal
  }
}
