import CMicroHTTP
import Glibc

/// Where a server listens, under which names it is opened there, and with what certificate.
struct ServerPlace: Sendable {
  let listener: Listener
  let certificate: ServerCertificate?
  private let names: [String]
  private let source: CertificateSource?
  private let limits: WebServer.Limits

  /// - Throws: `WebError`.
  init(_ options: WebExplorer.Options) throws(WebError) {
    var limits = options.limits
    let isLoopback = options.isLoopback
    if !isLoopback { limits.connectionsPerAddress = limits.connections / 4 }
    self.limits = limits
    guard let address = Listener.canonical(options.address) else { throw .address }
    let own = isLoopback ? ["localhost"] : [HostName.own].compactMap { $0 }
    for name in options.names where !HostName.isValid(name) {
      throw .name(name)
    }
    // The first is the one that is shown.
    let names = HostName.addresses(of: address) + own + options.names
    self.names = names
    let source = options.certificate ?? (isLoopback ? nil : .made(inFolder: CertificateSource.usualFolder))
    self.source = source
    if source != nil, MHD_is_feature_supported(.FEATURE_SSL) != .YES {
      throw .certificate("the libmicrohttpd of this system has no TLS")
    }
    // Before the socket is opened: an error here would leave it open.
    certificate = if let source { try source.certificate(for: names) } else { nil }
    listener = try Listener(address: options.address, port: options.port)
  }

  /// The certificate as it is now: its file may have been replaced, and one that was made may have been made again because it ends
  /// soon.
  func currentCertificate() throws(WebError) -> ServerCertificate? {
    guard let source else { return nil }
    return try source.certificate(for: names)
  }

  private var scheme: String { certificate == nil ? "http" : "https" }

  /// The names as they stand in addresses.
  private var hosts: [String] { names.map { $0.contains(":") ? "[\($0)]" : $0 } }

  /// The address to open.
  var address: String { "\(scheme)://\(hosts.first ?? "localhost"):\(listener.port)/" }

  func site(of explorer: Explorer, token: AccessToken?, isReadOnly: Bool) throws(WebError) -> Site {
    let sites = SiteGuard(names: hosts, port: listener.port, scheme: scheme, token: token, isReadOnly: isReadOnly)
    return try Site(
      explorer: explorer, listener: listener.socket, sites: sites, identity: certificate?.identity, limits: limits)
  }
}
