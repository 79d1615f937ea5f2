import BLESession
import CoreBluetooth

extension ChatCore {
  func start(_ reply: Reply<Void>) {
    isStarted = true
    guard peripheral != nil else {
      guard let state = central?.manager.state, ![.poweredOn, .unknown, .resetting].contains(state) else {
        seek()
        return reply.succeed(())
      }
      return reply.fail(.unavailable(state))
    }
    let published = Reply<Void>()
    published.whenFailed = { [weak reply] in reply?.fail($0) }
    published.whenSucceeded = { [weak self] _ in
      self?.seek()
      reply.succeed(())
    }
    advertise(published)
  }

  // MARK: Events

  /// Reports an event to the application, which reads one after the other.
  func report(_ event: ChatEvent) {
    if let reader {
      self.reader = nil
      if !reader.isOver { return reader.succeed(event) }
    }
    news.append(event)
    newsOctets += event.cost
    conversation.isInboxFull = isInboxFull
    dropOldNews()
  }

  private var isInboxFull: Bool {
    newsOctets > configuration.inboxLimit || news.count > ChatProtocol.mostWaiting
  }

  /// Drops the oldest of many transient events that are not read.
  private func dropOldNews() {
    guard news.count > 4_096, news.count(where: \.isTransient) > 1_024,
      let oldest = news.firstIndex(where: \.isTransient)
    else { return }
    news.remove(at: oldest)
  }

  func next(_ reply: Reply<ChatEvent?>) {
    guard !news.isEmpty else {
      if isOver { return reply.succeed(nil) }
      reader = reply
      return
    }
    let event = news.removeFirst()
    newsOctets -= event.cost
    reply.succeed(event)
    let wasFull = conversation.isInboxFull
    conversation.isInboxFull = isInboxFull
    if wasFull, !conversation.isInboxFull { flush() }
  }

  func heard(_ content: Data) {
    received += 1
    lastText = content
    report(.message(ChatMessage(number: received, text: String(decoding: content, as: UTF8.self))))
  }

  // MARK: Sending

  /// Sends a message. Empty content announces that no more follow.
  func send(_ content: Data, _ reply: Reply<Int>) {
    guard !isOver, !isLeaving else { return reply.fail(SessionError(.disconnected, "the chat has ended")) }
    guard content.count <= ChatProtocol.longestMessage else {
      return reply.fail(
        SessionError(.invalid, "\(content.count) octets: a message has at most \(ChatProtocol.longestMessage)"))
    }
    guard !conversation.outbox.isExhausted else {
      return reply.fail(SessionError(.invalid, "this chat has used up its numbers: start another one"))
    }
    writers.append((content, reply))
    admit()
  }

  /// Moves waiting messages to the outbox while there is room.
  func admit() {
    while let writer = writers.first, hasRoom, !conversation.takesNoMessages {
      writers.removeFirst()
      if writer.reply.isOver { continue }
      let number = conversation.outbox.append(writer.content)
      if !writer.content.isEmpty { lastText = writer.content }
      writer.reply.succeed(Int(number))
    }
    flush()
  }

  /// Fails the messages that wait for room: they were not meant for the other side's new keys.
  func failWriters() {
    let waiting = writers
    writers = []
    for writer in waiting {
      writer.reply.fail(
        SessionError(.notVerified, "the other side has other keys than before: compare the code, and send it again"))
    }
  }

  private var hasRoom: Bool {
    let outbox = conversation.outbox
    return outbox.isEmpty
      || outbox.octets < configuration.outboxLimit && outbox.entries.count < ChatProtocol.mostWaiting
  }

  // MARK: The end

  /// Says goodbye if the other side is present, and ends the links.
  func leave(_ reply: Reply<Void>) {
    guard !isOver else { return reply.succeed(()) }
    guard !isLeaving else {
      let earlier = leaveReply
      leaveReply = reply
      earlier?.succeed(())
      return
    }
    isLeaving = true
    leaveReply = reply
    stopSeeking()
    stopAdvertising()
    leaveTimer = call(after: .seconds(3)) { $0.close() }
    guard case .framed(let link) = talk, !link.isOver else { return disconnect() }
    try? conversation.sayGoodbye(.leaving)
    while let octets = conversation.nextControl() { link.outgoing.append(octets) }
    leave(link)
  }

  /// Sends what is queued on the link, the goodbye last. A central then ends the link; a peripheral can't, and waits for it.
  func leave(_ link: ChatLink) {
    link.isClosing = true
    flush(link)
    guard link.side == .central, let device else { return }
    // The response to a read that follows it shows that the goodbye has arrived.
    let arrived = Reply<Data>()
    arrived.whenSucceeded = { [weak self] _ in self?.disconnect() }
    arrived.whenFailed = { [weak self] _ in self?.disconnect() }
    device.perform(.read(ChatProtocol.framed, arrived))
  }

  /// Called when a link has ended: without one, a side that leaves has nothing to wait for.
  func leaveIfAlone() {
    if isLeaving, peripheralLinks.isEmpty, centralLink == nil { disconnect() }
  }

  /// Ends this side's connection, then the chat.
  func disconnect() {
    guard let device else { return close() }
    let reply = Reply<Void>()
    reply.whenSucceeded = { [weak self] _ in self?.close() }
    device.disconnect(reply)
  }

  /// Ends the link as if the other side were out of reach; the chat reconnects.
  func breakLink() -> Bool {
    guard let device, device.isConnected, centralLink != nil else { return false }
    device.dropLink(SessionError(.connectionLost, "the link was ended by the application"))
    return true
  }
}

extension ChatEvent {
  /// The octets that it counts for in memory.
  fileprivate var cost: Int {
    switch self {
    case .message(let message): message.text.utf8.count + ChatProtocol.messageCost
    default: 0
    }
  }

  /// Whether it describes only a momentary state.
  fileprivate var isTransient: Bool {
    switch self {
    case .arrived, .away, .left, .refused, .unavailable: true
    case .message, .delivered, .undeliverable, .finished: false
    }
  }
}
