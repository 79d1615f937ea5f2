import BLESession
import CoreBluetooth

extension ChatCore {
  /// The time until the other end has to have said hello, and then until messages have to flow.
  private static let greetingTime = Duration.seconds(10)

  /// A link on which nothing has been said.
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

  /// The other end of a link has said who it is.
  func greeted(_ link: ChatLink, _ hello: ChatHello) {
    link.partner = hello
    link.timer?.cancel()
    guard !isLeaving else { return link.isClosing = true }
    // The central has begun: the peripheral says who it is in any case, so that both decide alike.
    if link.side == .peripheral { link.say(.hello(conversation.hello(answering: hello))) }
    if let refusal = refusal(of: hello, on: link.side) { return refuse(link, refusal) }
    if case .framed(let current) = talk, current !== link, let partner = current.partner {
      guard partner.identifier == hello.identifier else { return refuse(link, .busy) }
      // Two links to the same other side: both keep the one whose central has the smaller number, and of like ones the newer.
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
    // What waits for one is not for another.
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
    // This side's own efforts are of no use any more; a link that is there already is decided on when it has said hello.
    if link.side == .peripheral, let device, !device.isConnected { letGoOfDevice() }
    expect(link, "the greeting was not completed in time")
    do {
      try conversation.begin(link.side, with: hello)
    } catch {
      return violated(link, error)
    }
    flush(link)
  }

  /// The other side has come by a newer link. Should that have been somebody else with its number, it has to know that this one is
  /// not listened to any more.
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

  /// Of two links this one is not needed.
  private func giveUp(_ link: ChatLink) {
    link.timer?.cancel()
    guard link.side == .central else {
      flush(link)
      (link.isClosing, link.isGivenUp) = (true, true)
      return
    }
    letGoOfSpareDevice()
    spareDevice = device
    device = nil
    centralLink?.end()
    centralLink = nil
  }

  /// Says no, and leaves the other side alone for a while.
  private func refuse(_ link: ChatLink, _ reason: ChatGoodbye) {
    link.say(.goodbye(reason))
    link.isClosing = true
    flush(link)
    // That somebody else would like to talk is no news.
    if reason != .busy, let told = reason.refusal { refuse(link.device, told) }
    // The goodbye should have arrived first.
    link.timer = call(after: .seconds(1)) { [weak link] core in
      guard let link else { return }
      if link.side == .peripheral { link.isOver = true }
      if core.centralLink === link { core.shun(for: .seconds(10)) }
    }
  }

  /// Tells the application once for each time that somebody is there in vain.
  func refuse(_ device: UUID, _ reason: ChatRefusal) {
    if let lastRefusal, lastRefusal == (device, reason) { return }
    lastRefusal = (device, reason)
    tell(.refused(reason))
  }

  /// The other end has broken the rules: nothing more is heard of it on this link.
  func violated(_ link: ChatLink, _ error: any Error) {
    guard !link.isOver, link.side == .peripheral || centralLink === link else { return }
    let wasTalking = isTalking(on: link)
    let reason: ChatGoodbye = error as? CryptographyError == .tooManyAttempts ? .later : .violation
    if let told = reason.refusal { refuse(link.device, told) }
    if link.side == .central { shun(for: .seconds(5)) } else { dismiss(link, reason) }
    if wasTalking { endTalk(.away) }
  }

  /// Nobody is there any more; whoever comes next is welcome.
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
    letGoOfSpareDevice()
    for link in peripheralLinks.values where link.isGivenUp && !link.isOver { dismiss(link, .replaced) }
    admit()
    if wasHeard { tell(event) }
    guard !isLeaving else { return }
    advertise()
    // The one that was the central comes back by itself; this side looks for it only when it doesn't.
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
