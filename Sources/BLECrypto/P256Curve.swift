import BLECore
import CLibcrypto

/// The arithmetic of P-256, from libcrypto.
enum P256Curve {
  // `@unchecked Sendable`: written once, then only read; libcrypto does not change a group that is passed as const.
  private struct Constants: @unchecked Sendable {
    let group: OpaquePointer
    let prime: OpaquePointer
  }

  private static let constants: Constants = {
    let group = Libcrypto.made(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
    let prime = Libcrypto.made(BN_new())
    Libcrypto.require(EC_GROUP_get_curve(group, prime, nil, nil, nil))
    return Constants(group: group, prime: prime)
  }()

  static func isOnCurve(x: [UInt8], y: [UInt8]) -> Bool {
    point(x: x, y: y) { _, _ in true } ?? false
  }

  static func publicKey(of scalar: SecretKey) -> P256PublicKey? {
    withNumber(scalar) { number in
      guard BN_is_zero(number) == 0, let order = EC_GROUP_get0_order(constants.group), BN_cmp(number, order) < 0
      else { return nil }
      return withPoint { result, scratch in
        Libcrypto.require(EC_POINT_mul(constants.group, result, number, nil, nil, scratch))
        let (x, y) = coordinates(result, scratch)
        defer { BN_free(x); BN_free(y) }
        return P256PublicKey(checkedX: octets(x), y: octets(y))
      }
    }
  }

  static func sharedSecret(_ scalar: SecretKey, _ peer: P256PublicKey) -> SecretKey {
    let secret: SecretKey? = withNumber(scalar) { number in
      point(x: peer.x, y: peer.y) { point, scratch in
        withPoint { result, _ in
          Libcrypto.require(EC_POINT_mul(constants.group, result, nil, point, number, scratch))
          let (x, y) = coordinates(result, scratch)
          defer { BN_clear_free(x); BN_clear_free(y) }
          var shared = octets(x)
          defer { OPENSSL_cleanse(&shared, shared.count) }
          return SecretKey(mostSignificantFirst: shared)
        }
      }
    }
    // The order of the curve is prime: a checked point times a scalar below the order is never infinity.
    return Libcrypto.made(secret)
  }

  /// Calls `body` with the point; `nil` if the coordinates are not a point.
  private static func point<Result>(
    x: [UInt8], y: [UInt8], _ body: (OpaquePointer, OpaquePointer) -> Result
  ) -> Result? {
    let abscissa = Libcrypto.made(BN_bin2bn(x, CInt(x.count), nil))
    let ordinate = Libcrypto.made(BN_bin2bn(y, CInt(y.count), nil))
    defer { BN_free(abscissa); BN_free(ordinate) }
    guard BN_cmp(abscissa, constants.prime) < 0, BN_cmp(ordinate, constants.prime) < 0 else { return nil }
    return withPoint { point, scratch in
      // Checks that the point lies on the curve, and appends to libcrypto's error queue if it does not.
      guard EC_POINT_set_affine_coordinates(constants.group, point, abscissa, ordinate, scratch) == 1 else {
        ERR_clear_error()
        return nil
      }
      guard EC_POINT_is_on_curve(constants.group, point, scratch) == 1 else { return nil }
      return body(point, scratch)
    }
  }

  private static func withPoint<Result>(_ body: (OpaquePointer, OpaquePointer) -> Result) -> Result {
    let point = Libcrypto.made(EC_POINT_new(constants.group))
    let scratch = Libcrypto.made(BN_CTX_new())
    defer {
      EC_POINT_clear_free(point)
      BN_CTX_free(scratch)
    }
    return body(point, scratch)
  }

  private static func withNumber<Result>(_ scalar: SecretKey, _ body: (OpaquePointer) -> Result) -> Result {
    let number = Libcrypto.made(scalar.withOctets { BN_bin2bn($0.baseAddress, CInt($0.count), nil) })
    BN_set_flags(number, BN_FLG_CONSTTIME)
    defer { BN_clear_free(number) }
    return body(number)
  }

  private static func coordinates(_ point: OpaquePointer, _ scratch: OpaquePointer) -> (OpaquePointer, OpaquePointer) {
    let x = Libcrypto.made(BN_new())
    let y = Libcrypto.made(BN_new())
    Libcrypto.require(EC_POINT_get_affine_coordinates(constants.group, point, x, y, scratch))
    return (x, y)
  }

  /// Thirty-two octets, most significant first.
  private static func octets(_ number: OpaquePointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      Libcrypto.require(BN_bn2binpad(number, buffer.baseAddress, 32) == 32 ? 1 : 0)
      count = 32
    }
  }
}
