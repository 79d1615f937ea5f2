import BLESession
import CoreBluetooth

extension ChatCore {
  /// The time limit for the other side's hello, and then for the start of messages.
  private static let greetingTime = Duration.seconds(10)

  /// Makes a link, on which no frame was sent yet.
  func makeLink(_ side: ChatConversation.Side, _ device: UUID) -> ChatLink {
    links += 1
    let link = ChatLink(side, device, number: links)
    expect(link, "no hello in time")
    return link
  }

  private func expect(_ link: ChatLink, _ complaint: String) {
    link.timer?.cancel()
    link.timer = call(after: Self.greetingTime) { [weak link] core in
      if let link { core.violated(link, ChatViolation(complaint)) }
    }
  }

  func isTalking(on link: ChatLink) -> Bool {
    if case .framed(let current) = talk { current === link } else { false }
  }

  /// Called with the hello of the other side.
  func greeted(_ link: ChatLink, _ hello: ChatHello) {
    link.partner = hello
    link.timer?.cancel()
    // The other side may use this link, and no longer the one on which the goodbye was said.
    guard !isLeaving else {
      link.say(.goodbye(.leaving))
      return leave(link)
    }
    // The central has begun: the peripheral answers in any case, so that both sides decide on the same information.
    if link.side == .peripheral { link.say(.hello(conversation.hello(answering: hello))) }
    if let refusal = refusal(of: hello, on: link.side) { return refuse(link, refusal) }
    if case .framed(let current) = talk, current !== link, let partner = current.partner {
      guard partner.identifier == hello.identifier else { return refuse(link, .busy) }
      // Two links to the same partner: both sides keep the one whose central has the smaller identifier, or of two alike the newer one.
      let smallerIsCentral = conversation.identifier < hello.identifier
      if link.side == current.side {
        guard conversation.canReplace(by: hello) else { return refuse(link, .busy) }
        replace(current)
      } else {
        guard (link.side == .central) == smallerIsCentral else { return giveUp(link) }
        talk = nil
        conversation.end()
        giveUp(current)
      }
    } else if case .plain(let current) = talk {
      guard current.side == .peripheral, !plainListeners.contains(current.device) else { return refuse(link, .busy) }
      endTalk(.away)
    }
    begin(link, hello)
  }

  private func refusal(of hello: ChatHello, on side: ChatConversation.Side) -> ChatGoodbye? {
    if hello.version != ChatProtocol.version { return .version }
    if hello.identifier == conversation.identifier { return .violation }
    if let partner = configuration.partner, partner != hello.name { return .notAskedFor }
    // Queued messages for one partner are not sent to another.
    if let lastPartner, lastPartner != hello.name, !conversation.outbox.isEmpty { return .busy }
    if !conversation.canTalk(to: hello) { return .noEncryption }
    if conversation.hasToWait(side, for: hello) { return .later }
    return nil
  }

  private func begin(_ link: ChatLink, _ hello: ChatHello) {
    talk = .framed(link)
    lastPartner = hello.name
    stopSeeking()
    stopAdvertising()
    // This side's connection attempt is no longer needed; an established link is resolved after its hello.
    if link.side == .peripheral, let device, !device.isConnected { releaseDevice() }
    expect(link, "the greeting was not completed in time")
    do {
      try conversation.begin(link.side, with: hello)
    } catch {
      return violated(link, error)
    }
    flush(link)
  }

  /// Replaces a link by the partner's newer one. Should that be another device that uses the same identifier, the partner has to learn
  /// that this link is no longer used.
  private func replace(_ link: ChatLink) {
    try? conversation.sayGoodbye(.replaced)
    while let octets = conversation.nextControl() { link.outgoing.append(octets) }
    talk = nil
    conversation.end()
    link.isClosing = true
    link.timer?.cancel()
    flush(link)
    if link.side == .central { giveUp(link) } else { link.isOver = true }
  }

  /// Gives up one of two links to the same partner.
  private func giveUp(_ link: ChatLink) {
    link.timer?.cancel()
    guard link.side == .central else {
      flush(link)
      (link.isClosing, link.isGivenUp) = (true, true)
      return
    }
    releaseSpareDevice()
    spareDevice = device
    device = nil
    centralLink?.end()
    centralLink = nil
  }

  /// Refuses the other side, and avoids it for a while.
  private func refuse(_ link: ChatLink, _ reason: ChatGoodbye) {
    link.say(.goodbye(reason))
    link.isClosing = true
    flush(link)
    // Further partners while this side is busy are not reported.
    if reason != .busy, let refusal = reason.refusal { refuse(link.device, refusal) }
    // Leaves time for the goodbye to arrive.
    link.timer = call(after: .seconds(1)) { [weak link] core in
      guard let link else { return }
      if link.side == .peripheral { link.isOver = true }
      if core.centralLink === link { core.avoidDevice(for: .seconds(10)) }
    }
  }

  /// Reports a refusal to the application, once for the same device and reason in a row.
  func refuse(_ device: UUID, _ reason: ChatRefusal) {
    if let lastRefusal, lastRefusal == (device, reason) { return }
    lastRefusal = (device, reason)
    report(.refused(reason))
  }

  /// Ends the use of a link whose other side has violated the protocol.
  func violated(_ link: ChatLink, _ error: any Error) {
    guard !link.isOver, link.side == .peripheral || centralLink === link else { return }
    let wasTalking = isTalking(on: link)
    let reason: ChatGoodbye = error as? CryptographyError == .tooManyAttempts ? .later : .violation
    if let refusal = reason.refusal { refuse(link.device, refusal) }
    if link.side == .central { avoidDevice(for: .seconds(5)) } else { dismiss(link, reason) }
    if wasTalking { endTalk(.away) }
  }

  /// Ends the conversation; the next partner to arrive is accepted.
  func endTalk(_ event: ChatEvent) {
    let wasHeard: Bool
    switch talk {
    case .framed: wasHeard = hasArrived
    case .plain(let talk):
      wasHeard = true
      abandon(talk)
    case nil: return
    }
    talk = nil
    hasArrived = false
    conversation.end()
    releaseSpareDevice()
    for link in peripheralLinks.values where link.isGivenUp && !link.isOver { dismiss(link, .replaced) }
    admit()
    // The end of the link of a side that leaves is what it asked for.
    if wasHeard, !isLeaving || event != .away { report(event) }
    guard !isLeaving else { return }
    advertise()
    // The former central reconnects by itself; this side searches only if it does not.
    if device == nil { seek(after: configuration.role == .automatic ? .seconds(3) : .milliseconds(200)) }
  }
}

extension ChatGoodbye {
  var refusal: ChatRefusal? {
    switch self {
    case .leaving, .replaced: nil
    case .later: .later
    case .busy: .busy
    case .noEncryption: .noEncryption
    case .version: .version
    case .notAskedFor: .notAskedFor
    case .violation: .violation
    }
  }
}
