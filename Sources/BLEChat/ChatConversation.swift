import BLESession
import Foundation

/// The talk with the other side over all links that it takes: what is said arrives whole, in order and once, however often the link
/// breaks. A state machine without I/O: frames in, frames and news out.
///
/// A link begins when both sides have said hello. Keys come next where they are wanted and not there, then each side says where it
/// goes on, and then pieces of messages and acknowledgements flow.
struct ChatConversation {
  enum News: Equatable {
    /// Messages can flow. `isChanged`: another code than the one that was there before, or none any more, which who knows the other
    /// side by it has to compare again.
    case open(code: String?, isChanged: Bool)
    case message(Data)
    case delivered([UInt32])
    /// These, and all that waits to be said after them, were meant for somebody with other keys.
    case givenUp([UInt32])
    case end
    case goodbye(ChatGoodbye)
  }

  /// Which side of the link this is.
  enum Side {
    case central, peripheral
  }

  enum Phase {
    case closed
    /// The keys: the central has bound itself, or the peripheral waits for that, or for a frame that is sealed with keys that are there.
    case agreeing
    /// This side has said where it goes on.
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
  /// Nothing is acknowledged while the application does not take what came: the other side stops at the end of its window.
  var isInboxFull = false

  private(set) var phase = Phase.closed
  private(set) var partner: ChatHello?
  /// Frames that go before everything else.
  private var control: [Data] = []
  private(set) var isEncrypted = false
  private var side = Side.central
  private var secrets = ChatSecrets()
  /// The keys of the last talk that was open; 0 where it was not encrypted. What waits was meant for their owner alone.
  private var keysOfWaiting: UInt64 = 0

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

  /// What this side says first; the peripheral answers with it.
  func hello(answering hello: ChatHello? = nil) -> ChatHello {
    var flags: ChatHello.Flags = []
    if wantsEncryption { flags.insert(.wantsEncryption) }
    if cryptography != nil { flags.insert(.canEncrypt) }
    return ChatHello(
      flags: flags, identifier: identifier, keys: secrets.named(answering: hello), name: name)
  }

  private func encrypts(with hello: ChatHello) -> Bool { wantsEncryption || hello.flags.contains(.wantsEncryption) }

  /// Whether the two can talk: both or none encrypted, and encrypted as long as something waits that was meant to be.
  func canTalk(to hello: ChatHello) -> Bool {
    guard encrypts(with: hello) else { return canTalkInTheOpen }
    return cryptography != nil && hello.flags.contains(.canEncrypt)
  }

  /// Whether another side may be talked to without encryption.
  var canTalkInTheOpen: Bool { !wantsEncryption && (keysOfWaiting == 0 || outbox.isEmpty) }

  /// Whether an agreement on keys is needed and has to wait.
  func hasToWait(_ side: Side, for hello: ChatHello) -> Bool {
    guard encrypts(with: hello), !limit.hasRoom else { return false }
    return switch side {
    case .central: !secrets.has(hello.keys, with: hello.identifier)
    case .peripheral: secrets.named(answering: hello) == 0
    }
  }

  /// Whether a link on which the same number says this may take the place of the one that is talked on. In an encrypted
  /// talk the other side knows the keys.
  func canReplace(by hello: ChatHello) -> Bool {
    !isProven || (hello.keys == secrets.current && encrypts(with: hello))
  }

  /// Whether the other side has shown on this link that it has the keys: what is said in the open does not come from it.
  var isProven: Bool { phase == .open && isEncrypted }

  /// A talk begins that is none of frames. Gives whether it takes the place of one that was encrypted.
  mutating func beginPlain() -> Bool {
    end()
    keysOfWaiting = 0
    return secrets.last != 0
  }

  /// A link, on which both have said hello.
  mutating func begin(_ side: Side, with partner: ChatHello) throws {
    end()
    self.side = side
    self.partner = partner
    isEncrypted = encrypts(with: partner)
    secrets.use(0)
    guard isEncrypted else { return try resume() }
    phase = .agreeing
    // The peripheral waits for what the central decides on.
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

  /// The link is gone: what was on its way is said again on the next one.
  mutating func end() {
    phase = .closed
    control = []
  }

  /// Takes a frame that came over the link.
  mutating func receive(_ octets: Data) throws -> [News] {
    var frame = try ChatFrame(octets: octets)
    if isEncrypted, phase == .resuming || phase == .open {
      guard case .sealed(let value) = frame else {
        // Who has no keys for it may still go.
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
    // What was meant for somebody with other keys is not offered to this one.
    let first = isWaitingForOthers ? outbox.next : outbox.first
    try sayInPrivate(.resume(ChatResume(expected: inbox.place, first: first, next: outbox.next)))
  }

  /// Whether what waits was meant for somebody with other keys than those of this link.
  private var isWaitingForOthers: Bool { keysOfWaiting != 0 && keysOfWaiting != secrets.current }

  /// Whether messages have to wait outside until it is clear who gets them: this side has said which one is the first.
  var takesNoMessages: Bool { phase == .resuming && isWaitingForOthers }

  /// The central's first sealed frame: it uses the keys that this side has named.
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
    if isWaitingForOthers {
      news.append(.givenUp(outbox.removeAll().map(\.number)))
    } else {
      delivered = outbox.resume(at: resume.expected).map(\.number)
    }
    keysOfWaiting = secrets.current
    phase = .open
    news.append(.open(code: isEncrypted ? secrets.confirm(limit) : nil, isChanged: isChanged))
    if !delivered.isEmpty { news.append(.delivered(delivered)) }
    return news
  }

  /// The end of this side's part: nothing follows it.
  mutating func sayGoodbye(_ reason: ChatGoodbye) throws { try sayInPrivate(.goodbye(reason)) }

  /// What goes on the air next, with its length in front; `nil` where there is nothing to say, or no room for it now.
  mutating func nextOctets() throws -> Data? {
    if let octets = nextControl() { return octets }
    guard phase == .open else { return nil }
    if !isInboxFull, inbox.isAcknowledgementDue { return try privately(.acknowledgement(inbox.acknowledge())) }
    return try outbox.nextPiece(atMost: ChatProtocol.longestPiece).map { try privately(.piece($0)) }
  }

  /// The same, without messages.
  mutating func nextControl() -> Data? { control.isEmpty ? nil : control.removeFirst() }

  private mutating func say(_ frame: ChatFrame) { control.append(ChatFrameReader.framed(frame.octets)) }

  private mutating func sayInPrivate(_ frame: ChatFrame) throws { control.append(try privately(frame)) }

  private mutating func privately(_ frame: ChatFrame) throws -> Data {
    guard isEncrypted, phase == .resuming || phase == .open else { return ChatFrameReader.framed(frame.octets) }
    return ChatFrameReader.framed(ChatFrame.sealed(try secrets.seal(frame.octets)).octets)
  }
}
