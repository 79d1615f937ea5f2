import CLibcryptoX509
import Glibc

extension CertificatePair {
  /// Days: no browser takes a server's certificate that is valid for longer than 398.
  private static var days: Int { 397 }

  /// Makes a key on P-256 and a certificate that it signs itself, for these names and addresses.
  /// - Returns: `nil` for a name that is none, or where there is no memory.
  convenience init?(names: [String], at now: time_t) {
    guard let alternatives = Self.alternatives(names), let key = Self.newKey() else { return nil }
    guard let certificate = X509_new() else {
      EVP_PKEY_free(key)
      return nil
    }
    self.init(certificate, key)
    defer { ERR_clear_error() }
    let isSigned =
      X509_set_version(certificate, 2) == 1 && Self.setSerial(certificate)
      // Clocks of other machines may be an hour behind.
      && ASN1_TIME_set(X509_getm_notBefore(certificate), now - 3_600) != nil
      && ASN1_TIME_set(X509_getm_notAfter(certificate), now - 3_600 + Self.days * 86_400) != nil
      && X509_set_pubkey(certificate, key) == 1 && Self.setName(certificate)
      && Self.add(NID_basic_constraints, "critical,CA:FALSE", certificate)
      && Self.add(NID_key_usage, "critical,digitalSignature", certificate)
      && Self.add(NID_ext_key_usage, "serverAuth", certificate)
      && Self.add(NID_subject_alt_name, alternatives, certificate)
      && Self.add(NID_subject_key_identifier, "hash", certificate)
      && X509_sign(certificate, key, EVP_sha256()) > 0
    if !isSigned { return nil }
  }

  /// The names as libcrypto's configuration writes them: a comma in one would be a second.
  private static func alternatives(_ names: [String]) -> String? {
    var written: [String] = []
    for name in names {
      if Listener.canonical(name) != nil {
        // The zone of a link-local address means something on this machine only.
        written.append("IP:\(name.prefix { $0 != "%" })")
      } else if HostName.isValid(name) {
        written.append("DNS:\(name)")
      } else {
        return nil
      }
    }
    return written.isEmpty ? nil : written.joined(separator: ",")
  }

  private static func newKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1, EVP_PKEY_keygen(context, &key) == 1
    else { return nil }
    return key
  }

  /// Twenty random octets, the most that RFC 5280 allows, of a number that is positive and needs all of them.
  private static func setSerial(_ certificate: OpaquePointer) -> Bool {
    var octets = [UInt8](repeating: 0, count: 20)
    guard RAND_bytes(&octets, Int32(octets.count)) == 1 else { return false }
    octets[0] = octets[0] & 0x7F | 0x40
    guard let number = BN_bin2bn(octets, Int32(octets.count), nil) else { return false }
    defer { BN_free(number) }
    return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
  }

  /// The same name as subject and as issuer.
  private static func setName(_ certificate: OpaquePointer) -> Bool {
    let name = X509_get_subject_name(certificate)
    let words = Array("ble web".utf8)
    return X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, words, Int32(words.count), -1, 0) == 1
      && X509_set_issuer_name(certificate, name) == 1
  }

  private static func add(_ identifier: Int32, _ value: String, _ certificate: OpaquePointer) -> Bool {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
    guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
    defer { X509_EXTENSION_free(made) }
    return X509_add_ext(certificate, made, -1) == 1
  }
}
