import BLECore
import BLEHCI
import BLETransports

/// Offers a controller of the shared air to one host at a time. Used on the loop only.
final class ControllerService {
  /// An event of the service.
  enum News: Equatable, Sendable {
    /// Hosts can connect at this port, to a controller with this address.
    case listening(port: UInt16?, address: DeviceAddress)
    case connected
    case disconnected(reason: String)
    /// A second host tried to connect.
    case refused
    /// The service cannot continue.
    case failed(TransportError)
    case stopped
  }

  private let loop: DispatchStackLoop
  private let endpoint: H4Server.Endpoint
  private let radio: ControllerRadio
  private let log: Logger
  private let tell: @Sendable (News) -> Void
  private var server: H4Server?

  init(
    on loop: DispatchStackLoop, at endpoint: H4Server.Endpoint, _ radio: ControllerRadio, log: Logger,
    tell: @escaping @Sendable (News) -> Void
  ) {
    self.loop = loop
    self.endpoint = endpoint
    self.radio = radio
    self.log = log
    self.tell = tell
  }

  func start() {
    do throws(TransportError) {
      let address = try radio.join(on: loop, log: log)
      let server = H4Server(endpoint, loop: loop) { [radio] () throws(TransportError) in try radio.makeController() }
      server.tap = radio.tap
      server.onEvent = { [tell] event in
        switch event {
        case .clientConnected: tell(.connected)
        case .clientDisconnected(let reason): tell(.disconnected(reason: reason.description))
        case .clientRefused: tell(.refused)
        case .controllerFailed(let error): tell(.failed(error))
        }
      }
      try server.start()
      self.server = server
      tell(.listening(port: server.port, address: address))
    } catch {
      tell(.failed(error))
    }
  }

  func stop() {
    server?.stop()
    server = nil
    radio.leave()
    tell(.stopped)
  }
}
