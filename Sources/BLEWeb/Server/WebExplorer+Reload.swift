extension WebExplorer {
  /// What a reload has taken over.
  package struct Reloaded: Sendable {
    /// SHA-256 of the certificate that is now in force; `nil` without TLS.
    package let fingerprint: String?
    /// Whether the token is another than before: all browsers have to show the new one.
    package let hasNewToken: Bool
  }

  /// Reads the file of the token and the certificate again. Links to devices stay; so do streams of events of browsers whose
  /// token is still the right one. A token that was made for this run stays, too.
  /// - Throws: `WebError`; then all is as it was.
  package func reload() throws(WebError) -> Reloaded {
    let (token, certificate) = (try tokenFile?.read(), try place.currentCertificate())
    if let certificate { try site.renew(certificate.identity) }
    return Reloaded(
      fingerprint: certificate?.fingerprint, hasNewToken: token.map { site.replaceToken($0) } ?? false)
  }
}
