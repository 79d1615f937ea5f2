import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEHCI
import Dispatch

/// `ble controller`: a simulated controller for a Bluetooth host in another program.
struct ControllerCommand: ToolCommand {
  static let listen = Parameter.option(
    "listen", "where", standard: "tcp-server:127.0.0.1:0",
    "tcp-server:<host>:<port> (port 0: any that is free) or unix-server:<path>.", \ControllerEndpoint.self)
  static let air = Parameter.option(
    "air", "name", standard: AdapterName.defaultAir, "The air that its radio is on.", \RadioName.text)
  static let device = Parameter.option(
    "device", "name", "Which device of that air it is: each keeps its address.", \RadioName.text)
  static let address = Parameter.option(
    "address", "address", "Its address, such as C0:12:34:56:78:9A, instead of a kept one.", \DeviceAddress.self)
  static let allowRemote = Parameter.flag(
    "allow-remote", "Listen where other machines can connect. Any program that connects controls the radio.")

  static let node = CommandNode(
    "controller", abstract: "Offer a simulated controller to another Bluetooth host, as H4.",
    discussion: """
      Prints the name under which hosts connect as soon as they can, then serves one after another until Ctrl-C. \
      Another host, such as Bumble's or Zephyr's, so joins the air on which 'ble' and all programs of this machine are.
      """,
    listen, air, device, address, allowRemote, Parameter.line
  ) { (endpoint, air, device, address, allowsRemote, line) throws(UsageError) in
    if line.isGiven(CommonOptions.adapter) {
      throw UsageError("'--adapter' is unusable here: '--air' and '--device' say which radio it is")
    }
    guard endpoint.isLocal || allowsRemote else {
      throw UsageError(
        "Other machines could connect there and control the radio: use 127.0.0.1, or say '--allow-remote'")
    }
    return ControllerCommand(
      endpoint: endpoint, allowsRemote: allowsRemote, air: air, device: device ?? "controller", address: address)
  }

  let endpoint: ControllerEndpoint
  let allowsRemote: Bool
  let air: String
  let device: String
  let address: DeviceAddress?

  func run(in session: Session) async throws(ToolError) {
    let loop = DispatchStackLoop(label: "ble.controller")
    let desk = ControllerDesk(endpoint, in: session)
    let radio = ControllerRadio(air: air, device: device, address: address, recording: session.options.recording)
    let service = LoopBound(
      ControllerService(on: loop, at: endpoint.server(allowsRemote: allowsRemote), radio, log: DefaultStack.log) {
        news in onMain { desk.take(news) }
      })
    loop.submit(from: .common) { service.value.start() }
    var end: ToolError?
    do {
      try await session.waiting.until(within: nil) { () throws(ToolError) in
        if let failure = desk.failure { throw failure }
        return false
      }
    } catch {
      end = error
    }
    loop.submit(from: .common) { service.value.stop() }
    try? await session.waiting.until(within: 2, isCleanUp: true) { desk.isStopped }
    if let end { throw end }
  }
}

/// Prints the events of the service, which runs on its loop.
@MainActor private final class ControllerDesk {
  private let endpoint: ControllerEndpoint
  private let session: Session
  private(set) var failure: ToolError?
  private(set) var isStopped = false

  init(_ endpoint: ControllerEndpoint, in session: Session) {
    self.endpoint = endpoint
    self.session = session
  }

  func take(_ news: ControllerService.News) {
    switch news {
    case .listening(let port, let address):
      let names = endpoint.names(port: port)
      let members: JSONValue = [
        "address": .string(address.description), "listen": .string(names.listen), "connect": .string(names.connect),
      ]
      session.output.event(
        "listening", members, "Listening: connect a host to \(names.connect)  (controller \(address))")
    case .connected: session.output.event("connected", [:], "A host has connected.")
    case .disconnected(let reason):
      session.output.event("disconnected", ["reason": .string(reason)], "The host has disconnected: \(reason.inert)")
    case .refused: session.output.event("refused", [:], "A second host was refused: only one can connect at a time.")
    case .failed(let error): failure = ToolError(.unavailable, error.description.inert)
    case .stopped: isStopped = true
    }
    session.waiting.changed()
  }
}

/// The name of an air or of a device on it.
private struct RadioName: ArgumentValue {
  let text: String

  init(argument: String) throws(ArgumentValueError) {
    guard AdapterName.isPlainName(argument) else {
      throw ArgumentValueError("expected 1 to 64 letters, digits, dots, dashes or underscores")
    }
    text = argument
  }
}

extension DeviceAddress: ArgumentValue {
  /// Addresses whose two highest bits are set are taken as static random ones, all others as public.
  init(argument: String) throws(ArgumentValueError) {
    guard let address = DeviceAddress(argument, kind: .public) else {
      throw ArgumentValueError("expected an address such as C0:12:34:56:78:9A")
    }
    self.init(address.value, kind: address.value >> 46 == 0b11 ? .random : .public)
  }
}
