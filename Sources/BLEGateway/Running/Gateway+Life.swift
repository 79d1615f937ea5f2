import BLESession

/// Watches the queues of a gateway that wait for the network and for the disk.
struct GatewayLife: Sendable {
  let line: QueueWatch
  let outbox: QueueWatch

  /// An attempt to connect waits for the name service, and as long as the kernel for a network that does not answer (two minutes).
  static let patience = Duration.seconds(300)

  init(_ clock: any SessionClock) {
    line = QueueWatch(Self.patience, by: clock)
    outbox = QueueWatch(Self.patience, by: clock)
  }
}

extension Gateway {
  /// Whether all parts of it move. Returns only when the queue of its sessions has moved.
  package func isAlive() async -> Bool {
    _ = await central.state
    let lineMoves = life.line.moves { line.pass($0) }
    let outboxMoves = life.outbox.moves { done in outbox.messages(after: .max, limit: 1) { _ in done() } }
    return lineMoves && outboxMoves
  }
}
