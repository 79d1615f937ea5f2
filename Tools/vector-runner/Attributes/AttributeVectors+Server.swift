import BLECore
import BLEHost

/// Playing tests in which the stack is the server.
extension AttributeVectors {
  static func playServer(
    _ test: JSONValue, _ databases: [String: JSONValue], _ outcome: inout VectorOutcome
  ) throws {
    let database = try database(test["database"], databases)
    guard let mtu = test["mtu"] else { throw NotUnderstood("mtu") }
    if test["expected"]?.object?.isEmpty == false { throw NotUnderstood("expected of a server") }
    var peer = try ScriptedPeer(test)

    let channel = VectorChannel()
    let bearer = ATTBearer(loop: VirtualLoop(), channel: channel, receiveMTU: try mtu.integer("server_rx_mtu"))
    let server = try database.makeServer()
    let link = database.serve(server, on: bearer)
    defer { link.close() }
    let application = Application()

    while outcome.failures.isEmpty, let entry = peer.first?.next {
      if case .fromServer = entry {
        guard let sent = channel.take() else {
          if peer.finished != nil { break }
          outcome.failures.append(peer.mismatch([]))
          break
        }
        if !peer.advance(past: .fromServer(sent)) { outcome.failures.append(peer.mismatch(sent)) }
        continue
      }
      if let unexpected = channel.take() {
        outcome.failures.append(peer.mismatch(unexpected))
        break
      }
      _ = peer.advance(past: entry)
      switch entry {
      case .toServer(let octets): application.feed(octets, to: bearer)
      case .local(let action): try perform(action, on: link, application, &outcome)
      case .fromServer: break
      }
    }
    guard outcome.failures.isEmpty else { return }
    if let leftOver = channel.take() { outcome.failures.append("left over: \(leftOver.hexadecimal)") }
    if peer.finished == nil { outcome.failures.append("the exchange was not played to its end") }
    if application.unconfirmed > 0 { outcome.failures.append("the application was not told of a confirmation") }
    if let effective = mtu["effective"]?.integer { outcome.expect("MTU", wanted: effective, got: bearer.mtu) }
  }

  private static func perform(
    _ action: LocalAction, on link: GATTServerLink, _ application: Application, _ outcome: inout VectorOutcome
  ) throws {
    switch action {
    case .serverNotify(let handle, let value): link.notify(handle, value[...])
    case .serverIndicate(let handle, let value):
      link.indicate(handle, value[...]) { [application] isConfirmed in
        if isConfirmed { application.confirmed += 1 }
      }
    // That nothing was sent has been seen before any entry but an answer.
    case .expectNoResponse: break
    case .subscriptionConfirmed, .raiseLinkSecurityThenRetry: throw NotUnderstood("\(action) of a server")
    }
  }

  /// The application behind the server.
  private final class Application {
    var confirmed = 0
    private var confirmationsFed = 0

    /// Confirmations that the client has sent and the application knows nothing of.
    var unconfirmed: Int { confirmationsFed - confirmed }

    func feed(_ octets: [UInt8], to bearer: ATTBearer) {
      if octets == [0x1E] { confirmationsFed += 1 }
      bearer.receive(octets[...])
    }
  }
}
