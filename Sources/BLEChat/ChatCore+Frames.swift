import BLESession
import CoreBluetooth

extension ChatCore {
  /// Octets of the stream that came over a link.
  func received(_ value: Data, on link: ChatLink) {
    guard !link.isOver else { return }
    do {
      for frame in try link.reader.append(value) where !link.isOver { try take(frame, on: link) }
      if newsOctets > configuration.inboxLimit + 2 * ChatProtocol.window + ChatProtocol.longestMessage {
        throw ChatViolation("more came than was asked for")
      }
    } catch {
      violated(link, error)
    }
    flush()
  }

  private func take(_ octets: Data, on link: ChatLink) throws {
    guard link.partner != nil else {
      switch try ChatFrame(octets: octets) {
      case .hello(let hello): greeted(link, hello)
      case .goodbye(let reason): goodbye(reason, on: link)
      case .unknown: break
      default: throw ChatViolation("the first frame has to be a hello")
      }
      return
    }
    // What comes over a link that is not kept does not count.
    guard isTalking(on: link) else {
      if case .goodbye(let reason) = try ChatFrame(octets: octets) { goodbye(reason, on: link) }
      return
    }
    for news in try conversation.receive(octets) { take(news, on: link) }
  }

  private func take(_ news: ChatConversation.News, on link: ChatLink) {
    switch news {
    case .open(let code, let isChanged):
      hasArrived = true
      lastRefusal = nil
      link.timer?.cancel()
      let unconfirmed = conversation.limit.unconfirmed
      tell(
        .arrived(
          ChatPartner(
            name: link.partner?.name, identifier: link.partner?.identifier, isFramed: true,
            isCentralHere: link.side == .central, verificationCode: code, isCodeChanged: isChanged,
            failedAgreements: code == nil ? 0 : unconfirmed - toldUnconfirmed)))
      if code != nil { toldUnconfirmed = unconfirmed }
    case .message(let content): heard(content)
    case .delivered(let numbers):
      tell(.delivered(numbers.map(Int.init)))
      admit()
    case .givenUp(let numbers):
      if !numbers.isEmpty { tell(.undeliverable(numbers.map(Int.init))) }
      failWriters()
    case .end: tell(.finished)
    case .goodbye(let reason): goodbye(reason, on: link)
    }
  }

  private func goodbye(_ reason: ChatGoodbye, on link: ChatLink) {
    if let refusal = reason.refusal { refuse(link.device, refusal) }
    // Whoever leaves while two links are being decided on says so on the one that it talked by.
    var wasTalking = isTalking(on: link)
    if link.isGivenUp, !conversation.isProven, reason == .leaving, case .framed(let current) = talk {
      wasTalking = current.partner?.identifier == link.partner?.identifier
    }
    link.isClosing = true
    // Nobody who has said goodbye is won back: neither over this link nor over one of this side's own making.
    if link.side == .central || (wasTalking && reason == .leaving) {
      shun(for: [.leaving, .replaced].contains(reason) ? .seconds(1) : .seconds(10))
    }
    if wasTalking { endTalk(reason == .leaving ? .left : .away) }
  }

  // MARK: Saying

  /// Hands over what there is to say, to whoever is there.
  func flush() {
    switch talk {
    case .framed(let link): flush(link)
    case .plain(let talk): flush(talk)
    case nil: break
    }
  }

  func flush(_ link: ChatLink) {
    guard !isFlushing, !link.isOver else { return }
    isFlushing = true
    defer { isFlushing = false }
    do {
      while link.handed.count < ChatLink.mostHanded, let value = try nextValue(on: link) { hand(value, on: link) }
    } catch {
      isFlushing = false
      violated(link, error)
    }
  }

  private func nextValue(on link: ChatLink) throws -> Data? {
    let room = min(room(on: link), ChatProtocol.longestValue)
    guard room > 0 else { return nil }
    if case .framed(let current) = talk, current === link, !link.isClosing {
      while link.outgoing.count < room, let octets = try conversation.nextOctets() { link.outgoing.append(octets) }
    }
    guard !link.outgoing.isEmpty else { return nil }
    let value = Data(link.outgoing.prefix(room))
    link.outgoing = Data(link.outgoing.dropFirst(room))
    return value
  }

  /// How many octets a value on this link may have; 0 while it takes none.
  private func room(on link: ChatLink) -> Int {
    switch link.side {
    case .central: device?.peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? 0
    case .peripheral:
      peripheral?.subscribers(of: ChatProtocol.framed).first { $0.identifier == link.device }?.maximumLength ?? 0
    }
  }

  private func hand(_ value: Data, on link: ChatLink) {
    let reply = Reply<Void>()
    link.handed.append(reply)
    reply.whenSucceeded = { [weak self, weak link, weak reply] _ in
      guard let self, let link else { return }
      link.handed.removeAll { $0 === reply }
      self.flush(link)
    }
    switch link.side {
    case .central: device?.perform(.writeWithoutResponse(ChatProtocol.framed, value, reply))
    case .peripheral: peripheral?.push(value, ChatProtocol.framed, [link.device], reply)
    }
  }
}
