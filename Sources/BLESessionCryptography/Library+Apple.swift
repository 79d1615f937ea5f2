#if canImport(CryptoKit)
  import BLESession
  import CommonCrypto
  import CryptoKit
  import Foundation

  extension Library {
    static func aes128(
      _ mode: BlockMode, _ direction: CipherDirection, key: Data, initial: Data, _ data: Data
    ) throws(CryptographyError) -> Data {
      let cipher = CCMode(
        switch mode {
        case .electronicCodebook: kCCModeECB
        case .blockChaining: kCCModeCBC
        case .counter: kCCModeCTR
        })
      var cryptor: CCCryptorRef?
      let operation = CCOperation(direction == .encrypt ? kCCEncrypt : kCCDecrypt)
      let made = CCCryptorCreateWithMode(
        operation, cipher, CCAlgorithm(kCCAlgorithmAES), CCPadding(ccNoPadding), initial.isEmpty ? nil : Array(initial),
        Array(key), key.count, nil, 0, 0, CCModeOptions(kCCModeOptionCTR_BE), &cryptor)
      guard made == kCCSuccess, let cryptor else { throw .library }
      defer { CCCryptorRelease(cryptor) }
      var result = [UInt8](repeating: 0, count: data.count + 16)
      var count = 0
      guard CCCryptorUpdate(cryptor, Array(data), data.count, &result, result.count, &count) == kCCSuccess else {
        throw .library
      }
      return Data(result.prefix(count))
    }

    static func authenticationCode(_ key: Data, _ data: Data) throws(CryptographyError) -> Data {
      Data(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
    }

    static func galoisSeal(
      _ data: Data, key: Data, nonce: Data, authenticating: Data
    ) throws(CryptographyError) -> Data {
      do {
        let box = try AES.GCM.seal(
          data, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce), authenticating: authenticating)
        return box.ciphertext + box.tag
      } catch { throw .library }
    }

    static func galoisOpen(
      _ sealed: Data, key: Data, nonce: Data, authenticating: Data
    ) throws(CryptographyError) -> Data {
      do {
        let box = try AES.GCM.SealedBox(
          nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
        return try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: authenticating)
      } catch { throw .notAuthentic }
    }

    static func makeAgreementKey() throws(CryptographyError) -> any AgreementKey {
      CryptoKitAgreementKey(key: Curve25519.KeyAgreement.PrivateKey())
    }

    /// The key pair of a private key of 32 octets, for known-answer tests.
    static func agreementKey(privateKey: Data) throws(CryptographyError) -> any AgreementKey {
      do {
        return CryptoKitAgreementKey(key: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey))
      } catch { throw .length }
    }
  }

  private struct CryptoKitAgreementKey: AgreementKey {
    let key: Curve25519.KeyAgreement.PrivateKey

    var publicKey: Data { key.publicKey.rawRepresentation }

    func agree(with peer: Data) throws(CryptographyError) -> Data {
      do {
        let other = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: peer)
        let secret = try key.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { Data($0) }
        guard secret.contains(where: { $0 != 0 }) else { throw CryptographyError.publicKey }
        return secret
      } catch { throw .publicKey }
    }
  }
#endif
