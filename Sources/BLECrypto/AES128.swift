import BLECore
import CLibcrypto

/// The security function e: AES-128 of one block (Core, Vol 3 Part H 2.2.1).
///
/// Holds the key schedule: make one for each key and reuse it. One loop only.
public final class AES128 {
  private let context: OpaquePointer

  /// - Parameter key: sixteen octets; any other count is a programming error.
  public init(key: SecretKey) {
    precondition(key.count == AESBlock.octetCount, "AES-128 takes a key of 16 octets")
    context = Libcrypto.made(EVP_CIPHER_CTX_new())
    Libcrypto.require(
      key.withOctets { EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, $0.baseAddress, nil) })
    Libcrypto.require(EVP_CIPHER_CTX_set_padding(context, 0))
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  public func encrypt(_ block: AESBlock) -> AESBlock {
    var words = (block.high.bigEndian, block.low.bigEndian)
    withUnsafeMutableBytes(of: &words) { raw in
      let octets = raw.baseAddress?.assumingMemoryBound(to: UInt8.self)
      var written: CInt = 0
      Libcrypto.require(EVP_EncryptUpdate(context, octets, &written, octets, CInt(AESBlock.octetCount)))
    }
    return AESBlock(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
  }
}

/// The result codes of libcrypto. A failure of one of these calls does not depend on outside data: libcrypto is broken or out of
/// memory, and continuing with keys that were never made would be worse than stopping.
enum Libcrypto {
  static func require(_ answer: CInt, _ function: StaticString = #function) {
    precondition(answer == 1, "libcrypto refused in \(function)")
  }

  static func made<Pointer>(_ pointer: Pointer?, _ function: StaticString = #function) -> Pointer {
    guard let pointer else { preconditionFailure("libcrypto gave nothing in \(function)") }
    return pointer
  }
}
