import BLECore

/// The functions of the Security Manager under the specification's names (Core, Vol 3 Part H 2.2). All values are most
/// significant octet first, as the specification prints them.
public enum SecurityToolbox {
  /// The function e: AES-128 of one block.
  public static func e(key: SecretKey, _ plaintext: AESBlock) -> AESBlock {
    AES128(key: key).encrypt(plaintext)
  }

  /// The hash of a resolvable private address: 24 bits of `e` of 24 random bits (2.2.2).
  ///
  /// - Parameter key: e with the identity resolving key; made once, since every address on the air is tried with every key.
  public static func ah(_ key: AES128, _ r: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: key.encrypt(AESBlock(high: 0, low: UInt64(r & 0xFF_FFFF))).low & 0xFF_FFFF)
  }

  /// The confirm value of legacy pairing (2.2.3).
  ///
  /// - Parameters:
  ///   - k: the temporary key.
  ///   - preq: the seven octets of the Pairing Request, as on the air.
  ///   - pres: the seven octets of the Pairing Response, as on the air.
  ///   - ia: the initiator's address.
  ///   - ra: the responder's address.
  public static func c1(
    k: SecretKey, r: AESBlock, preq: ArraySlice<UInt8>, pres: ArraySlice<UInt8>, ia: DeviceAddress, ra: DeviceAddress
  ) -> AESBlock {
    var p1 = AESBlock.zero
    for octet in pres.reversed() { p1.shiftIn(octet) }
    for octet in preq.reversed() { p1.shiftIn(octet) }
    p1.shiftIn(ra.kind.rawValue)
    p1.shiftIn(ia.kind.rawValue)
    let p2 = AESBlock(high: ia.value >> 16, low: ia.value << 48 | ra.value)
    let cipher = AES128(key: k)
    return cipher.encrypt(cipher.encrypt(r ^ p1) ^ p2)
  }

  /// The short-term key of legacy pairing (2.2.4). `r1` is the responder's, `r2` the initiator's random value.
  public static func s1(k: SecretKey, r1: AESBlock, r2: AESBlock) -> SecretKey {
    SecretKey(e(key: k, AESBlock(high: r1.low, low: r2.low)))
  }

  /// The confirm value of Secure Connections (2.2.6). `u` and `v` are x coordinates of public keys, thirty-two octets each.
  public static func f4(u: [UInt8], v: [UInt8], x: AESBlock, z: UInt8) -> AESBlock {
    var code = AESCMAC.Accumulator(AESCMAC(key: SecretKey(x)))
    code.append(contentsOf: u)
    code.append(contentsOf: v)
    code.append(z)
    return code.finish()
  }

  /// The keys of Secure Connections (2.2.7). `w` is the DHKey; 1 is the initiator's, 2 the responder's.
  public static func f5(
    w: SecretKey, n1: AESBlock, n2: AESBlock, a1: DeviceAddress, a2: DeviceAddress
  ) -> (macKey: SecretKey, ltk: SecretKey) {
    let salt = AESBlock(high: 0x6C88_8391_AAF5_A538, low: 0x6037_0BDB_5A60_83BE)
    let t = AESCMAC(key: SecretKey(w.withOctets { AESCMAC(key: SecretKey(salt)).code($0) }))
    func key(_ counter: UInt8) -> SecretKey {
      var code = AESCMAC.Accumulator(t)
      code.append(counter)
      code.append(contentsOf: [0x62, 0x74, 0x6C, 0x65])
      code.append(contentsOf: n1.mostSignificantFirst)
      code.append(contentsOf: n2.mostSignificantFirst)
      code.append(address: a1)
      code.append(address: a2)
      code.append(contentsOf: [0x01, 0x00])
      return SecretKey(code.finish())
    }
    return (key(0), key(1))
  }

  /// The DHKey check (2.2.8).
  ///
  /// - Parameters:
  ///   - w: the MacKey.
  ///   - ioCap: AuthReq, OOB data flag, IO capability, in this order.
  public static func f6(
    w: SecretKey, n1: AESBlock, n2: AESBlock, r: AESBlock, ioCap: (UInt8, UInt8, UInt8), a1: DeviceAddress,
    a2: DeviceAddress
  ) -> AESBlock {
    var code = AESCMAC.Accumulator(AESCMAC(key: w))
    code.append(contentsOf: n1.mostSignificantFirst)
    code.append(contentsOf: n2.mostSignificantFirst)
    code.append(contentsOf: r.mostSignificantFirst)
    code.append(contentsOf: [ioCap.0, ioCap.1, ioCap.2])
    code.append(address: a1)
    code.append(address: a2)
    return code.finish()
  }

  /// The number for numeric comparison (2.2.9): 32 bits, shown to users as six decimal digits.
  public static func g2(u: [UInt8], v: [UInt8], x: AESBlock, y: AESBlock) -> UInt32 {
    var code = AESCMAC.Accumulator(AESCMAC(key: SecretKey(x)))
    code.append(contentsOf: u)
    code.append(contentsOf: v)
    code.append(contentsOf: y.mostSignificantFirst)
    return UInt32(truncatingIfNeeded: code.finish().low)
  }

  /// The six digits of a number from `g2`, 0 to 999,999.
  public static func sixDigits(_ number: UInt32) -> UInt32 { number % 1_000_000 }

  /// Derives a key from another (2.2.10).
  public static func h6(w: SecretKey, keyID: UInt32) -> SecretKey {
    SecretKey(AESCMAC(key: w).code(octets(keyID)))
  }

  /// Derives a key from another (2.2.11).
  public static func h7(salt: AESBlock, w: SecretKey) -> SecretKey {
    SecretKey(w.withOctets { AESCMAC(key: SecretKey(salt)).code($0) })
  }

  /// Derives a key from another (Core, Vol 6 Part E 1.1.1).
  public static func h8(k: SecretKey, s: AESBlock, keyID: UInt32) -> SecretKey {
    let intermediate = k.withOctets { AESCMAC(key: SecretKey(s)).code($0) }
    return SecretKey(AESCMAC(key: SecretKey(intermediate)).code(octets(keyID)))
  }

  private static func octets(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

extension AESCMAC.Accumulator {
  /// Appends seven octets: the type, then the address, most significant octet first.
  fileprivate mutating func append(address: DeviceAddress) {
    append(address.kind.rawValue)
    for shift in stride(from: 40, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: address.value >> UInt64(shift)))
    }
  }
}
