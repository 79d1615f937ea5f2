import BLECore
import Synchronization

/// Something to show to the user, or to ask. It names the method, so that one cannot be mistaken for another (Core, Vol 3 Part H 2.3.5.1).
///
/// A request is answered once; later answers, and those that do not fit the question, do nothing. A request that was released
/// without an answer counts as refused when the pairing times out, 30 s after its last step.
public final class PairingRequest: Sendable {
  /// What to show, or what to ask.
  public enum Kind: Sendable, Equatable {
    /// Show these six digits until the pairing has ended. There is no answer.
    case displayPasskey(String)
    /// Ask for the six digits that the peer shows. Answered by `enter` or `refuse`.
    case enterPasskey
    /// Ask whether the other device shows the same six digits. Answered by `accept` or `refuse`.
    case compare(String)
    /// Ask whether to pair by Just Works, without authentication. Answered by `accept` or `refuse`.
    case confirmJustWorks
    /// Ask whether to replace the keys of `kept`, which are stored and were made by `keptMethod`. The peer claims to be `kept`
    /// and has not proved it; or its new keys are weaker. The name and address are those known before, and may differ from those
    /// that the peer uses now. Answered by `accept` or `refuse`.
    case replaceBond(of: PairingPeer, keptMethod: PairingMethod)
  }

  /// An answer.
  public enum Answer: Sendable, Equatable {
    /// The user agrees.
    case yes
    /// The user does not agree, or did not answer.
    case no
    /// Exactly six digits.
    case passkey(String)
  }

  /// What to show, or what to ask.
  public let kind: Kind
  /// The method of this pairing.
  public let method: PairingMethod
  /// Whether it is LE Secure Connections; otherwise LE legacy pairing, whose keys a listener can compute.
  public let isSecureConnections: Bool
  /// The peer.
  public let peer: PairingPeer
  /// The cause of the pairing: whether to ask the user, where there is a choice.
  public let occasion: PairingOccasion

  private struct State {
    var reply: (@Sendable (Answer) -> Void)?
    var task: Task<Void, Never>?
    var isOver = false
  }

  private let state: Mutex<State>

  /// A request made by a stack, or by a test of an agent: `reply` receives the answer, once, on the thread of the answer.
  public init(
    _ kind: Kind, method: PairingMethod, isSecureConnections: Bool, peer: PairingPeer,
    occasion: PairingOccasion = .wanted,
    reply: @escaping @Sendable (Answer) -> Void
  ) {
    self.kind = kind
    self.method = method
    self.isSecureConnections = isSecureConnections
    self.peer = peer
    self.occasion = occasion
    state = Mutex(State(reply: reply))
  }

  /// Whether the pairing has ended, or this was answered: no further answer has an effect.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Answers yes, if the kind allows that.
  public func accept() {
    switch kind {
    case .compare, .confirmJustWorks, .replaceBond: give(.yes)
    case .displayPasskey, .enterPasskey: break
    }
  }

  /// Answers no; the pairing fails.
  public func refuse() { give(.no) }

  /// Answers without a user: accepts a pairing by Just Works that a program has given cause for, and refuses everything else.
  public func answerUnattended() {
    if kind == .confirmJustWorks, occasion != .unasked { accept() } else { refuse() }
  }

  /// - Returns: false, and no answer was given, if these are not exactly six digits or none were asked for.
  @discardableResult
  public func enter(_ passkey: String) -> Bool {
    guard kind == .enterPasskey, passkey.utf8.count == 6, passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    give(.passkey(passkey))
    return true
  }

  /// Runs a task that returns the answer. It is cancelled when the pairing has ended.
  public func answer(by body: @escaping @Sendable () async -> Answer) {
    let task = Task { [weak self] in
      let answer = await body()
      guard !Task.isCancelled, let self else { return }
      switch answer {
      case .yes: accept()
      case .no: refuse()
      case .passkey(let digits): if !enter(digits) { refuse() }
      }
    }
    let isLate = state.withLock { state in
      if !state.isOver { state.task = task }
      return state.isOver
    }
    if isLate { task.cancel() }
  }

  /// Called by the stack when the pairing has ended.
  public func end() {
    let task = state.withLock { state in
      state.isOver = true
      state.reply = nil
      defer { state.task = nil }
      return state.task
    }
    task?.cancel()
  }

  private func give(_ answer: Answer) {
    let reply = state.withLock { state in
      state.isOver = true
      state.task = nil
      defer { state.reply = nil }
      return state.reply
    }
    reply?(answer)
  }
}

// The digits are as secret as the keys that are derived from them.
extension PairingRequest: Redacted {
  public var description: String { "pairing by \(method.rawValue)" }
}
