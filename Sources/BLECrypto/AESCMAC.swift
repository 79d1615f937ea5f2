import BLECore

/// AES-CMAC with one key (RFC 4493; Core, Vol 3 Part H 2.2.5). Holds the key schedule and subkeys: reuse it.
public final class AESCMAC {
  private let cipher: AES128
  /// The two subkeys of RFC 4493 2.3, for the last block: complete, or padded.
  public let subkeys: (k1: AESBlock, k2: AESBlock)

  public init(key: SecretKey) {
    cipher = AES128(key: key)
    let k1 = Self.subkey(after: cipher.encrypt(.zero))
    subkeys = (k1, Self.subkey(after: k1))
  }

  /// The code of a message whose first octet is the most significant.
  public func code(_ message: some Collection<UInt8>) -> AESBlock {
    var code = Accumulator(self)
    for octet in message { code.append(octet) }
    return code.finish()
  }

  /// Takes a message octet by octet, so that it need not be assembled first.
  public struct Accumulator {
    private let cmac: AESCMAC
    private var state = AESBlock.zero
    private var block = AESBlock.zero
    private var filled = 0

    public init(_ cmac: AESCMAC) { self.cmac = cmac }

    public mutating func append(_ octet: UInt8) {
      // A full block is processed only when another octet follows: the last one is processed differently.
      if filled == AESBlock.octetCount {
        state = cmac.cipher.encrypt(state ^ block)
        block = .zero
        filled = 0
      }
      block.shiftIn(octet)
      filled += 1
    }

    public mutating func append(contentsOf octets: some Sequence<UInt8>) {
      for octet in octets { append(octet) }
    }

    /// The code of all appended octets.
    public func finish() -> AESBlock {
      if filled == AESBlock.octetCount { return cmac.cipher.encrypt(state ^ block ^ cmac.subkeys.k1) }
      var last = block
      for index in filled..<AESBlock.octetCount { last.shiftIn(index == filled ? 0x80 : 0x00) }
      return cmac.cipher.encrypt(state ^ last ^ cmac.subkeys.k2)
    }
  }

  private static func subkey(after block: AESBlock) -> AESBlock {
    var next = block.doubled
    // The reduction uses a mask instead of a branch: the bit is part of a secret.
    next.low ^= 0x87 & (0 &- block.high >> 63)
    return next
  }
}
