import BLESession
import CoreBluetooth

extension ChatCore {
  /// The maximum number of centrals that are accepted before one of them has said hello, and of ended links that are remembered because
  /// the centrals are still connected.
  private static let (mostLinks, mostEndedLinks) = (16, 48)

  /// FF11 with FF22 for plain text, followed by the characteristic for frames.
  static func service(for here: OnQueue) -> ServiceDeclaration {
    ServiceDeclaration(
      ChatProtocol.service,
      [
        .dynamic(
          ChatProtocol.plain.characteristic,
          read: { _ in .value(Data((here.core?.lastText ?? Data()).prefix(ChatProtocol.longestValue))) },
          write: { access, value in here.core?.wrotePlain(value, access) ?? .unlikelyError }, push: .notify),
        .dynamic(
          ChatProtocol.framed.characteristic, read: { _ in .value(Data([ChatProtocol.version])) },
          write: { access, value in here.core?.wroteFrames(value, access) ?? .unlikelyError }, takesCommands: true,
          push: .notify),
      ])
  }

  func advertise(_ reply: Reply<Void> = Reply()) {
    guard let peripheral, !isLeaving, !isAdvertising else { return reply.succeed(()) }
    isAdvertising = true
    // Two octets of header for each of the two data structures.
    let room = AdvertisingPlan.space - 6
    peripheral.start(
      AdvertisingPlan(
        localName: ChatText.prefix(of: configuration.name, atMost: room), services: [ChatProtocol.service]), reply)
  }

  func stopAdvertising() {
    guard isAdvertising else { return }
    isAdvertising = false
    peripheral?.stopAdvertising()
  }

  func peripheralDidReport(_ event: PeripheralEvent) {
    switch event {
    case .subscribed(let subscriber, ChatProtocol.plain):
      plainListeners.insert(subscriber.identifier)
      plainArrived(subscriber.identifier)
    case .subscribed(let subscriber, ChatProtocol.framed):
      if peripheralLinks[subscriber.identifier]?.isOver == true { forget(subscriber.identifier) }
    case .unsubscribed(let central, ChatProtocol.plain):
      plainListeners.remove(central)
      if case .plain(let talk) = talk, talk.side == .peripheral, talk.device == central { endTalk(.away) }
    case .unsubscribed(let central, ChatProtocol.framed):
      forget(central)
      leaveIfAlone()
    case .state(let state) where state != .poweredOn:
      for central in peripheralLinks.keys { forget(central) }
      plainListeners = []
      if case .plain(let talk) = talk, talk.side == .peripheral { endTalk(.away) }
      if state != .unknown { report(.unavailable(.unavailable(state))) }
    case .failed(let error): report(.unavailable(error))
    default: break
    }
  }

  /// Called when the link to a central has ended.
  func forget(_ central: UUID) {
    guard let link = peripheralLinks.removeValue(forKey: central) else { return }
    link.end()
    if case .framed(let current) = talk, current === link { endTalk(.away) }
  }

  func wroteFrames(_ value: Data, _ access: AttributeAccess) -> CBATTError.Code {
    guard access.offset == 0 else { return .invalidOffset }
    let link: ChatLink
    if let known = peripheralLinks[access.central] {
      link = known
    } else {
      // A central that has not subscribed can't be answered, and the end of its link would not be reported.
      guard let peripheral,
        peripheral.subscribers(of: ChatProtocol.framed).contains(where: { $0.identifier == access.central })
      else { return .unlikelyError }
      makeRoom()
      link = makeLink(.peripheral, access.central)
      peripheralLinks[access.central] = link
    }
    guard !link.isOver else { return .unlikelyError }
    received(value, on: link)
    return link.isOver ? .unlikelyError : .success
  }

  /// Makes room for one more central: dismisses the oldest one without a hello, otherwise the oldest that is not in use.
  private func makeRoom() {
    let links = peripheralLinks.values.filter { !isTalking(on: $0) }
    let living = links.filter { !$0.isOver }
    if living.count >= Self.mostLinks - 1 {
      let silent = living.filter { $0.partner == nil }
      if let oldest = (silent.isEmpty ? living : silent).min(by: { $0.number < $1.number }) { dismiss(oldest, .busy) }
    }
    let ended = links.filter(\.isOver)
    if ended.count > Self.mostEndedLinks, let oldest = ended.min(by: { $0.number < $1.number }) {
      forget(oldest.device)
    }
  }

  /// Says goodbye to a central and ignores it from then on: a peripheral cannot end a link.
  func dismiss(_ link: ChatLink, _ reason: ChatGoodbye) {
    link.outgoing = Data()
    link.say(.goodbye(reason))
    link.isClosing = true
    flush(link)
    link.timer?.cancel()
    link.isOver = true
  }
}
