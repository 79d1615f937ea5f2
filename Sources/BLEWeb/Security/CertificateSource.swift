import BLEFiles
import Foundation

/// Where the certificate of a server with TLS comes from.
package enum CertificateSource: Sendable {
  /// Signed by itself, made when it is needed, and kept in this folder.
  case made(inFolder: String)
  /// Files in PEM: a certificate, which may be followed by those that lead to its issuer, and its private key.
  case files(certificate: String, key: String)

  /// The folder for the certificates that are made.
  package static var usualFolder: String { UserFolders.ofThisProcess.state + "/web" }

  /// - Parameter names: names and addresses of the server.
  /// - Throws: `WebError.certificate`, with the reason.
  func certificate(for names: [String]) throws(WebError) -> ServerCertificate {
    do throws(PrivateFileError) {
      switch self {
      case .made(let folder): return try KeptCertificate(folder).certificate(for: names)
      case .files(let certificate, let key): return try Self.read(certificate, key)
      }
    } catch {
      throw .certificate(error.description)
    }
  }

  private static let sizeLimit = 1 << 20

  private static func read(_ certificatePath: String, _ keyPath: String) throws(PrivateFileError) -> ServerCertificate {
    let certificate = try UntrustedFile.read(certificatePath, limit: sizeLimit)
    let key = try UntrustedFile.read(keyPath, limit: sizeLimit, isSecret: true)
    guard let pair = CertificatePair(certificate: certificate, key: key) else {
      throw PrivateFileError(
        "\(certificatePath) and \(keyPath) cannot be used: in PEM, a certificate and its private key without a "
          + "passphrase are needed")
    }
    guard pair.isValid(at: time(nil)) else {
      throw PrivateFileError("the certificate in \(certificatePath) has expired, or is not valid yet")
    }
    return ServerCertificate(
      identity: WebServer.Identity(certificate: certificate, key: key), fingerprint: pair.fingerprint)
  }
}

/// What a server with TLS needs.
struct ServerCertificate: Sendable {
  let identity: WebServer.Identity
  /// SHA-256 of the certificate, as browsers show it: `5A:0C:...`.
  let fingerprint: String
}
