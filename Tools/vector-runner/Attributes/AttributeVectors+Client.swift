import BLECore
import BLEHost

/// Playing tests in which the stack is the client.
extension AttributeVectors {
  static func playClient(
    _ test: JSONValue, _ databases: [String: JSONValue], _ outcome: inout VectorOutcome
  ) throws {
    guard let procedure = test["procedure"]?.string else { throw NotUnderstood("procedure") }
    guard let arguments = test["args"] else { throw NotUnderstood("args") }
    let remote = test["remote_database"]?.string == nil ? nil : try database(test["remote_database"], databases)
    let peer = try ScriptedPeer(test)
    if procedure == "discover_database" {
      guard let remote else { throw NotUnderstood("remote_database") }
      return try playDiscovery(test, of: remote, databases, &outcome)
    }

    var attempt = VectorOutcome(name: outcome.name)
    let run = try ClientRun(test, procedure, arguments, remote)
    try run.play(peer, &attempt)
    // Where the octets are free and no other form of them is given, a peer that holds the database can still answer.
    if !attempt.failures.isEmpty, peer.portability == "implementation-choice", !peer.hasAlternatives, let remote {
      attempt.failures = []
      let run = try ClientRun(test, procedure, arguments, remote)
      try run.play(server: remote, expected: test["expected"] ?? .object([:]), &attempt)
    }
    outcome.failures += attempt.failures
  }

  /// A client that walks a whole database, and a server that holds it.
  private static func playDiscovery(
    _ test: JSONValue, of remote: VectorDatabase, _ databases: [String: JSONValue], _ outcome: inout VectorOutcome
  ) throws {
    guard let expected = test["expected"]?.object else { throw NotUnderstood("expected") }
    let wire = try VectorWire(remote, mtu: test["mtu"])
    let found = DatabaseDiscovery(wire.client).run()
    for (key, wanted) in expected.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "database":
        let wantedServices = try database(wanted, databases).services.sorted { $0.start < $1.start }
        outcome.expect("services", wanted: wantedServices.count, got: found.services.count)
        for (wanted, got) in zip(wantedServices, found.services) {
          outcome.expect("service \(wanted.start)", wanted: wanted, got: got)
        }
      case "att_error": outcome.expect(key, wanted: wanted.integer, got: found.error)
      default: throw NotUnderstood("expected.\(key)")
      }
    }
  }
}

/// A client and a server that holds a database, back to back.
final class VectorWire {
  let client: GATTClient
  private let clientEnd = DirectChannel()
  private let serverEnd = DirectChannel()
  private let server: GATTServer
  private let serverBearer: ATTBearer
  private let link: GATTServerLink

  init(_ database: VectorDatabase, mtu: JSONValue?) throws {
    let loop = VirtualLoop()
    let limits = (try mtu?.integer("client_rx_mtu") ?? 23, mtu?["server_rx_mtu"]?.integer ?? 23)
    client = GATTClient(bearer: ATTBearer(loop: loop, channel: clientEnd, receiveMTU: limits.0))
    server = try database.makeServer()
    serverBearer = ATTBearer(loop: loop, channel: serverEnd, receiveMTU: limits.1)
    link = database.serve(server, on: serverBearer)
    clientEnd.receiver = serverBearer
    serverEnd.receiver = client.bearer
    client.bearer.assumeMTU(limits.1)
    serverBearer.assumeMTU(limits.0)
  }
}

/// Hands each PDU to the other end at once.
final class DirectChannel: ATTChannel {
  let headroom = 0
  let isCongested = false
  weak var receiver: ATTBearer?
  func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) { receiver?.receive(pdu.octets[...]) }
}
