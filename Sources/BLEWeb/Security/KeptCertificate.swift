import BLEFiles
import Glibc

/// The certificate that was made for this user's servers, in a file with its private key.
///
/// It is used again, so that its fingerprint has to be compared once only, until it ends or the server gets a name that
/// it does not have. A file that is damaged is an error, and not replaced: the fingerprint would change without a word.
struct KeptCertificate: Sendable {
  let folder: String
  var path: String { folder + "/certificate.pem" }

  init(_ folder: String) { self.folder = folder }

  /// A server may run so long with it: one that ends sooner is replaced.
  private static let longestRun = 7 * 86_400

  func certificate(for names: [String], at now: time_t = time(nil)) throws(PrivateFileError) -> ServerCertificate {
    try PrivateFolder.make(folder)
    let lock = try FileLock(folder + "/lock")
    defer { lock.unlock() }
    if let kept = try kept(), kept.isValid(at: now), kept.isValid(at: now + Self.longestRun), kept.has(names) {
      return try whole(kept)
    }
    guard let made = CertificatePair(names: names, at: now) else {
      throw PrivateFileError("no certificate can be made for \(names.joined(separator: ", "))")
    }
    let certificate = try whole(made)
    PrivateFile.removeLeftovers(of: path)
    try PrivateFile.place(certificate.identity.key + certificate.identity.certificate, at: path)
    return certificate
  }

  private func kept() throws(PrivateFileError) -> CertificatePair? {
    let octets: [UInt8]
    do throws(PrivateFileError) {
      octets = try PrivateFile(path, .reading).read(limit: 1 << 16)
    } catch {
      if error.kind == .missing { return nil }
      throw error
    }
    guard let pair = CertificatePair(certificate: octets, key: octets), pair.isSelfSigned else {
      throw PrivateFileError("\(path) is damaged: remove it, and a new certificate is made, with another fingerprint")
    }
    return pair
  }

  private func whole(_ pair: CertificatePair) throws(PrivateFileError) -> ServerCertificate {
    guard let identity = pair.identity else { throw PrivateFileError("libcrypto has no memory for a certificate") }
    return ServerCertificate(identity: identity, fingerprint: pair.fingerprint)
  }
}
