import Foundation

/// The talk with the other side over all links that it takes: what is said arrives whole, in order and once, however often the link
/// breaks. A state machine without I/O: frames in, frames and news out.
///
/// A link begins when both sides have said hello. Keys come next where they are wanted and not there, then each side says where it
/// goes on, and then pieces of messages and acknowledgements flow.
struct ChatConversation {
  enum News: Equatable {
    /// Messages can flow. `isChanged`: another code than the one that was there before, which who knows the other side by it has to
    /// compare again.
    case open(code: String?, isChanged: Bool)
    case message(Data)
    case delivered([UInt32])
    /// These were meant for somebody with other keys.
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
    /// The keys: the central has bound itself, or the peripheral waits for that.
    case agreeing
    /// This side has said where it goes on.
    case resuming
    case open
  }

  let identifier: UInt64
  let name: String
  let cryptography: (any SessionCryptography)?
  let wantsEncryption: Bool

  var outbox = ChatOutbox()
  var inbox = ChatInbox()
  /// Nothing is acknowledged while the application does not take what came: the other side stops at the end of its window.
  var isInboxFull = false

  private(set) var phase = Phase.closed
  private(set) var partner: ChatHello?
  /// Frames that go before everything else.
  private var control: [Data] = []
  var isEncrypted = false
  var secrets = ChatSecrets()

  init(identifier: UInt64, name: String, cryptography: (any SessionCryptography)?, wantsEncryption: Bool) {
    self.identifier = identifier
    self.name = name
    self.cryptography = cryptography
    self.wantsEncryption = wantsEncryption
  }

  /// What this side says first; `partner` where it knows to whom.
  func hello(to partner: UInt64? = nil) -> ChatHello {
    var flags: ChatHello.Flags = []
    if wantsEncryption { flags.insert(.wantsEncryption) }
    if cryptography != nil { flags.insert(.canEncrypt) }
    return ChatHello(
      flags: flags, identifier: identifier, keyPartner: secrets.partner(for: partner), name: name)
  }

  /// Whether the two can talk: both or none encrypted.
  func canTalk(to hello: ChatHello) -> Bool {
    guard wantsEncryption || hello.flags.contains(.wantsEncryption) else { return true }
    return cryptography != nil && hello.flags.contains(.canEncrypt)
  }

  /// A link, on which both have said hello.
  mutating func begin(_ side: Side, with partner: ChatHello) throws {
    end()
    self.partner = partner
    isEncrypted = wantsEncryption || partner.flags.contains(.wantsEncryption)
    let haveKeys =
      secrets.partner(for: side == .central ? nil : partner.identifier) == partner.identifier
      && partner.keyPartner == identifier
    if isEncrypted, !haveKeys {
      phase = .agreeing
      guard let cryptography else { throw ChatViolation("there is no encryption here") }
      if let commitment = try secrets.begin(side, with: cryptography) { say(.commitment(commitment)) }
    } else {
      secrets.goOn(with: partner.identifier)
      try resume()
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
      frame = try ChatFrame(octets: try open(value))
    }
    switch (frame, phase) {
    case (.unknown, _): return []
    case (.goodbye(let reason), _): return [.goodbye(reason)]
    case (.commitment(let value), .agreeing):
      say(.key(try secrets.takeCommitment(value)))
      return []
    case (.key(let value), .agreeing):
      guard let cryptography, let partner else { throw ChatViolation("there is no encryption here") }
      if let answer = try secrets.takeKey(value, of: partner.identifier, with: cryptography) { say(.key(answer)) }
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
    inbox.listen(to: partner.identifier)
    // What was meant for somebody with other keys is not offered to this one.
    let first = isEncrypted && secrets.areChanging ? outbox.next : outbox.first
    try sayInPrivate(.resume(ChatResume(expected: inbox.place, first: first)))
  }

  private mutating func open(_ value: Data) throws -> Data {
    do {
      return try secrets.open(value)
    } catch {
      if phase == .resuming { secrets.dropFresh() }
      throw error
    }
  }

  private mutating func take(_ resume: ChatResume) throws -> [News] {
    var news: [News] = []
    let code = isEncrypted ? secrets.confirm() : nil
    var delivered: [UInt32] = []
    if code?.isChanged == true {
      let lost = outbox.removeAll().map(\.number)
      if !lost.isEmpty { news.append(.givenUp(lost)) }
    } else {
      delivered = try outbox.resume(at: resume.expected).map(\.number)
    }
    try inbox.resume(first: resume.first)
    phase = .open
    news.append(.open(code: code?.text, isChanged: code?.isChanged ?? false))
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
