import BLEChat
import BLESession
import Dispatch
import Foundation

/// One run of `ble chat`: sends lines of the keyboard or a pipe, and shows or prints the messages of the other side.
@MainActor final class ChatProgram {
  private let configuration: ChatConfiguration
  private let waitsForPeer: Bool
  private let session: Session
  private let chat: Chat
  private let screen: ChatScreen
  private var input: LineInput?
  private var breaker: (any DispatchSourceSignal)?

  // Sending.
  private var lines: [String] = []
  private var isSending = false
  private var hasInputEnded = false
  private var isTyped = false
  /// Messages with a number that were not delivered yet. The message that marks the end of the input is one of them.
  private var outstanding = 0
  private var lost = 0

  // The other side.
  private var hasPeerFinished = false
  private var isPeerThere = false
  /// The other side has finished and is no longer waited for.
  private var isPeerGone = false

  private var hasBegun = false
  private var failure: ToolError?
  private var isOver = false

  /// The most waiting lines before reading from a pipe pauses.
  private static let mostLines = 64

  init(_ configuration: ChatConfiguration, waitsForPeer: Bool, in session: Session) {
    self.configuration = configuration
    self.waitsForPeer = waitsForPeer
    self.session = session
    chat = Chat(configuration)
    screen = ChatScreen(ownName: configuration.name, output: session.output)
  }

  func run() async throws(ToolError) {
    let events = Task { await listen() }
    defer { events.cancel() }
    try await always(end) { () async throws(ToolError) in
      try await begin()
      try await session.waiting.until(within: nil) { () throws(ToolError) in
        if let failure = self.failure { throw failure }
        return self.isOver
      }
    }
    if lost > 0 { throw ToolError(.failed, "\(lost) message\(lost == 1 ? " was" : "s were") not delivered.") }
  }

  private func begin() async throws(ToolError) {
    Task {
      do throws(SessionError) { try await chat.start() } catch { failure = Self.explain(error) }
      hasBegun = true
      session.waiting.changed()
    }
    try await session.waiting.until(within: session.timeout, else: .lateAdapter(session)) { () throws(ToolError) in
      if let failure = self.failure { throw failure }
      return self.hasBegun
    }
    screen.begin(configuration)
    watchForBreaks()
    let input = LineInput(
      prompt: "> ",
      history: LineHistoryFile.standard("chat", environment: ProcessInfo.processInfo.environment),
      edits: !session.options.isJSON, longestLine: Chat.longestMessage, onLine: { [weak self] in self?.say($0) },
      onEnd: { [weak self] in self?.inputEnded() })
    input.leavesLines = false
    isTyped = input.isEditing
    screen.input = input
    self.input = input
  }

  /// Leaves the chat and closes the links.
  private func end() async {
    input?.stop()
    screen.end()
    await session.settle(within: 4) { [chat] in await chat.leave() }
  }

  private func watchForBreaks() {
    signal(SIGUSR1, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .main)
    let chat = chat
    source.setEventHandler { Task { await chat.breakLink() } }
    source.resume()
    breaker = source
  }

  // MARK: Saying

  private func say(_ line: String) {
    guard !line.isEmpty else { return }
    lines.append(line)
    if lines.count >= Self.mostLines { input?.pauseReading() }
    send()
  }

  private func inputEnded() {
    hasInputEnded = true
    // At a keyboard the end of the input leaves the chat immediately.
    if isTyped { isOver = true }
    send()
  }

  /// Sends one line after another; waits while there is no room.
  private func send() {
    guard !isSending else { return }
    isSending = true
    Task {
      while !lines.isEmpty {
        let line = lines.removeFirst()
        if lines.count < Self.mostLines / 2 { input?.resumeReading() }
        do throws(SessionError) {
          let number = try await chat.send(line)
          outstanding += 1
          screen.sent(line, number)
        } catch {
          lost += 1
          session.output.note("Not sent: \(error.description.inert)")
        }
      }
      if hasInputEnded, waitsForPeer, !hasFinished {
        hasFinished = true
        if (try? await chat.finish()) != nil { outstanding += 1 }
      }
      isSending = false
      if hasInputEnded, !lines.isEmpty { send() }
      check()
    }
  }

  private var hasFinished = false

  /// Ends the chat when everything was sent and received.
  private func check() {
    defer { session.waiting.changed() }
    guard hasInputEnded, !isSending, lines.isEmpty else { return }
    // The other side has finished and left: only this side's own end of input may be undelivered.
    if outstanding <= 0 || (hasPeerFinished && isPeerGone && outstanding == 1) {
      isOver = isOver || !waitsForPeer || hasPeerFinished || isPeerGone
    }
  }

  // MARK: Hearing

  private func listen() async {
    while let event = await chat.next() {
      take(event)
      check()
    }
  }

  private func take(_ event: ChatEvent) {
    switch event {
    case .arrived:
      isPeerThere = true
      isPeerGone = false
    case .away:
      isPeerThere = false
      if hasPeerFinished { giveUpSoon() }
    case .left:
      isPeerThere = false
      isPeerGone = true
    case .delivered(let numbers): outstanding -= numbers.count
    case .undeliverable(let numbers):
      outstanding -= numbers.count
      lost += numbers.count
    case .finished: hasPeerFinished = true
    case .message, .refused, .unavailable: break
    }
    screen.show(event)
  }

  /// The other side has finished, and may have left at the moment at which the link was lost: waits for the time limit only.
  private func giveUpSoon() {
    onMain(after: session.timeout) { [weak self] in
      guard let self, !isPeerThere else { return }
      isPeerGone = true
      check()
    }
  }

  private static func explain(_ error: SessionError) -> ToolError {
    ToolError(error.code == .unavailable ? .unavailable : .failed, ToolError(error).message)
  }
}
