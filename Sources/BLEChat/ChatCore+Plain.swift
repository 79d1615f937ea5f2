import BLESession
import CoreBluetooth

/// A conversation with an app that does not use frames: each value of FF22 is a message.
final class ChatPlainTalk {
  let side: ChatConversation.Side
  let device: UUID
  let name: String?
  /// The remaining pieces of the outbox's first message.
  var pieces: ArraySlice<Data> = []
  var isSending = false
  var reply: Reply<Void>?

  init(_ side: ChatConversation.Side, _ device: UUID, name: String?) {
    self.side = side
    self.device = device
    self.name = name
  }
}

extension ChatCore {
  /// Why a device without frames is refused: this side requires encryption, or messages for another partner are queued.
  func plainRefusal(of name: String?, _ device: UUID) -> ChatRefusal? {
    if !conversation.canTalkUnencrypted { return .noEncryption }
    guard let lastPartner, !conversation.outbox.isEmpty else { return nil }
    return lastPartner == name || lastPlainDevice == device ? nil : .busy
  }

  func begin(_ talk: ChatPlainTalk) {
    self.talk = .plain(talk)
    (lastPartner, lastPlainDevice) = (talk.name, talk.device)
    lastRefusal = nil
    let wasEncrypted = conversation.beginPlain()
    stopSeeking()
    stopAdvertising()
    if talk.side == .peripheral, let device, !device.isConnected { releaseDevice() }
    report(
      .arrived(
        ChatPartner(
          name: talk.name, identifier: nil, isFramed: false, isCentralHere: talk.side == .central,
          verificationCode: nil, isCodeChanged: wasEncrypted, failedAgreements: 0)))
    flush(talk)
  }

  /// Called when a central has subscribed to plain text, or has written some.
  @discardableResult
  func plainArrived(_ central: UUID) -> CBATTError.Code {
    switch talk {
    case .plain(let talk) where talk.device == central && talk.side == .peripheral:
      flush(talk)
      return .success
    case nil:
      // An app without a name cannot be the configured partner.
      if let reason = plainRefusal(of: nil, central) ?? (configuration.partner == nil ? nil : .notAskedFor) {
        refuse(central, reason)
        return .insufficientAuthorization
      }
      begin(ChatPlainTalk(.peripheral, central, name: nil))
      return .success
    default: return .insufficientResources
    }
  }

  func wrotePlain(_ value: Data, _ access: AttributeAccess) -> CBATTError.Code {
    guard access.offset == 0 else { return .invalidOffset }
    // A central that writes faster than the application reads has to try again.
    guard !conversation.isInboxFull else { return .insufficientResources }
    let code = plainArrived(access.central)
    if code == .success, !value.isEmpty { heard(value) }
    return code
  }

  func heardPlain(_ value: Data) {
    guard case .plain(let talk) = talk, talk.side == .central, !value.isEmpty else { return }
    // A notification cannot be refused: a device that sends without limit is avoided.
    guard newsOctets <= configuration.inboxLimit + ChatProtocol.longestMessage else {
      refuse(talk.device, .violation)
      avoidDevice(for: .seconds(10))
      return endTalk(.away)
    }
    heard(value)
  }

  func flush(_ talk: ChatPlainTalk) {
    guard !talk.isSending, !isLeaving, talk.side == .central || plainListeners.contains(talk.device) else { return }
    if talk.pieces.isEmpty {
      // A plain app is not notified that no more messages follow.
      while conversation.outbox.entries.first?.content.isEmpty == true { finish(talk, isDelivered: true) }
      guard let entry = conversation.outbox.entries.first, let room = room(of: talk) else { return }
      talk.pieces = ChatText.pieces(of: entry.content, atMost: min(room, ChatProtocol.longestValue))[...]
    }
    guard let piece = talk.pieces.popFirst() else { return }
    talk.isSending = true
    let reply = Reply<Void>()
    talk.reply = reply
    reply.whenSucceeded = { [weak self, weak talk] _ in
      if let self, let talk { self.sent(talk, isDelivered: true) }
    }
    reply.whenFailed = { [weak self, weak talk] _ in
      if let self, let talk { self.sent(talk, isDelivered: false) }
    }
    switch talk.side {
    case .central: device?.perform(.write(ChatProtocol.plain, piece, reply))
    case .peripheral: peripheral?.push(piece, ChatProtocol.plain, [talk.device], reply)
    }
  }

  private func room(of talk: ChatPlainTalk) -> Int? {
    // A write with response may be longer than one packet: it is sent in parts, and arrives whole.
    if talk.side == .central { return ChatProtocol.longestValue }
    return peripheral?.subscribers(of: ChatProtocol.plain).first { $0.identifier == talk.device }?.maximumLength
  }

  private func sent(_ talk: ChatPlainTalk, isDelivered: Bool) {
    talk.isSending = false
    talk.reply = nil
    if !isDelivered || talk.pieces.isEmpty { finish(talk, isDelivered: isDelivered) }
    if case .plain(let current) = self.talk, current === talk { flush(talk) }
  }

  /// Removes the first message from the outbox.
  private func finish(_ talk: ChatPlainTalk, isDelivered: Bool) {
    talk.pieces = []
    guard let entry = conversation.outbox.removeFirst() else { return }
    report(isDelivered ? .delivered([Int(entry.number)]) : .undeliverable([Int(entry.number)]))
    admit()
  }

  /// Called when the app is gone: it is unknown whether the message under way has arrived.
  func abandon(_ talk: ChatPlainTalk) {
    talk.reply?.cancel()
  }
}
