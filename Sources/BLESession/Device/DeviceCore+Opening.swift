import CoreBluetooth

/// An opening dialogue in progress; it has to succeed before the session is ready.
final class Opening {
  let step: OpeningStep
  var dialogue: any OpeningDialogue
  /// The last value sent, which is sent again if no answer is received.
  var said: Data?
  var retriesLeft: Int
  var timer: (any SessionTimer)?
  /// Called when the dialogue succeeds; `nil` before it begins and after it ends.
  var onDone: (() -> Void)?

  init(_ step: OpeningStep) {
    self.step = step
    dialogue = step.dialogue()
    retriesLeft = step.retries
  }
}

extension DeviceCore {
  /// Checks the device's identity before anything else is sent to it.
  func checkIdentity() {
    guard let check = configuration.identity else { return open(step: 0) }
    enter(.verifying)
    let reply = Reply<Data>()
    identityReply = reply
    reply.whenSucceeded = { [weak self] value in
      guard let self, identityReply === reply else { return }
      identityReply = nil
      guard check.expected.verdict(on: value) == .accepted else {
        let text = Hexadecimal.encode(value)
        return reject(SessionError(.notVerified, "this is another device: the value of \(check.path) is \(text)"))
      }
      open(step: 0)
    }
    reply.whenFailed = { [weak self] error in
      guard let self, identityReply === reply else { return }
      identityReply = nil
      guard error.code == .notFound else { return dropLink(error) }
      reject(SessionError(.notVerified, "this is another device: it has no \(check.path)"))
    }
    operations.add(Operation(.read(check.path, reply)), isUrgent: true)
  }

  private func open(step index: Int) {
    guard index < configuration.opening.count else {
      opening = nil
      return becomeReady()
    }
    enter(.verifying)
    let opening = Opening(configuration.opening[index])
    self.opening = opening
    subscribeForOpening(opening.step.answerPath) { [weak self] error in
      guard let self, self.opening === opening else { return }
      if let error { return dropLink(error) }
      opening.onDone = { [weak self] in self?.open(step: index + 1) }
      follow(opening, opening.dialogue.begin())
    }
  }

  /// Passes a notified value to the dialogue, if it is of the dialogue's answer characteristic.
  func openingReceived(_ value: Data, on characteristic: CBCharacteristic) {
    guard let opening, let peripheral, opening.onDone != nil,
      opening.step.answerPath.find(in: peripheral) === characteristic
    else { return }
    follow(opening, opening.dialogue.received(value))
  }

  private func follow(_ opening: Opening, _ move: OpeningMove) {
    guard self.opening === opening else { return }
    switch move {
    case .listen:
      if opening.timer == nil { expectAnswer(opening) }
    case .say(let value):
      opening.retriesLeft = opening.step.retries
      say(value, in: opening)
    case .done:
      opening.timer?.cancel()
      let onDone = opening.onDone
      opening.onDone = nil
      onDone?()
    case .refused(let reason):
      opening.timer?.cancel()
      dropLink(SessionError(.notVerified, reason))
    }
  }

  private func say(_ value: Data, in opening: Opening) {
    opening.said = value
    expectAnswer(opening)
    let path = opening.step.commandPath
    let reply = Reply<Void>()
    reply.whenFailed = { [weak self] error in
      guard let self, self.opening === opening, isConnected else { return }
      dropLink(error)
    }
    let properties = peripheral.flatMap { path.find(in: $0)?.properties } ?? []
    let kind: Operation.Kind =
      properties.contains(.write) ? .write(path, value, reply) : .writeWithoutResponse(path, value, reply)
    operations.add(Operation(kind), isUrgent: true)
  }

  private func expectAnswer(_ opening: Opening) {
    opening.timer?.cancel()
    opening.timer = call(after: opening.step.timeLimit) { [weak opening] core in
      guard let opening, core.opening === opening else { return }
      guard let said = opening.said, opening.retriesLeft > 0 else {
        return core.dropLink(SessionError(.timedOut, "the device did not answer the handshake"))
      }
      opening.retriesLeft -= 1
      core.emit(.openingRepeated(retriesLeft: opening.retriesLeft))
      core.say(said, in: opening)
    }
  }
}
