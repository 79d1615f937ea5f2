import CoreBluetooth

/// AES-128 with a fixed key, as vendors' documents specify it.
public struct CipherCodec: ValueCodec {
  private let cryptography: any SessionCryptography
  private let key: Data
  private let mode: AESMode
  /// Whether contents are padded to whole blocks (PKCS#7), as vendors do with block modes.
  private let pads: Bool

  /// - Throws: `CryptographyError.length` if the key does not have 16 octets.
  public init(
    cryptography: any SessionCryptography, mode: AESMode, key: Data, pads: Bool = true
  ) throws(CryptographyError) {
    guard key.count == 16 else { throw .length }
    self.cryptography = cryptography
    self.key = key
    self.mode = mode
    self.pads = pads
  }

  private var isBlockMode: Bool {
    switch mode {
    case .electronicCodebook, .blockChaining: true
    case .counter, .counterWithChecksum: false
    }
  }

  public func encode(_ content: Data) throws -> Data {
    var content = content
    if isBlockMode, pads {
      let missing = 16 - content.count % 16
      content.append(contentsOf: repeatElement(UInt8(missing), count: missing))
    }
    return try cryptography.aes(mode, .encrypt, key: key, content)
  }

  /// All failures are the same error, so that an attacker who tries values learns nothing from it (no padding oracle).
  public func decode(_ value: Data) throws -> [Data] {
    do {
      let content = try cryptography.aes(mode, .decrypt, key: key, value)
      guard isBlockMode, pads else { return [content] }
      guard let missing = content.last, (1...16).contains(missing), content.count >= missing,
        content.suffix(Int(missing)).allSatisfy({ $0 == missing })
      else { throw CryptographyError.notAuthentic }
      return [Data(content.dropLast(Int(missing)))]
    } catch {
      throw CryptographyError.notAuthentic
    }
  }
}
