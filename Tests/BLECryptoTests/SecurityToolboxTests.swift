import BLECore
import BLECrypto
import Testing

@Suite
struct SecurityToolboxTests {
  @Test("e agrees with the sample data")
  func eAgreesWithTheSampleData() throws {
    for sample in try SampleData.functions("e") {
      let block = SecurityToolbox.e(key: try sample.key("key"), try sample.block("plaintext"))
      #expect(try block.mostSignificantFirst == sample.output())
    }
  }

  @Test("CMAC and its subkeys agree with the sample data")
  func cmacAndItsSubkeysAgreeWithTheSampleData() throws {
    for sample in try SampleData.functions("aes-cmac-subkeys") {
      let cmac = AESCMAC(key: try sample.key("key"))
      #expect(try cmac.subkeys.k1.mostSignificantFirst == sample.output("k1"))
      #expect(try cmac.subkeys.k2.mostSignificantFirst == sample.output("k2"))
    }
    for sample in try SampleData.functions("aes-cmac") {
      let code = AESCMAC(key: try sample.key("key")).code(try sample.octets("message"))
      #expect(try code.mostSignificantFirst == sample.output())
    }
  }

  @Test("c1 and s1 agree with the sample data")
  func c1AndS1AgreeWithTheSampleData() throws {
    for sample in try SampleData.functions("c1") {
      let value = SecurityToolbox.c1(
        k: try sample.key("k"), r: try sample.block("r"), preq: try sample.octets("preq").reversed()[...],
        pres: try sample.octets("pres").reversed()[...], ia: try sample.address("ia", kindIn: "iat"),
        ra: try sample.address("ra", kindIn: "rat"))
      #expect(try value.mostSignificantFirst == sample.output())
    }
    for sample in try SampleData.functions("s1") {
      let key = SecurityToolbox.s1(k: try sample.key("k"), r1: try sample.block("r1"), r2: try sample.block("r2"))
      #expect(try key.revealMostSignificantFirst() == sample.output())
    }
  }

  @Test("f4, f5, f6 and g2 agree with the sample data")
  func f4F5F6AndG2AgreeWithTheSampleData() throws {
    for sample in try SampleData.functions("f4") {
      let value = SecurityToolbox.f4(
        u: try sample.octets("u"), v: try sample.octets("v"), x: try sample.block("x"), z: try sample.octets("z")[0])
      #expect(try value.mostSignificantFirst == sample.output())
    }
    for sample in try SampleData.functions("f5") {
      let keys = SecurityToolbox.f5(
        w: try sample.key("w"), n1: try sample.block("n1"), n2: try sample.block("n2"), a1: try sample.address("a1"),
        a2: try sample.address("a2"))
      #expect(try keys.macKey.revealMostSignificantFirst() == sample.output("mackey"))
      #expect(try keys.ltk.revealMostSignificantFirst() == sample.output("ltk"))
    }
    for sample in try SampleData.functions("f6") {
      let io = try sample.octets("io_cap")
      let value = SecurityToolbox.f6(
        w: try sample.key("w"), n1: try sample.block("n1"), n2: try sample.block("n2"), r: try sample.block("r"),
        ioCap: (io[0], io[1], io[2]), a1: try sample.address("a1"), a2: try sample.address("a2"))
      #expect(try value.mostSignificantFirst == sample.output())
    }
    for sample in try SampleData.functions("g2") {
      let number = SecurityToolbox.g2(
        u: try sample.octets("u"), v: try sample.octets("v"), x: try sample.block("x"), y: try sample.block("y"))
      #expect(try number == sample.output("value").reduce(0) { $0 << 8 | UInt32($1) })
      let digits = try #require((sample.output as? [String: Any])?["six_digits"] as? String)
      #expect(UInt32(digits) == SecurityToolbox.sixDigits(number))
    }
  }

  @Test("h6, h7 and h8 agree with the sample data")
  func h6H7AndH8AgreeWithTheSampleData() throws {
    for sample in try SampleData.functions("h6") {
      let key = SecurityToolbox.h6(w: try sample.key("w"), keyID: try sample.number("key_id"))
      #expect(try key.revealMostSignificantFirst() == sample.output())
    }
    for sample in try SampleData.functions("h7") {
      let key = SecurityToolbox.h7(salt: try sample.block("salt"), w: try sample.key("w"))
      #expect(try key.revealMostSignificantFirst() == sample.output())
    }
    for sample in try SampleData.functions("h8") {
      let key = SecurityToolbox.h8(k: try sample.key("k"), s: try sample.block("s"), keyID: try sample.number("key_id"))
      #expect(try key.revealMostSignificantFirst() == sample.output())
    }
  }

  @Test("ah agrees with the sample data", arguments: ["ah", "csip-sih"])
  func ahAgreesWithTheSampleData(name: String) throws {
    for sample in try SampleData.functions(name) {
      let hash = SecurityToolbox.ah(AES128(key: try sample.key("k")), try sample.number("r"))
      #expect(try hash == sample.output().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  @Test("a broadcast code becomes the sample's session key")
  func aBroadcastCodeBecomesTheSamplesSessionKey() throws {
    for sample in try SampleData.functions("big-group-session-key") {
      let igltk = SecurityToolbox.h7(
        salt: AESBlock(high: 0, low: 0x4249_4731), w: try sample.key("broadcast_code"))
      #expect(try igltk.revealMostSignificantFirst() == sample.output("igltk"))
      let gltk = SecurityToolbox.h6(w: igltk, keyID: 0x4249_4732)
      #expect(try gltk.revealMostSignificantFirst() == sample.output("gltk"))
      let gsk = SecurityToolbox.h8(k: gltk, s: try sample.block("gskd"), keyID: 0x4249_4733)
      #expect(try gsk.revealMostSignificantFirst() == sample.output("gsk"))
    }
  }

  @Test("keys across transports agree with the sample data")
  func keysAcrossTransportsAgreeWithTheSampleData() throws {
    let tmp1 = AESBlock(high: 0, low: 0x746D_7031)
    let tmp2 = AESBlock(high: 0, low: 0x746D_7032)
    for sample in try SampleData.functions("ltk-to-link-key") {
      let ltk = try sample.key("ltk")
      let usesH7 = try #require(sample.inputs["ct2"] as? Bool)
      let intermediate =
        usesH7 ? SecurityToolbox.h7(salt: tmp1, w: ltk) : SecurityToolbox.h6(w: ltk, keyID: 0x746D_7031)
      let key = SecurityToolbox.h6(w: intermediate, keyID: 0x6C65_6272)
      #expect(try key.revealMostSignificantFirst() == sample.output())
    }
    for sample in try SampleData.functions("link-key-to-ltk") {
      let linkKey = try sample.key("link_key")
      let usesH7 = try #require(sample.inputs["ct2"] as? Bool)
      let intermediate =
        usesH7 ? SecurityToolbox.h7(salt: tmp2, w: linkKey) : SecurityToolbox.h6(w: linkKey, keyID: 0x746D_7032)
      let key = SecurityToolbox.h6(w: intermediate, keyID: 0x6272_6C65)
      #expect(try key.revealMostSignificantFirst() == sample.output())
    }
  }

  @Test("the database hash is a CMAC with a key of zeros")
  func theDatabaseHashIsACMACWithAKey() throws {
    for sample in try SampleData.functions("gatt-database-hash") {
      let code = AESCMAC(key: SecretKey(.zero)).code(try sample.octets("m"))
      #expect(try code.mostSignificantFirst == sample.output())
    }
  }

  @Test("signatures agree with the sample data and are verified")
  func signaturesAgreeWithTheSampleDataAndAreVerified() throws {
    let section: [String: Any] = try SampleData.section("signed_write")
    for entry in try #require(section["signatures"] as? [[String: Any]]) {
      let sample = Sample(inputs: entry, output: entry["signature"] ?? "")
      let algorithm = SignatureAlgorithm(csrk: try sample.key("csrk_msb_first"))
      let message = try sample.octets("message_on_air_order")
      let counter = UInt32(try #require(entry["sign_counter"] as? Int))
      #expect(try algorithm.signature(of: message, signCounter: counter) == sample.output())
      #expect(try algorithm.verify(message[...] + sample.output()) == counter)
    }
    for entry in try #require(section["verifications"] as? [[String: Any]]) {
      let sample = Sample(inputs: entry, output: "")
      let algorithm = SignatureAlgorithm(csrk: try sample.key("csrk_msb_first"))
      let isValid = try #require(entry["valid"] as? Bool)
      #expect(try (algorithm.verify(sample.octets("pdu")[...]) != nil) == isValid)
    }
  }

  @Test("private addresses are resolved as the sample data says")
  func privateAddressesAreResolvedAsTheSampleDataSays() throws {
    let entries: [[String: Any]] = try SampleData.section("rpa_resolution")
    #expect(!entries.isEmpty)
    for entry in entries {
      let sample = Sample(inputs: entry, output: "")
      let value = try sample.octets("address").reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let resolver = IdentityResolver(irk: try sample.key("irk"))
      let resolves = try #require(entry["resolves"] as? Bool)
      #expect(resolver.resolves(DeviceAddress(value, kind: .random)) == resolves)
    }
  }

  @Test("packets of an encrypted link agree with the sample data")
  func packetsOfAnEncryptedLinkAgreeWithTheSampleData() throws {
    let section: [String: Any] = try SampleData.section("ll_encryption")
    let link = Sample(inputs: section, output: "")
    let sessionKey = SecurityToolbox.e(key: try link.key("ltk"), try link.block("skd_peripheral_central"))
    #expect(try sessionKey == link.block("session_key"))
    let ccm = AESCCM(key: SecretKey(sessionKey))
    for entry in try #require(section["packets"] as? [[String: Any]]) {
      let packet = Sample(inputs: entry, output: "")
      let clear = try packet.octets("clear_pdu")
      let encrypted = try packet.octets("encrypted_pdu")
      let nonce = try packet.octets("nonce")
      let header = [clear[0] & 0xE3]
      #expect(ccm.seal(clear.dropFirst(2), nonce: nonce, additional: header) == Array(encrypted.dropFirst(2)))
      #expect(ccm.open(encrypted.dropFirst(2), nonce: nonce, additional: header) == Array(clear.dropFirst(2)))
    }
  }
}
