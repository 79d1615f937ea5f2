import BLESession
import Foundation

/// The system's cryptography: CryptoKit and CommonCrypto on Apple's systems, libcrypto on Linux.
public struct SystemCryptography: SessionCryptography {
  /// The system's cryptography.
  public init() {}

  public func randomOctets(_ count: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<max(0, count)).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  public func aes(
    _ mode: AESMode, _ direction: CipherDirection, key: Data, _ data: Data
  ) throws(CryptographyError) -> Data {
    guard key.count == 16 else { throw .length }
    switch mode {
    case .electronicCodebook:
      guard data.count.isMultiple(of: 16) else { throw .length }
      return try Library.aes128(.electronicCodebook, direction, key: key, initial: Data(), data)
    case .blockChaining(let initial):
      guard data.count.isMultiple(of: 16), initial.count == 16 else { throw .length }
      return try Library.aes128(.blockChaining, direction, key: key, initial: initial, data)
    case .counter(let initial):
      guard initial.count == 16 else { throw .length }
      return try Library.aes128(.counter, .encrypt, key: key, initial: initial, data)
    case .counterWithChecksum(let nonce, let authenticated, let tagLength):
      guard (7...13).contains(nonce.count), (4...16).contains(tagLength), tagLength.isMultiple(of: 2) else {
        throw .length
      }
      let checksum = CounterWithChecksum(key: key, nonce: nonce, authenticated: authenticated, tagLength: tagLength)
      return try direction == .encrypt ? checksum.seal(data) : checksum.open(data)
    }
  }

  public func makeAgreementKey() throws(CryptographyError) -> any AgreementKey { try Library.makeAgreementKey() }

  public func deriveKey(
    secret: Data, salt: Data, info: Data, count: Int
  ) throws(CryptographyError) -> Data {
    guard (0...255 * 32).contains(count) else { throw .length }
    // RFC 5869: extract, then expand block by block.
    let extracted = try Library.authenticationCode(salt.isEmpty ? Data(count: 32) : salt, secret)
    var (key, block) = (Data(), Data())
    var number: UInt8 = 0
    while key.count < count {
      number += 1
      block = try Library.authenticationCode(extracted, block + info + [number])
      key += block
    }
    return Data(key.prefix(count))
  }

  public func seal(
    _ data: Data, key: Data, nonce: Data, authenticating: Data
  ) throws(CryptographyError) -> Data {
    guard key.count == 32, nonce.count == 12 else { throw .length }
    return try Library.galoisSeal(data, key: key, nonce: nonce, authenticating: authenticating)
  }

  public func open(
    _ sealed: Data, key: Data, nonce: Data, authenticating: Data
  ) throws(CryptographyError) -> Data {
    guard key.count == 32, nonce.count == 12 else { throw .length }
    guard sealed.count >= 16 else { throw .notAuthentic }
    return try Library.galoisOpen(sealed, key: key, nonce: nonce, authenticating: authenticating)
  }
}

/// The operations of the system's library, implemented for each system.
enum Library {
  enum BlockMode {
    case electronicCodebook, blockChaining, counter
  }
}
