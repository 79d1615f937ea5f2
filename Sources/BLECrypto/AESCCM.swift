import BLECore
import CLibcrypto

/// AES-CCM with one key, the encryption of links and advertising data (Core, Vol 6 Part E 2; RFC 3610). Holds the key schedule:
/// make one for each key and direction and reuse it. One loop only.
public final class AESCCM {
  /// The length of the nonce of links and advertising data, in octets.
  public static let nonceLength = 13

  private let sealing: OpaquePointer
  private let opening: OpaquePointer
  /// The length of the message integrity check in octets.
  public let checkLength: Int
  /// The length of the nonce in octets.
  public let nonceLength: Int

  /// - Parameters:
  ///   - key: sixteen octets; any other count is a programming error.
  ///   - checkLength: octets, 4 for links and advertising data.
  ///   - nonceLength: octets, 7 to 13; 13 for links and advertising data.
  public init(key: SecretKey, checkLength: Int = 4, nonceLength: Int = AESCCM.nonceLength) {
    precondition(key.count == AESBlock.octetCount, "AES-CCM takes a key of 16 octets")
    self.checkLength = checkLength
    self.nonceLength = nonceLength
    sealing = Libcrypto.made(EVP_CIPHER_CTX_new())
    opening = Libcrypto.made(EVP_CIPHER_CTX_new())
    for (context, encrypts) in [(sealing, CInt(1)), (opening, 0)] {
      Libcrypto.require(EVP_CipherInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil, encrypts))
      Libcrypto.require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, CInt(nonceLength), nil))
      Libcrypto.require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(checkLength), nil))
      Libcrypto.require(key.withOctets { EVP_CipherInit_ex(context, nil, nil, $0.baseAddress, nil, encrypts) })
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(sealing)
    EVP_CIPHER_CTX_free(opening)
  }

  /// Returns the encrypted message, followed by the message integrity check.
  ///
  /// - Parameters:
  ///   - nonce: of `nonceLength` octets; any other count is a programming error.
  ///   - additional: authenticated, but not encrypted.
  public func seal(
    _ message: ArraySlice<UInt8>, nonce: [UInt8], additional: [UInt8]
  ) -> [UInt8] {
    precondition(nonce.count == nonceLength, "AES-CCM takes a nonce of the length that it was made for")
    return nonce.withUnsafeBufferPointer { nonce in
      additional.withUnsafeBufferPointer { seal(message, nonce: nonce.baseAddress, additional: $0) }
    }
  }

  /// Returns the decrypted message; `nil` if the message integrity check is missing or invalid.
  public func open(_ sealed: ArraySlice<UInt8>, nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
    precondition(nonce.count == nonceLength, "AES-CCM takes a nonce of the length that it was made for")
    return nonce.withUnsafeBufferPointer { nonce in
      additional.withUnsafeBufferPointer { open(sealed, nonce: nonce.baseAddress, additional: $0) }
    }
  }

  // MARK: Without arrays

  /// `nonce` points at `nonceLength` octets.
  func seal(
    _ message: ArraySlice<UInt8>, nonce: UnsafePointer<UInt8>?, additional: UnsafeBufferPointer<UInt8>
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: message.count + checkLength) { sealed, count in
      let ready = begin(sealing, encrypts: 1, nonce: nonce, additional: additional, messageLength: message.count)
      Libcrypto.require(ready ? 1 : 0)
      let done = message.withUnsafeBufferPointer { Self.update(sealing, into: sealed.baseAddress, $0) }
      Libcrypto.require(done ? 1 : 0)
      let check = sealed.baseAddress.map { $0 + message.count }
      Libcrypto.require(EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, CInt(checkLength), check))
      count = message.count + checkLength
    }
  }

  /// `nonce` points at `nonceLength` octets.
  func open(
    _ sealed: ArraySlice<UInt8>, nonce: UnsafePointer<UInt8>?, additional: UnsafeBufferPointer<UInt8>
  ) -> [UInt8]? {
    guard sealed.count >= checkLength else { return nil }
    let length = sealed.count - checkLength
    var isAuthentic = false
    let opened = sealed.withUnsafeBufferPointer { sealed in
      [UInt8](unsafeUninitializedCapacity: length) { plain, count in
        // libcrypto takes the check by a mutable pointer, and only reads it.
        let check = sealed.baseAddress.map { UnsafeMutablePointer(mutating: $0 + length) }
        Libcrypto.require(EVP_CipherInit_ex(opening, nil, nil, nil, nil, 0))
        Libcrypto.require(EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, CInt(checkLength), check))
        isAuthentic =
          begin(opening, encrypts: 0, nonce: nonce, additional: additional, messageLength: length)
          && Self.update(opening, into: plain.baseAddress, UnsafeBufferPointer(rebasing: sealed.prefix(length)))
        count = isAuthentic ? length : 0
      }
    }
    return isAuthentic ? opened : nil
  }

  private func begin(
    _ context: OpaquePointer, encrypts: CInt, nonce: UnsafePointer<UInt8>?, additional: UnsafeBufferPointer<UInt8>,
    messageLength: Int
  ) -> Bool {
    var written: CInt = 0
    guard EVP_CipherInit_ex(context, nil, nil, nil, nonce, encrypts) == 1,
      EVP_CipherUpdate(context, nil, &written, nil, CInt(messageLength)) == 1
    else { return false }
    return additional.isEmpty
      || EVP_CipherUpdate(context, nil, &written, additional.baseAddress, CInt(additional.count)) == 1
  }

  private static func update(
    _ context: OpaquePointer, into target: UnsafeMutablePointer<UInt8>?, _ source: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var written: CInt = 0
    var nothing: UInt8 = 0
    return withUnsafeMutablePointer(to: &nothing) { spare in
      // A null pointer means "additional data" to libcrypto, so an empty message needs an address too.
      EVP_CipherUpdate(
        context, target ?? spare, &written, source.baseAddress ?? UnsafePointer(spare), CInt(source.count)) == 1
    }
  }
}
