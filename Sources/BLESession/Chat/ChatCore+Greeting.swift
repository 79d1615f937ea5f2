import CoreBluetooth

extension ChatCore {
  /// The other end of a link has said who it is.
  func greeted(_ link: ChatLink, _ hello: ChatHello) {
    link.partner = hello
    link.greetingTimer?.cancel()
    guard !isLeaving else { return link.isClosing = true }
    // The central has begun: the peripheral says who it is in any case, so that both decide alike.
    if link.side == .peripheral { link.say(.hello(conversation.hello(to: hello.identifier))) }
    if let refusal = refusal(of: hello) { return refuse(link, refusal) }
    if case .framed(let current) = talk, current !== link, let partner = current.partner {
      guard partner.identifier == hello.identifier else { return refuse(link, .busy) }
      // Two links to the same other side: both keep the one whose central has the smaller number, and of like ones the newer.
      let smallerIsCentral = conversation.identifier < hello.identifier
      let keepsNew = link.side == current.side || (link.side == .central) == smallerIsCentral
      guard keepsNew else { return giveUp(link) }
      talk = nil
      conversation.end()
      giveUp(current)
    } else if case .plain(let current) = talk {
      guard current.side == .peripheral, !plainListeners.contains(current.device) else { return refuse(link, .busy) }
      endTalk(.away)
    }
    begin(link, hello)
  }

  private func refusal(of hello: ChatHello) -> ChatGoodbye? {
    if hello.version != ChatProtocol.version { return .version }
    if hello.identifier == conversation.identifier { return .violation }
    if let partner = configuration.partner, partner != hello.name { return .notAskedFor }
    // What waits for one is not for another.
    if let lastPartner, lastPartner != hello.name, !conversation.outbox.isEmpty { return .busy }
    if !conversation.canTalk(to: hello) { return .noEncryption }
    return nil
  }

  private func begin(_ link: ChatLink, _ hello: ChatHello) {
    talk = .framed(link)
    lastPartner = hello.name
    stopSeeking()
    stopAdvertising()
    // This side's own efforts are of no use any more; a link that is there already is decided on when it has said hello.
    if link.side == .peripheral, let device, !device.isConnected { letGoOfDevice() }
    do {
      try conversation.begin(link.side, with: hello)
    } catch {
      return violated(link, error)
    }
    flush(link)
  }

  /// Of two links this one is not needed.
  private func giveUp(_ link: ChatLink) {
    guard link.side == .central else {
      flush(link)
      link.isClosing = true
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
    guard link.side == .central else { return }
    // The goodbye should have arrived first.
    link.greetingTimer = call(after: .seconds(1)) { core in
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
    guard !link.isOver else { return }
    let wasTalking = if case .framed(let current) = talk { current === link } else { false }
    refuse(link.device, .violation)
    if link.side == .central {
      shun(for: .seconds(5))
    } else {
      link.outgoing = Data()
      link.say(.goodbye(.violation))
      link.isClosing = true
      flush(link)
      link.isOver = true
    }
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
    case .leaving: nil
    case .busy: .busy
    case .noEncryption: .noEncryption
    case .version: .version
    case .notAskedFor: .notAskedFor
    case .violation: .violation
    }
  }
}
