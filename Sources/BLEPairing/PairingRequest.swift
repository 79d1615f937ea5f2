import Synchronization

/// Something to show to the user, or to ask. It names the method, so that nobody takes one for another
/// (Core, Vol 3 Part H 2.3.5.1).
///
/// Answered once; later answers, and those that do not fit the question, do nothing. A request that nobody holds any more and
/// that has no answer counts as refused when the pairing's time is over, 30 s after its last step.
public final class PairingRequest: Sendable {
  /// What is to be shown, or what is asked.
  public enum Kind: Sendable, Equatable {
    /// Show these six digits until the pairing is over. There is no answer.
    case displayPasskey(String)
    /// Take the six digits that the peer shows. Answered by `enter` or `refuse`.
    case enterPasskey
    /// Are these six digits the same on the other device? Answered by `accept` or `refuse`.
    case compare(String)
    /// Pair with whoever this is: nobody checks anything. Answered by `accept` or `refuse`.
    case confirmJustWorks
    /// The device on the other side says it is `kept`, whose keys are kept and came by `keptMethod`, and has not proved it; or its
    /// new keys are worse. Replace the keys of `kept`? Its name and address are those that were known before, and need not be the
    /// ones that the device on the other side goes by now. Answered by `accept` or `refuse`.
    case replaceBond(of: PairingPeer, keptMethod: PairingMethod)
  }

  /// What an answer comes to.
  public enum Answer: Sendable, Equatable {
    /// The user agrees.
    case yes
    /// The user does not agree, or nobody answered.
    case no
    /// Exactly six digits.
    case passkey(String)
  }

  /// What is to be shown, or what is asked.
  public let kind: Kind
  /// The method that this pairing goes by.
  public let method: PairingMethod
  /// Whether it is LE Secure Connections; otherwise LE legacy pairing, which a listener can break.
  public let isSecureConnections: Bool
  /// The device on the other side.
  public let peer: PairingPeer
  /// What has led to the pairing: whether to ask the user, where there is a choice.
  public let occasion: PairingOccasion

  private struct State {
    var reply: (@Sendable (Answer) -> Void)?
    var task: Task<Void, Never>?
    var isOver = false
  }

  private let state: Mutex<State>

  /// A request as a stack makes it, or a test of an agent: `reply` gets the answer, once, on whatever thread it was given.
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

  /// The pairing is over, or this was answered: nobody waits for an answer any more.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Says yes, where that is an answer.
  public func accept() {
    switch kind {
    case .compare, .confirmJustWorks, .replaceBond: give(.yes)
    case .displayPasskey, .enterPasskey: break
    }
  }

  /// Says no; the pairing fails.
  public func refuse() { give(.no) }

  /// Answers where there is nobody to ask: permits a pairing by Just Works that a program has given cause for, and refuses
  /// everything else.
  public func answerUnattended() {
    if kind == .confirmJustWorks, occasion != .unasked { accept() } else { refuse() }
  }

  /// - Returns: false, and nothing was answered, where these are not exactly six digits or none were asked for.
  @discardableResult
  public func enter(_ passkey: String) -> Bool {
    guard kind == .enterPasskey, passkey.utf8.count == 6, passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    give(.passkey(passkey))
    return true
  }

  /// Lets a task find the answer. It is cancelled when the pairing is over.
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

  /// Called by the stack: the pairing is over.
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

// The digits are as secret as the keys that come of them.
extension PairingRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "pairing by \(method.rawValue)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
