import CLibcryptoX509
import Glibc

/// A certificate and its private key, as libcrypto has them.
final class CertificatePair {
  private let certificate: OpaquePointer
  private let key: OpaquePointer

  /// Takes both over.
  init(_ certificate: OpaquePointer, _ key: OpaquePointer) {
    self.certificate = certificate
    self.key = key
  }

  /// Reads them from PEM, in which other things may stand, too.
  /// - Returns: `nil` where one is missing, is damaged, has a passphrase, or does not belong to the other.
  convenience init?(certificate certificateText: [UInt8], key keyText: [UInt8]) {
    defer { ERR_clear_error() }
    /// Without it libcrypto would ask on the terminal.
    let noPassphrase: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
      _, _, _, _ in -1
    }
    guard let certificate = Self.read(certificateText, { PEM_read_bio_X509($0, nil, noPassphrase, nil) }) else {
      return nil
    }
    guard let key = Self.read(keyText, { PEM_read_bio_PrivateKey($0, nil, noPassphrase, nil) }) else {
      X509_free(certificate)
      return nil
    }
    self.init(certificate, key)
    if X509_check_private_key(certificate, key) != 1 { return nil }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  private static func read(_ text: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
    text.withUnsafeBytes { text in
      guard let source = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else { return nil }
      defer { BIO_free(source) }
      return body(source)
    }
  }

  /// SHA-256 of the certificate, as browsers show it.
  var fingerprint: String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    X509_digest(certificate, EVP_sha256(), &digest, &count)
    return digest.prefix(Int(count)).map { octet in
      (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
    }.joined(separator: ":")
  }

  /// Whom it is for: `/CN=ble web`, with octets that are no printable ASCII as `\xC3`.
  var subject: String {
    var text = [CChar](repeating: 0, count: 256)
    _ = X509_NAME_oneline(X509_get_subject_name(certificate), &text, Int32(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func isValid(at time: time_t) -> Bool {
    var time = time
    // The first is negative for a time that has come, the second positive for one that has not; 0 is an error.
    return X509_cmp_time(X509_get0_notBefore(certificate), &time) < 0
      && X509_cmp_time(X509_get0_notAfter(certificate), &time) > 0
  }

  /// Whether it is for all of these names and addresses.
  func has(_ names: [String]) -> Bool {
    names.allSatisfy { name in
      if Listener.canonical(name) != nil { return X509_check_ip_asc(certificate, name, 0) == 1 }
      return X509_check_host(certificate, name, name.utf8.count, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT), nil) == 1
    }
  }

  /// Whether it was signed with its own key, and was not changed since.
  var isSelfSigned: Bool {
    defer { ERR_clear_error() }
    return X509_verify(certificate, key) == 1
  }

  /// Both in PEM; `nil` where there is no memory.
  var identity: WebServer.Identity? {
    guard let certificateText = Self.written({ PEM_write_bio_X509($0, certificate) }),
      let keyText = Self.written({ PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
    else { return nil }
    return WebServer.Identity(certificate: certificateText, key: keyText)
  }

  private static func written(_ body: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let target = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(target) }
    guard body(target) == 1 else { return nil }
    var text = [UInt8](repeating: 0, count: 16_384)
    let count = BIO_read(target, &text, Int32(text.count))
    return count > 0 && count < text.count ? Array(text.prefix(Int(count))) : nil
  }
}
