import BLEAdapter
import BLEDefaultStack
import BLEGateway
import BLEHost
import BLEPairing
import BLESession
import BLESessionStore
import BLEWeb
import Foundation

/// `ble web`: an explorer in the browser.
struct WebCommand: ToolCommand {
  static let address = Parameter.option(
    "address", "address", standard: "127.0.0.1",
    "Listen on this address of the machine; 0.0.0.0 for all. Others than 127.0.0.1 and ::1 are served by TLS, and ask for a token.",
    \String.self)
  static let port = Parameter.option(
    "port", "port", standard: "8080", "Listen on this port; 0 for any that is free.", \PortNumber.value)
  static let isReadOnly = Parameter.flag("read-only", "Show everything, and change nothing.")
  static let asksForToken = Parameter.flag(
    "token", "Ask for a token on the loopback address as well: other users of this machine can connect to it.")

  static let tokenFile = Parameter.option(
    "token-file", "file",
    "Ask for the token in this file, which is this user's alone: one line, as 'openssl rand -hex 32' makes it.",
    \String.self)
  static let names = Parameter.options(
    "name", "name", "A name of this machine under which browsers open it; can be given more than once.", of: String.self
  )
  static let certificate = Parameter.option(
    "certificate", "file", "Serve by TLS with this certificate (PEM), instead of one that is made.", \String.self)
  static let key = Parameter.option("key", "file", "The private key of the certificate (PEM).", \String.self)
  static let isDemo = Parameter.flag(
    "demo", "Explore ten devices of a simulated radio in this program, and move them on a map; no adapter is used.")

  static let recordings = Parameter.options(
    "recording", "file", "Show this recording of 'ble record' in the log; can be given more than once.", of: String.self
  )

  static let fleet = Parameter.option(
    "fleet", "config", "Show the gateways of the broker in this file (JSON), which may be that of a gateway.",
    \String.self)

  static let node = CommandNode(
    "web", abstract: "Look at devices in a browser: scan, explore, read, write, subscribe.",
    discussion: """
      Prints the address to open. Everything that the page does programs can do, too: see Docs/web.md for the interface.

      On another address than the loopback's a certificate is made, and kept for the next time; its fingerprint is printed, for \
      the browser's warning. The token in the address is asked for once by each browser.

      Runs until Ctrl-C.
      """,
    address, port, isReadOnly, asksForToken, tokenFile, names, certificate, key, isDemo, recordings, fleet,
    Parameter.line
  ) {
    (address, port, isReadOnly, asksForToken, tokenFile, names, certificate, key, isDemo, recordings, fleet, line)
      throws(UsageError) in
    if isDemo, line.isGiven(CommonOptions.adapter) {
      throw UsageError("'--adapter' is unusable here: the demo has a radio of its own")
    }
    let source: CertificateSource? =
      switch (certificate, key) {
      case (nil, nil): nil
      case (let certificate?, let key?): .files(certificate: certificate, key: key)
      default: throw UsageError("'--certificate' and '--key' belong together")
      }
    return WebCommand(
      address: address, port: port, isReadOnly: isReadOnly, asksForToken: asksForToken,
      token: tokenFile.map(TokenFile.init), names: names, certificate: source, isDemo: isDemo, recordings: recordings,
      fleet: fleet)
  }

  let address: String
  let port: UInt16
  let isReadOnly: Bool
  let asksForToken: Bool
  let token: TokenFile?
  let names: [String]
  let certificate: CertificateSource?
  let isDemo: Bool
  let recordings: [String]
  let fleet: String?

  func run(in session: Session) async throws(ToolError) {
    let recordings = try opened()
    let board = try fleet.map { path throws(ToolError) in FleetBoard(try FleetSettings.load(path)) }
    if !isDemo { DefaultStack.keepRecentPackets() }
    let world = isDemo ? DemoWorld() : nil
    let central = world.map { Central(options: $0.options, clock: $0.clock) } ?? Central()
    var options = WebExplorer.Options()
    options.address = address
    options.port = port
    options.isReadOnly = isReadOnly
    options.asksForToken = asksForToken
    options.token = token
    options.names = names
    options.certificate = certificate
    let explorer: WebExplorer
    do throws(WebError) {
      var surroundings = Self.surroundings(world)
      surroundings.recordings = recordings
      surroundings.fleet = board
      explorer = try WebExplorer(central: central, surroundings: surroundings, options: options)
    } catch {
      throw ToolError(error, address: address, port: port)
    }
    PairingAgents.register(explorer.pairingAgent)
    board?.start()
    await explorer.start()
    session.output.event(
      "listening", ["address": .string(explorer.entrance), "fingerprint": .string(orNull: explorer.fingerprint)],
      "Open \(explorer.entrance)" + (explorer.fingerprint.map { "\nThe certificate's SHA-256 is \($0)" } ?? ""))
    session.service.ready("Listening") { () async throws(ToolError) in try reload(explorer, in: session) }
    let time = Task { await world?.run() }
    defer { time.cancel() }
    try await always(
      {
        await board?.stop()
        await explorer.stop()
      },
      after: { () async throws(ToolError) in try await session.waiting.until(within: nil) { false } })
  }
}

extension WebCommand {
  /// Without a word of the token, which its file has.
  @MainActor private func reload(_ explorer: WebExplorer, in session: Session) throws(ToolError) {
    let reloaded: WebExplorer.Reloaded
    do throws(WebError) {
      reloaded = try explorer.reload()
    } catch {
      throw ToolError(error, address: address, port: port)
    }
    session.output.event(
      "reloaded",
      ["fingerprint": .string(orNull: reloaded.fingerprint), "new_token": .bool(reloaded.hasNewToken)],
      "Reloaded" + (reloaded.hasNewToken ? ", with another token" : "")
        + (reloaded.fingerprint.map { ". The certificate's SHA-256 is \($0)" } ?? ""))
  }

  fileprivate func opened() throws(ToolError) -> [StoreRecording] {
    do throws(StoreError) {
      return try recordings.map { path throws(StoreError) in try StoreRecording(path: path) }
    } catch {
      throw ToolError(error)
    }
  }

  fileprivate static func surroundings(_ world: DemoWorld?) -> ExplorerSurroundings {
    let adapter = world == nil ? DefaultStack.adapterName?.description ?? "no adapter" : "the demo's radio"
    var surroundings = ExplorerSurroundings(adapter: adapter, version: Tool.version)
    surroundings.radio = world
    surroundings.bonds = AdapterBonds(adapter: world?.adapter ?? DefaultStack.adapter)
    surroundings.setManufacturerData = { data in
      ((world?.adapter ?? DefaultStack.adapter) as? HostStack)?.setManufacturerData(data)
    }
    if let world {
      surroundings.address = { world.address(of: $0) }
      surroundings.maximumTransmissionUnit = { world.maximumTransmissionUnit(with: $0) }
      surroundings.peripheralOptions = { world.options }
      surroundings.packets = AdapterPackets { world.packets }
    } else {
      surroundings.address = { PeerAddresses.address(of: $0) }
      surroundings.maximumTransmissionUnit = {
        (DefaultStack.adapter as? HostStack)?.maximumTransmissionUnit(with: PeerIdentifier($0))
      }
      if case .bluez? = DefaultStack.adapterName {
      } else {
        surroundings.packets = AdapterPackets { DefaultStack.recentPackets }
      }
      surroundings.adapters = { await DefaultStack.counters().map { AdapterMetrics($0.key, $0.value) } }
    }
    return surroundings
  }
}

extension AdapterMetrics {
  init(_ name: AdapterName, _ counters: AdapterCounters) {
    self.init(
      name: name.description, resets: counters.resets, restartedScans: counters.restartedScans,
      lostLinks: counters.lostLinks.reduce(into: [:]) { $0[$1.key.word] = $1.value }, sentOctets: counters.sentOctets,
      receivedOctets: counters.receivedOctets)
  }
}

/// A TCP port, or 0.
struct PortNumber: ArgumentValue {
  let value: UInt16

  init(argument: String) throws(ArgumentValueError) {
    guard let value = UInt16(argument) else { throw ArgumentValueError("expected a port, 0 to 65535") }
    self.value = value
  }
}

extension ToolError {
  init(_ error: WebError, address: String, port: UInt16) {
    switch error {
    case .address: self.init(.usage, "'\(address.inert)' is no address in digits, such as 127.0.0.1 or ::1.")
    case .listen(EADDRINUSE):
      let holder = PortHolder.description(of: port).map { " by \($0)" } ?? ""
      self.init(.unavailable, "Port \(port) is taken\(holder): choose another with --port, or any with --port 0.")
    case .listen(EADDRNOTAVAIL): self.init(.usage, "\(address) is no address of this machine.")
    case .listen(EACCES): self.init(.unavailable, "Port \(port) may only be used by root: choose one from 1024.")
    case .listen(let code):
      self.init(.unavailable, "Cannot listen on \(address), port \(port): \(String(cString: strerror(code))).")
    case .name(let name): self.init(.usage, "'\(name.inert)' is no name of a machine, such as tower.example.")
    case .certificate(let reason): self.init(.unavailable, "There is no certificate: \(reason.inert).")
    case .token(let reason): self.init(.unavailable, "There is no token: \(reason.inert).")
    case .start: self.init(.unavailable, "The web server could not be started.")
    }
  }
}
