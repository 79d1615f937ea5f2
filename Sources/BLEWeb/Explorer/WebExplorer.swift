import BLECore
import BLEPairing
import BLESession
import Foundation

/// The explorer as a whole: what `ble web` runs.
package final class WebExplorer: Sendable {
  package struct Options: Sendable {
    /// The address in digits on which it listens.
    package var address = "127.0.0.1"
    package var port: UInt16 = 8080
    /// Whether values, links and the scan may be changed.
    package var isReadOnly = false
    /// Whether a token is asked for also on the loopback address, where other users of the machine can connect.
    package var asksForToken = false
    /// With one, its token is asked for; without one, where one is asked for, a token is made.
    package var token: TokenFile?
    /// With one there is TLS. Without one there is TLS where others than programs of this machine can connect, with a
    /// certificate that is made and kept in the usual folder.
    package var certificate: CertificateSource?
    /// Names of this machine under which the explorer may be opened, besides its address and its own name.
    package var names: [String] = []
    var limits = WebServer.Limits()

    package init() {}

    /// Whether only programs of this machine can connect.
    package var isLoopback: Bool {
      let address = Listener.canonical(address) ?? address
      return address == "::1" || address.hasPrefix("127.")
    }
  }

  private let explorer: Explorer
  let site: Site
  let place: ServerPlace
  let tokenFile: TokenFile?
  /// Where it is to be opened, with the token where one was made: to be shown once.
  package let entrance: String
  /// SHA-256 of the certificate, as browsers show it, to be compared when one warns; `nil` without TLS.
  package let fingerprint: String?

  /// - Throws: `WebError`, where the address is not this machine's or the port is taken.
  package init(central: Central, surroundings: ExplorerSurroundings, options: Options) throws(WebError) {
    explorer = Explorer(central: central, surroundings: surroundings, isReadOnly: options.isReadOnly)
    tokenFile = options.token
    // Before the socket is opened: an error here would leave it open.
    let read = try options.token?.read()
    place = try ServerPlace(options)
    let isMade = read == nil && (options.asksForToken || !options.isLoopback)
    let made = isMade ? AccessToken.random() : nil
    site = try place.site(of: explorer, token: read ?? made?.token, isReadOnly: options.isReadOnly)
    fingerprint = place.certificate?.fingerprint
    entrance = place.address + (made.map { "?token=\($0.digits)" } ?? "")
  }

  /// Asks the people in front of the browsers; to be registered where pairings of this program are to be answered by them.
  package nonisolated var pairingAgent: any PairingAgent { explorer.dialogue }

  /// Scans from now on, also where nothing may be changed: then no browser could begin it.
  package func start() async {
    await explorer.start()
    await explorer.setScanning(true)
  }

  package func stop() async {
    await explorer.stop()
    site.stop()
  }
}
