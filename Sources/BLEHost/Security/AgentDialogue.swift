import BLECore
import BLECrypto
import BLEPairing
import BLEWire
import Dispatch
import Synchronization

/// Passes the questions of one link's pairing to an agent, and the answers back. On the loop.
final class AgentDialogue {
  /// The most keypresses that wait for the agent; typing and erasing a passkey takes fewer. Further ones are dropped.
  static let keypressLimit = 32

  private let agent: any PairingAgent
  private let loop: any StackLoop
  private let origin: JobOrigin
  private let queue: DispatchQueue
  private var requests: [PairingRequest] = []
  private let keypresses = Keypresses()

  init(agent: any PairingAgent, loop: any StackLoop, origin: JobOrigin, queue: DispatchQueue) {
    self.agent = agent
    self.loop = loop
    self.origin = origin
    self.queue = queue
  }

  /// - Parameter kept: returns the bonded device with an identity.
  func ask(
    _ question: PairingQuestion, of peer: PairingPeer, _ occasion: PairingOccasion, for manager: SecurityManager,
    kept: (DeviceAddress) -> PairingPeer
  ) {
    let bound = LoopBound(Asking(manager))
    let loop = loop
    let origin = origin
    var kind = question.kind
    if case .replaceBond(let device, let method) = kind {
      kind = .replaceBond(of: kept(device.address), keptMethod: method)
    }
    let request = PairingRequest(
      kind, method: question.method, isSecureConnections: question.isSecureConnections, peer: peer, occasion: occasion
    ) { answer in
      loop.submit(from: origin) { bound.value.manager?.answer(answer, to: question.id) }
    }
    requests.append(request)
    let agent = agent
    deliver { agent.pairing(request) }
  }

  /// Calls `body` with the agent, on the agent's queue.
  func notify(_ body: @escaping @Sendable (any PairingAgent) -> Void) {
    let agent = agent
    deliver { body(agent) }
  }

  /// Reports a keypress of the peer's user. A peer can send any number: of those that arrive while the agent is busy, the first ones
  /// are reported afterwards.
  func notify(_ keypress: PairingKeypress, of peer: PairingPeer) {
    guard keypresses.add(keypress) else { return }
    let agent = agent
    deliver { [keypresses] in
      for keypress in keypresses.takeAll() { agent.pairing(with: peer, typed: keypress) }
    }
  }

  /// The pairing or the link has ended: open requests need no answer.
  func end() {
    for request in requests { request.end() }
    requests = []
  }

  private func deliver(_ body: @escaping @Sendable () -> Void) { loop.deliver(QueuedCall(queue: queue, body)) }

  private final class Asking {
    weak var manager: SecurityManager?
    init(_ manager: SecurityManager) { self.manager = manager }
  }
}

/// The keypresses not yet reported to the agent. One call on the agent's queue reports all of them.
private final class Keypresses: Sendable {
  private let waiting = Mutex<[PairingKeypress]>([])

  /// - Returns: whether a call must be scheduled, because none is pending.
  func add(_ keypress: PairingKeypress) -> Bool {
    waiting.withLock { waiting in
      if waiting.count >= AgentDialogue.keypressLimit { return false }
      waiting.append(keypress)
      return waiting.count == 1
    }
  }

  func takeAll() -> [PairingKeypress] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}

extension OutOfBandExchange {
  /// The data that an agent received, and the data of this device that was handed out.
  init(_ data: PairingOutOfBandData?, local: LocalOutOfBandData?) {
    self.init()
    self.local = local
    guard let data else { return }
    if let key = data.temporaryKey, key.count == 16 { temporaryKey = .init(mostSignificantFirst: key) }
    if let peer = data.peer, let random = AESBlock(mostSignificantFirst: peer.random),
      let confirm = AESBlock(mostSignificantFirst: peer.confirm)
    {
      self.peer = OutOfBandData(random: random, confirm: confirm)
    }
  }
}
