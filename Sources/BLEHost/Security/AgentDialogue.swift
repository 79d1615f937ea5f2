import BLECore
import BLECrypto
import BLEPairing
import BLEWire
import Dispatch
import Synchronization

/// Brings the questions of one link's pairing to an agent, and the answers back. On the loop.
final class AgentDialogue {
  /// Keypresses that wait for the agent; a passkey is typed, and taken back, with fewer. Further ones are dropped.
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

  /// - Parameter kept: the device that keys are kept of under an identity.
  func ask(
    _ question: PairingQuestion, of peer: PairingPeer, _ occasion: PairingOccasion, for manager: SecurityManager,
    kept: (DeviceAddress) -> PairingPeer
  ) {
    let bound = LoopBound(Asking(manager))
    let loop = loop
    let origin = origin
    let request = PairingRequest(
      PairingRequest.Kind(question.kind, kept), method: question.method,
      isSecureConnections: question.isSecureConnections, peer: peer, occasion: occasion
    ) { answer in
      loop.submit(from: origin) { bound.value.manager?.answer(PairingAnswer(answer), to: question.id) }
    }
    requests.append(request)
    let agent = agent
    deliver { agent.pairing(request) }
  }

  func tell(_ body: @escaping @Sendable (any PairingAgent) -> Void) {
    let agent = agent
    deliver { body(agent) }
  }

  /// The peer's user types. A peer may say so as often as it likes: an agent that is busy hears of the first ones when it has time.
  func tell(_ keypress: PairingKeypress, of peer: PairingPeer) {
    guard keypresses.add(keypress) else { return }
    let agent = agent
    deliver { [keypresses] in
      for keypress in keypresses.takeAll() { agent.pairing(with: peer, typed: keypress) }
    }
  }

  /// The pairing is over, or the link is: nobody waits for answers any more.
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

/// What a peer's user has typed and the agent has not heard of. One call of the agent's queue brings all of it.
private final class Keypresses: Sendable {
  private let waiting = Mutex<[PairingKeypress]>([])

  /// - Returns: whether there has to be a call for it: none is on its way.
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

extension PairingRequest.Kind {
  fileprivate init(_ kind: PairingQuestion.Kind, _ kept: (DeviceAddress) -> PairingPeer) {
    switch kind {
    case .displayPasskey(let digits): self = .displayPasskey(digits.digits)
    case .enterPasskey: self = .enterPasskey
    case .compare(let digits): self = .compare(digits.digits)
    case .acceptJustWorks: self = .confirmJustWorks
    case .replaceBond(of: let identity, let security):
      self = .replaceBond(of: kept(identity), keptMethod: security.method)
    }
  }
}

extension PairingAnswer {
  fileprivate init(_ answer: PairingRequest.Answer) {
    switch answer {
    case .yes: self = .yes
    case .no: self = .no
    case .passkey(let digits): self = SixDigits(digits).map { .passkey($0) } ?? .no
    }
  }
}

extension OutOfBandExchange {
  /// What an agent has, and what this device has handed out.
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
