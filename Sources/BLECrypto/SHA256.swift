import CLibcrypto

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// The 32 octets of the digest.
  public static func digest(of octets: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    Libcrypto.require(EVP_Digest(octets, octets.count, &digest, nil, EVP_sha256(), nil))
    return digest
  }
}
