#if os(Linux)
  import BLESession
  import CLibcrypto
  import Foundation

  extension Library {
    static func aes128(
      _ mode: BlockMode, _ direction: CipherDirection, key: Data, initial: Data, _ data: Data
    ) throws(CryptographyError) -> Data {
      let cipher =
        switch mode {
        case .electronicCodebook: EVP_aes_128_ecb()
        case .blockChaining: EVP_aes_128_cbc()
        case .counter: EVP_aes_128_ctr()
        }
      guard let context = EVP_CIPHER_CTX_new() else { throw .library }
      defer { EVP_CIPHER_CTX_free(context) }
      var result = [UInt8](repeating: 0, count: data.count + 16)
      var (length, rest) = (Int32(0), Int32(0))
      guard
        EVP_CipherInit_ex(context, cipher, nil, Array(key), Array(initial), direction == .encrypt ? 1 : 0) == 1,
        EVP_CIPHER_CTX_set_padding(context, 0) == 1,
        EVP_CipherUpdate(context, &result, &length, Array(data), Int32(data.count)) == 1,
        result.withUnsafeMutableBufferPointer({ result in
          guard let start = result.baseAddress else { return Int32(0) }
          return EVP_CipherFinal_ex(context, start + Int(length), &rest)
        }) == 1
      else { throw .library }
      return Data(result.prefix(Int(length + rest)))
    }

    /// HMAC with SHA-256 (RFC 2104).
    static func authenticationCode(_ key: Data, _ data: Data) throws(CryptographyError) -> Data {
      var code = [UInt8](repeating: 0, count: 32)
      var length = 0
      guard
        EVP_Q_mac(
          nil, "HMAC", nil, "SHA256", nil, Array(key), key.count, Array(data), data.count, &code, code.count, &length)
          != nil, length == 32
      else { throw .library }
      return Data(code)
    }

    static func galoisSeal(
      _ data: Data, key: Data, nonce: Data, authenticating: Data
    ) throws(CryptographyError) -> Data {
      guard let context = EVP_CIPHER_CTX_new() else { throw .library }
      defer { EVP_CIPHER_CTX_free(context) }
      var result = [UInt8](repeating: 0, count: data.count + 16)
      var tag = [UInt8](repeating: 0, count: 16)
      var length: Int32 = 0
      guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, Array(key), Array(nonce)) == 1,
        EVP_EncryptUpdate(context, nil, &length, Array(authenticating), Int32(authenticating.count)) == 1,
        EVP_EncryptUpdate(context, &result, &length, Array(data), Int32(data.count)) == 1
      else { throw .library }
      let count = Int(length)
      var unused = [UInt8](repeating: 0, count: 16)
      guard EVP_EncryptFinal_ex(context, &unused, &length) == 1,
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
      else { throw .library }
      return Data(result.prefix(count) + tag)
    }

    static func galoisOpen(
      _ sealed: Data, key: Data, nonce: Data, authenticating: Data
    ) throws(CryptographyError) -> Data {
      guard let context = EVP_CIPHER_CTX_new() else { throw .library }
      defer { EVP_CIPHER_CTX_free(context) }
      let data = Array(sealed.dropLast(16))
      var tag = Array(sealed.suffix(16))
      var result = [UInt8](repeating: 0, count: data.count + 16)
      var length: Int32 = 0
      guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, Array(key), Array(nonce)) == 1,
        EVP_DecryptUpdate(context, nil, &length, Array(authenticating), Int32(authenticating.count)) == 1,
        EVP_DecryptUpdate(context, &result, &length, data, Int32(data.count)) == 1
      else { throw .library }
      let count = Int(length)
      var unused = [UInt8](repeating: 0, count: 16)
      guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1 else { throw .library }
      guard EVP_DecryptFinal_ex(context, &unused, &length) == 1 else { throw .notAuthentic }
      return Data(result.prefix(count))
    }

    static func makeAgreementKey() throws(CryptographyError) -> any AgreementKey {
      guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, nil) else { throw .library }
      defer { EVP_PKEY_CTX_free(context) }
      var key: OpaquePointer?
      guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1, let key else { throw .library }
      return try LibcryptoAgreementKey(owning: key)
    }

    /// The key pair of a private key of 32 octets, for known-answer tests.
    static func agreementKey(privateKey: Data) throws(CryptographyError) -> any AgreementKey {
      guard privateKey.count == 32,
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, Array(privateKey), 32)
      else { throw .length }
      return try LibcryptoAgreementKey(owning: key)
    }
  }

  /// `@unchecked Sendable`: the key is immutable after it was made, and libcrypto counts its references atomically.
  private final class LibcryptoAgreementKey: AgreementKey, @unchecked Sendable {
    let publicKey: Data
    private let key: OpaquePointer

    init(owning key: OpaquePointer) throws(CryptographyError) {
      self.key = key
      var octets = [UInt8](repeating: 0, count: 32)
      var length = 32
      let isThere = EVP_PKEY_get_raw_public_key(key, &octets, &length) == 1
      publicKey = Data(octets)
      guard isThere, length == 32 else { throw .library }
    }

    deinit { EVP_PKEY_free(key) }

    func agree(with peer: Data) throws(CryptographyError) -> Data {
      guard peer.count == 32, let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, Array(peer), 32) else {
        throw .publicKey
      }
      defer { EVP_PKEY_free(other) }
      guard let context = EVP_PKEY_CTX_new(key, nil) else { throw .library }
      defer { EVP_PKEY_CTX_free(context) }
      var secret = [UInt8](repeating: 0, count: 32)
      var length = 32
      // libcrypto rejects points of small order, whose shared secret would be all zeros.
      guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
        EVP_PKEY_derive(context, &secret, &length) == 1, length == 32, secret.contains(where: { $0 != 0 })
      else { throw .publicKey }
      return Data(secret)
    }
  }
#endif
