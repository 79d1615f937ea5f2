import BLECore

/// A broker, or a cluster of two that a network may split: retained messages, QoS 1 with acknowledgements and repetitions, last wills,
/// delays. The order of messages is kept on each connection in each direction, and nowhere else.
final class SimulatedBroker {
  /// One client's connection to one node.
  final class Session {
    let node: Int
    var will: (topic: String, payload: String)?
    var received: (_ topic: String, _ payload: String) -> Void = { _, _ in }
    var acknowledged: (_ number: Int) -> Void = { _ in }
    /// The connection has ended, and the client knows it.
    var closed: () -> Void = {}
    fileprivate(set) var isOpen = true
    /// Nothing passes, and neither side has noticed it.
    var isCut = false
    fileprivate var (upAt, downAt) = (Duration.zero, Duration.zero)
    fileprivate var topics: [String] = []

    init(node: Int) { self.node = node }
  }

  private struct Node {
    var retained: [String: String] = [:]
    var subscribers: [String: [Session]] = [:]
    var sessions: [Session] = []
  }

  let time: SimulatedTime
  let chance: SeededEntropy
  /// Milliseconds, each way.
  var delays = 1...30
  /// The share of messages that are delivered twice.
  var repetitions = 0.02
  /// Whether the two nodes reach each other.
  var isSplit = false
  /// Messages, and octets of topics and payloads in both directions.
  private(set) var (published, delivered, octets) = (0, 0, 0)
  private var nodes: [Node]

  init(time: SimulatedTime, chance: SeededEntropy, nodes count: Int) {
    nodes = Array(repeating: Node(), count: count)
    self.time = time
    self.chance = chance
  }

  func connect(_ session: Session) { nodes[session.node].sessions.append(session) }

  private func delay() -> Duration {
    .milliseconds(Int64(delays.lowerBound) + Int64(chance.uniform(0..<UInt64(delays.count))))
  }

  private func up(_ session: Session, _ run: @escaping () -> Void) {
    guard session.isOpen, !session.isCut else { return }
    session.upAt = max(session.upAt, time.now + delay())
    time.at(session.upAt) { [self] in
      // What was on its way when the connection ended may have arrived or not.
      if session.isOpen && !session.isCut || chance.unit() < 0.5 { run() }
    }
  }

  private func down(_ session: Session, _ run: @escaping () -> Void) {
    guard session.isOpen, !session.isCut else { return }
    session.downAt = max(session.downAt, time.now + delay())
    time.at(session.downAt) { if session.isOpen, !session.isCut { run() } }
  }

  /// - Parameter number: acknowledged, if it is given.
  func publish(_ session: Session, _ topic: String, _ payload: String, retain: Bool, number: Int? = nil) {
    published += 1
    octets += topic.utf8.count + payload.utf8.count
    let count = chance.unit() < repetitions ? 2 : 1
    for _ in 0..<count {
      up(session) { [self] in
        route(topic, payload, retain: retain, from: session.node)
        if let number { down(session) { session.acknowledged(number) } }
      }
    }
  }

  func subscribe(_ session: Session, _ topic: String) {
    up(session) { [self] in
      guard session.isOpen, !session.topics.contains(topic) else { return }
      session.topics.append(topic)
      nodes[session.node].subscribers[topic, default: []].append(session)
      if let payload = nodes[session.node].retained[topic] { deliver(topic, payload, to: session) }
    }
  }

  func unsubscribe(_ session: Session, _ topic: String) {
    up(session) { [self] in remove(session, topic) }
  }

  private func remove(_ session: Session, _ topic: String) {
    session.topics.removeAll { $0 == topic }
    nodes[session.node].subscribers[topic]?.removeAll { $0 === session }
  }

  /// Somebody else publishes, at each node that is reached.
  func inject(_ topic: String, _ payload: String, at node: Int = 0) { route(topic, payload, retain: true, from: node) }

  func retained(_ topic: String, at node: Int = 0) -> String? { nodes[node].retained[topic] }

  /// Gets all values, at whichever node they arrive, also those that arrive while nodes begin again: a session that the broker keeps.
  var consumer: (_ topic: String, _ payload: String) -> Void = { _, _ in }

  private func route(_ topic: String, _ payload: String, retain: Bool, from node: Int) {
    if topic.hasPrefix("value/") {
      for _ in 0..<(chance.unit() < repetitions ? 2 : 1) { time.after(delay()) { [self] in consumer(topic, payload) } }
      return
    }
    for place in nodes.indices where place == node || !isSplit {
      if place == node {
        arrive(topic, payload, retain, at: place)
      } else {
        time.after(delay()) { [self] in if !isSplit { arrive(topic, payload, retain, at: place) } }
      }
    }
  }

  private func arrive(_ topic: String, _ payload: String, _ retain: Bool, at place: Int) {
    if retain { nodes[place].retained[topic] = payload.isEmpty ? nil : payload }
    for session in nodes[place].subscribers[topic] ?? [] { deliver(topic, payload, to: session) }
  }

  private func deliver(_ topic: String, _ payload: String, to session: Session) {
    let count = chance.unit() < repetitions ? 2 : 1
    delivered += count
    octets += count * (topic.utf8.count + payload.utf8.count)
    for _ in 0..<count { down(session) { session.received(topic, payload) } }
  }

  /// The connection ends for both sides.
  /// - Parameter clean: no last will is published.
  func close(_ session: Session, clean: Bool = false) {
    guard session.isOpen else { return }
    session.isOpen = false
    for topic in session.topics { nodes[session.node].subscribers[topic]?.removeAll { $0 === session } }
    nodes[session.node].sessions.removeAll { $0 === session }
    if let will = session.will, !clean { route(will.topic, will.payload, retain: false, from: session.node) }
    session.closed()
  }

  /// A node begins again.
  func restart(_ number: Int, forgetting: Bool) {
    let node = number % nodes.count
    if forgetting { nodes[node].retained = [:] }
    for session in nodes[node].sessions { close(session, clean: forgetting) }
  }
}
