import BLESession
import CoreBluetooth

extension ChatCore {
  /// Handles octets of the stream received on a link.
  func received(_ value: Data, on link: ChatLink) {
    guard !link.isOver else { return }
    do {
      for frame in try link.reader.append(value) where !link.isOver { try take(frame, on: link) }
      if newsOctets > configuration.inboxLimit + 2 * ChatProtocol.window + ChatProtocol.longestMessage {
        throw ChatViolation("the other side sent more than the window allows")
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
    // Frames on a link that is not in use are ignored.
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
      report(
        .arrived(
          ChatPartner(
            name: link.partner?.name, identifier: link.partner?.identifier, isFramed: true,
            isCentralHere: link.side == .central, verificationCode: code, isCodeChanged: isChanged,
            failedAgreements: code == nil ? 0 : unconfirmed - reportedUnconfirmed)))
      if code != nil { reportedUnconfirmed = unconfirmed }
    case .message(let content): heard(content)
    case .delivered(let numbers):
      report(.delivered(numbers.map(Int.init)))
      admit()
    case .givenUp(let numbers):
      if !numbers.isEmpty { report(.undeliverable(numbers.map(Int.init))) }
      failWriters()
    case .end: report(.finished)
    case .goodbye(let reason): goodbye(reason, on: link)
    }
  }

  private func goodbye(_ reason: ChatGoodbye, on link: ChatLink) {
    if let refusal = reason.refusal { refuse(link.device, refusal) }
    // A side that leaves while two links are being resolved says goodbye on the one that it used.
    var wasTalking = isTalking(on: link)
    if link.isGivenUp, !conversation.isProven, reason == .leaving, case .framed(let current) = talk {
      wasTalking = current.partner?.identifier == link.partner?.identifier
    }
    link.isClosing = true
    if isLeaving, link.side == .central { return disconnect() }
    // A device that has said goodbye is not reconnected, neither on this link nor on a connection of this side.
    if link.side == .central || (wasTalking && reason == .leaving) {
      avoidDevice(for: [.leaving, .replaced].contains(reason) ? .seconds(1) : .seconds(10))
    }
    if wasTalking { endTalk(reason == .leaving ? .left : .away) }
  }

  // MARK: Sending

  /// Sends what is queued, on the current link.
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

  /// The maximum length of a value on this link; 0 while none can be sent.
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
