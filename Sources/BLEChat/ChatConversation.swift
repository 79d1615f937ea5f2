import BLESession
import Foundation

/// The conversation with the other side across all its links: messages arrive whole, in order and once, however often the link is lost. A
/// state machine without I/O: its input and output are frames, and it returns news for the application.
///
/// On a link both sides first say hello. Then they agree on keys if encryption is required and they share none, then each side says
/// where it resumes, and after that pieces of messages and acknowledgements are exchanged.
struct ChatConversation {
  enum News: Equatable {
    /// Messages can be exchanged. `isChanged`: the code differs from the last one, or there is none any more, so that a user who
    /// identified the other side by it has to compare again.
    case open(code: String?, isChanged: Bool)
    case message(Data)
    case delivered([UInt32])
    /// These messages, and all that wait to be appended after them, were meant for a partner with other keys.
    case givenUp([UInt32])
    case end
    case goodbye(ChatGoodbye)
  }

  /// This side's role on the link.
  enum Side {
    case central, peripheral
  }

  enum Phase {
    case closed
    /// Agreement on keys: the central has sent its commitment; the peripheral waits for it, or for a frame sealed with existing keys.
    case agreeing
    /// This side has said where it resumes.
    case resuming
    case open
  }

  let identifier: UInt64
  let name: String
  let cryptography: (any SessionCryptography)?
  let wantsEncryption: Bool
  let limit: AgreementLimit

  var outbox = ChatOutbox()
  var inbox = ChatInbox()
  /// While the application does not read its messages nothing is acknowledged, so that the other side stops at the end of its window.
  var isInboxFull = false

  private(set) var phase = Phase.closed
  private(set) var partner: ChatHello?
  /// Frames that are sent before everything else.
  private var control: [Data] = []
  private(set) var isEncrypted = false
  private var side = Side.central
  private var secrets = ChatSecrets()
  /// The keys of the last open conversation; 0 if it was not encrypted. Queued messages were meant only for the owner of these keys.
  private var keysOfQueued: UInt64 = 0

  init(
    identifier: UInt64, name: String, cryptography: (any SessionCryptography)?, wantsEncryption: Bool,
    limit: AgreementLimit = AgreementLimit()
  ) {
    self.limit = limit
    self.identifier = identifier
    self.name = name
    self.cryptography = cryptography
    self.wantsEncryption = wantsEncryption
  }

  /// This side's first frame; the peripheral's is an answer.
  func hello(answering hello: ChatHello? = nil) -> ChatHello {
    var flags: ChatHello.Flags = []
    if wantsEncryption { flags.insert(.wantsEncryption) }
    if cryptography != nil { flags.insert(.canEncrypt) }
    return ChatHello(
      flags: flags, identifier: identifier, keys: secrets.named(answering: hello), name: name)
  }

  private func encrypts(with hello: ChatHello) -> Bool { wantsEncryption || hello.flags.contains(.wantsEncryption) }

  /// Whether the two can talk: both encrypted or both not, and encrypted while messages that were meant to be encrypted are queued.
  func canTalk(to hello: ChatHello) -> Bool {
    guard encrypts(with: hello) else { return canTalkUnencrypted }
    return cryptography != nil && hello.flags.contains(.canEncrypt)
  }

  /// Whether a conversation without encryption is allowed.
  var canTalkUnencrypted: Bool { !wantsEncryption && (keysOfQueued == 0 || outbox.isEmpty) }

  /// Whether an agreement on keys is needed and has to wait for the limit.
  func hasToWait(_ side: Side, for hello: ChatHello) -> Bool {
    guard encrypts(with: hello), !limit.hasRoom else { return false }
    return switch side {
    case .central: !secrets.has(hello.keys, with: hello.identifier)
    case .peripheral: secrets.named(answering: hello) == 0
    }
  }

  /// Whether a link on which the same identifier sends this hello may replace the current one. In an encrypted conversation the other
  /// side knows the keys.
  func canReplace(by hello: ChatHello) -> Bool {
    !isProven || (hello.keys == secrets.current && encrypts(with: hello))
  }

  /// Whether the other side has proved on this link that it has the keys: a frame without encryption is not from it.
  var isProven: Bool { phase == .open && isEncrypted }

  /// Begins a conversation without frames. Returns whether it replaces an encrypted one.
  mutating func beginPlain() -> Bool {
    end()
    keysOfQueued = 0
    return secrets.last != 0
  }

  /// Begins on a link on which both sides have said hello.
  mutating func begin(_ side: Side, with partner: ChatHello) throws {
    end()
    self.side = side
    self.partner = partner
    isEncrypted = encrypts(with: partner)
    secrets.use(0)
    guard isEncrypted else { return try resume() }
    phase = .agreeing
    // The peripheral waits for the central's choice.
    guard side == .central else { return }
    if secrets.has(partner.keys, with: partner.identifier) {
      secrets.use(partner.keys)
      try resume()
    } else {
      say(.commitment(try secrets.begin(with: try encryption, limit: limit)))
    }
  }

  private var encryption: any SessionCryptography {
    get throws(ChatViolation) {
      guard let cryptography else { throw ChatViolation("there is no encryption here") }
      return cryptography
    }
  }

  /// Called when the link has ended: unacknowledged frames are sent again on the next one.
  mutating func end() {
    phase = .closed
    control = []
  }

  /// Handles a frame received on the link.
  mutating func receive(_ octets: Data) throws -> [News] {
    var frame = try ChatFrame(octets: octets)
    if isEncrypted, phase == .resuming || phase == .open {
      guard case .sealed(let value) = frame else {
        // A side without the keys may still say goodbye.
        if case .goodbye(let reason) = frame, phase == .resuming { return [.goodbye(reason)] }
        throw ChatViolation("a frame that is not encrypted")
      }
      frame = try ChatFrame(octets: try secrets.open(value))
    } else if phase == .agreeing, side == .peripheral, case .sealed(let value) = frame {
      frame = try ChatFrame(octets: try openFirst(value))
    }
    switch (frame, phase) {
    case (.unknown, _): return []
    case (.goodbye(let reason), _): return [.goodbye(reason)]
    case (.commitment(let value), .agreeing):
      guard side == .peripheral else { throw ChatViolation("a commitment out of turn") }
      say(.key(try secrets.take(commitment: value, with: try encryption, limit: limit)))
      return []
    case (.key(let value), .agreeing):
      guard let partner else { throw ChatViolation("a key before a hello") }
      if let answer = try secrets.take(key: value, of: partner.identifier) { say(.key(answer)) }
      try resume()
      return []
    case (.resume(let resume), .resuming): return try take(resume)
    case (.piece(let piece), .open):
      switch try inbox.take(piece) {
      case .nothing: return []
      case .message(_, let content): return [.message(content)]
      case .end: return [.end]
      }
    case (.acknowledgement(let place), .open):
      let delivered = try outbox.acknowledge(place)
      return delivered.isEmpty ? [] : [.delivered(delivered.map(\.number))]
    default: throw ChatViolation("a frame that does not belong here")
    }
  }

  private mutating func resume() throws {
    guard let partner else { return }
    phase = .resuming
    inbox.listen(to: partner.identifier, keys: secrets.current)
    // Messages meant for a partner with other keys are not offered to this one.
    let first = isQueuedForOthers ? outbox.next : outbox.first
    try saySealedIfEncrypted(.resume(ChatResume(expected: inbox.place, first: first, next: outbox.next)))
  }

  /// Whether the queued messages were meant for a partner with other keys than those of this link.
  private var isQueuedForOthers: Bool { keysOfQueued != 0 && keysOfQueued != secrets.current }

  /// Whether new messages have to wait until it is known which partner gets them: this side has already said which one is its first.
  var takesNoMessages: Bool { phase == .resuming && isQueuedForOthers }

  /// Opens the central's first sealed frame, which uses the keys that this side has named.
  private mutating func openFirst(_ value: Data) throws -> Data {
    guard let partner, secrets.current == 0, !secrets.isAgreeing else {
      throw ChatViolation("an encrypted frame out of turn")
    }
    secrets.use(secrets.named(answering: partner))
    let content = try secrets.open(value)
    try resume()
    return content
  }

  private mutating func take(_ resume: ChatResume) throws -> [News] {
    var news: [News] = []
    try inbox.resume(first: resume.first, next: resume.next)
    let isChanged = secrets.areChanging
    var delivered: [UInt32] = []
    if isQueuedForOthers {
      news.append(.givenUp(outbox.removeAll().map(\.number)))
    } else {
      delivered = outbox.resume(at: resume.expected).map(\.number)
    }
    keysOfQueued = secrets.current
    phase = .open
    news.append(.open(code: isEncrypted ? secrets.confirm(limit) : nil, isChanged: isChanged))
    if !delivered.isEmpty { news.append(.delivered(delivered)) }
    return news
  }

  /// Says goodbye: no frame of this side follows.
  mutating func sayGoodbye(_ reason: ChatGoodbye) throws { try saySealedIfEncrypted(.goodbye(reason)) }

  /// The next frame to send, with its length in front; `nil` where there is none, or no room for it now.
  mutating func nextOctets() throws -> Data? {
    if let octets = nextControl() { return octets }
    guard phase == .open else { return nil }
    if !isInboxFull, inbox.isAcknowledgementDue { return try sealedIfEncrypted(.acknowledgement(inbox.acknowledge())) }
    return try outbox.nextPiece(atMost: ChatProtocol.longestPiece).map { try sealedIfEncrypted(.piece($0)) }
  }

  /// The same without messages.
  mutating func nextControl() -> Data? { control.isEmpty ? nil : control.removeFirst() }

  private mutating func say(_ frame: ChatFrame) { control.append(ChatFrameReader.framed(frame.octets)) }

  private mutating func saySealedIfEncrypted(_ frame: ChatFrame) throws { control.append(try sealedIfEncrypted(frame)) }

  private mutating func sealedIfEncrypted(_ frame: ChatFrame) throws -> Data {
    guard isEncrypted, phase == .resuming || phase == .open else { return ChatFrameReader.framed(frame.octets) }
    return ChatFrameReader.framed(ChatFrame.sealed(try secrets.seal(frame.octets)).octets)
  }
}
