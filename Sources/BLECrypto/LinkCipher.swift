import BLECore

/// The encryption of one connection with one session key: each non-empty data channel PDU is encrypted by AES-CCM with a nonce
/// that counts the PDUs of its direction (Core, Vol 6 Part B 5.1.3.1, Part E 2). One loop only.
public final class LinkCipher {
  /// The length of the message integrity check (MIC) in octets.
  public static let checkLength = 4
  /// The counter has 39 bits: a session must end before it repeats.
  public static let counterLimit: UInt64 = 1 << 39

  private let cipher: AESCCM
  private let vector: UInt64

  /// - Parameters:
  ///   - longTermKey: sixteen octets.
  ///   - diversifier: SKD, the peripheral's half above the central's.
  ///   - vector: IV, the peripheral's half above the central's.
  public convenience init(longTermKey: SecretKey, diversifier: AESBlock, vector: UInt64) {
    self.init(sessionKey: SecretKey(SecurityToolbox.e(key: longTermKey, diversifier)), vector: vector)
  }

  /// - Parameters:
  ///   - sessionKey: sixteen octets.
  ///   - vector: IV, the peripheral's half above the central's.
  public init(sessionKey: SecretKey, vector: UInt64) {
    cipher = AESCCM(key: sessionKey, checkLength: Self.checkLength)
    self.vector = vector
  }

  /// Returns the encrypted payload, followed by the message integrity check.
  ///
  /// - Parameters:
  ///   - header: the first octet of the PDU's header; the bits that change at a retransmission are masked.
  ///   - counter: the number of earlier non-empty PDUs of this direction.
  public func seal(_ payload: ArraySlice<UInt8>, header: UInt8, counter: UInt64, isFromCentral: Bool) -> [UInt8] {
    withParameters(header, counter, isFromCentral) { cipher.seal(payload, nonce: $0, additional: $1) }
  }

  /// Returns the decrypted payload; `nil` if the message integrity check is invalid.
  public func open(_ sealed: ArraySlice<UInt8>, header: UInt8, counter: UInt64, isFromCentral: Bool) -> [UInt8]? {
    withParameters(header, counter, isFromCentral) { cipher.open(sealed, nonce: $0, additional: $1) }
  }

  private func withParameters<Result>(
    _ header: UInt8, _ counter: UInt64, _ isFromCentral: Bool,
    _ body: (UnsafePointer<UInt8>?, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    // Five octets of counter and direction, eight of the vector, least significant first.
    let number = counter & (Self.counterLimit - 1) | (isFromCentral ? Self.counterLimit : 0)
    let nonce = ((number | vector << 40).littleEndian, (vector >> 24).littleEndian)
    // NESN, SN and MD are masked.
    let masked = header & 0xE3
    return withUnsafeBytes(of: nonce) { nonce in
      withUnsafePointer(to: masked) { masked in
        body(nonce.baseAddress?.assumingMemoryBound(to: UInt8.self), UnsafeBufferPointer(start: masked, count: 1))
      }
    }
  }
}
