import BLESession
import Foundation

/// AES-CCM (RFC 3610), built from the library's CBC and CTR modes: CryptoKit has no CCM.
struct CounterWithChecksum {
  let key: Data
  let nonce: Data
  let authenticated: Data
  let tagLength: Int

  /// The width of the length field in octets.
  private var lengthWidth: Int { 15 - nonce.count }

  func seal(_ data: Data) throws(CryptographyError) -> Data {
    try stream(data) + mask(tag(data))
  }

  func open(_ sealed: Data) throws(CryptographyError) -> Data {
    guard sealed.count >= tagLength else { throw .notAuthentic }
    let data = try stream(Data(sealed.dropLast(tagLength)))
    let expected = try mask(tag(data))
    // Compares all octets, so that the time does not depend on which one differs.
    let difference = zip(expected, sealed.suffix(tagLength)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    guard difference == 0 else { throw .notAuthentic }
    return data
  }

  private func counterBlock(_ number: UInt8) -> Data {
    Data([UInt8(lengthWidth - 1)]) + nonce + Data(count: lengthWidth - 1) + [number]
  }

  private func stream(_ data: Data) throws(CryptographyError) -> Data {
    try Library.aes128(.counter, .encrypt, key: key, initial: counterBlock(1), data)
  }

  private func mask(_ tag: Data) throws(CryptographyError) -> Data {
    try Library.aes128(.counter, .encrypt, key: key, initial: counterBlock(0), tag)
  }

  private func tag(_ data: Data) throws(CryptographyError) -> Data {
    guard lengthWidth >= 8 || data.count < 1 << (8 * lengthWidth), authenticated.count < 0xFF00 else { throw .length }
    let flags = (authenticated.isEmpty ? 0 : 0x40) | UInt8((tagLength - 2) / 2) << 3 | UInt8(lengthWidth - 1)
    var blocks = Data([flags]) + nonce + data.count.octets(width: lengthWidth, order: .bigEndian)
    if !authenticated.isEmpty {
      blocks += authenticated.count.octets(width: 2, order: .bigEndian) + authenticated
      fill(&blocks)
    }
    blocks += data
    fill(&blocks)
    let chained = try Library.aes128(.blockChaining, .encrypt, key: key, initial: Data(count: 16), blocks)
    return Data(chained.suffix(16).prefix(tagLength))
  }

  private func fill(_ blocks: inout Data) {
    blocks.append(Data(count: (16 - blocks.count % 16) % 16))
  }
}
