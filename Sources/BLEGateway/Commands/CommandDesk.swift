import BLESession
import BLESessionStore
import Foundation

/// Takes commands from the broker, has them done once each, and answers.
final class CommandDesk: Sendable {
  private let devices = Guarded<[String: GatewayDevice]>([:])
  private let ledger: CommandLedger
  private let messages: GatewayMessages
  private let now: @Sendable () -> Date
  private let report: @Sendable (GatewayReport) -> Void

  /// In seconds.
  private static let latestDeadline = 86_400.0

  /// - Parameter devices: those that take commands.
  init(
    _ devices: [GatewayDevice], _ outbox: Outbox, _ messages: GatewayMessages, now: @escaping @Sendable () -> Date,
    report: @escaping @Sendable (GatewayReport) -> Void
  ) {
    ledger = CommandLedger(outbox: outbox)
    self.messages = messages
    self.now = now
    self.report = report
    replace(devices)
  }

  /// Takes commands for these devices from now on.
  func replace(_ devices: [GatewayDevice]) {
    var byTopic: [String: GatewayDevice] = [:]
    for device in devices { if let topic = device.plan.commands?.topic { byTopic[topic] = device } }
    self.devices.with { $0 = byTopic }
  }

  /// The topics to subscribe to.
  var topics: [String] { devices.with { $0.keys.sorted() } }

  /// Answers commands that an earlier process has taken and not finished.
  func answerAbandoned() throws(StoreError) {
    for order in try ledger.abandoned() {
      let outcome = CommandOutcome(
        .unknown, message: "the gateway ended while the command was under way; it may have been done")
      finish(order, nil, outcome)
    }
  }

  /// Takes a message of the broker's. Waits for the disk: when it returns, the command is remembered.
  func take(_ message: BrokerMessage) {
    // A kept command would be done by each gateway at each start.
    guard !message.isRetained, let device = devices.with({ $0[message.topic] }) else { return }
    let request: CommandRequest
    do throws(CommandRequest.Refusal) {
      request = try CommandRequest(message.payload)
    } catch {
      if error.isEcho { return }
      return refuse(message, device, error.identifier, nil, CommandOutcome(.invalid, message: error.reason))
    }
    do throws(StoreError) {
      try take(request, message, device)
    } catch {
      refuse(
        message, device, request.identifier, request.action,
        CommandOutcome(.failed, message: "the gateway cannot remember commands, and does none: \(error.message)"))
    }
  }

  private func take(
    _ request: CommandRequest, _ message: BrokerMessage, _ device: GatewayDevice
  ) throws(StoreError) {
    let (name, identifier) = (device.plan.name, request.identifier)
    let reply = message.responseTopic ?? request.reply
    let isReplyAllowed = reply.map { isAllowed($0) } ?? true
    let topic = reply ?? messages.topics.answer(of: name)
    // What is never done needs no memory, so that a flood of it does not wait for the disk.
    if !isReplyAllowed {
      let outcome = CommandOutcome(
        .notAllowed, message: "answers go to topics that begin with \(messages.topics.replies)")
      return refuse(message, device, identifier, request.action, outcome)
    }
    if let reason = objection(to: request.action, device) {
      let outcome = CommandOutcome(.notAllowed, message: reason)
      return refuse(message, device, identifier, request.action, outcome, on: reply)
    }
    switch try ledger.entry(identifier, of: name) {
    case .underWay: return
    case .answered(let answer):
      report(.command(device: name, id: identifier, outcome: "repeated"))
      // Given again on demand, so that it may give way: the first one does not.
      return ledger.outbox.add(
        OutboxDraft(.event, topic: topic, payload: answer, correlation: message.correlation))
    case nil: break
    }
    // Not remembered, so that the same command is done here when this gateway holds the device.
    if !device.lane.isHeld { return refuse(message, device, identifier, request.action, .notHeld, on: reply) }
    let time = now()
    let expiry = message.expiry.map { time.addingTimeInterval(Double($0)) }
    guard let deadline = request.deadline ?? expiry else {
      return refuse(
        message, device, identifier, request.action,
        CommandOutcome(.invalid, message: "a command needs a \"deadline\", or MQTT 5's message expiry"), on: reply)
    }
    var refusal: CommandOutcome?
    if deadline <= time {
      refusal = CommandOutcome(.expired, message: "its deadline has passed")
    } else if deadline > time.addingTimeInterval(Self.latestDeadline) {
      refusal = CommandOutcome(.invalid, message: "its deadline is more than a day away")
    }
    if let refusal { return refuse(message, device, identifier, request.action, refusal, on: reply) }
    let order = CommandLedger.Order(
      identifier: identifier, device: name, deadline: deadline, reply: topic, correlation: message.correlation)
    guard try ledger.take(order, now: time) else {
      return refuse(
        message, device, identifier, request.action,
        CommandOutcome(
          .busy, message: "\(CommandLedger.capacity) commands are remembered: send fewer, with shorter deadlines"),
        on: reply)
    }
    report(.command(device: name, id: identifier, outcome: "taken"))
    let job = CommandLane.Job(action: request.action, deadline: deadline) { [weak self] outcome in
      self?.finish(order, request.action, outcome)
    }
    if !device.lane.add(job) {
      finish(order, request.action, CommandOutcome(.busy, message: "too many commands wait for this device"))
    }
  }

  /// A sender could otherwise have this gateway, with its rights, say something on a topic of somebody else.
  private func isAllowed(_ reply: String) -> Bool {
    reply.hasPrefix(messages.topics.replies) && reply.utf8.count <= 512
      && !reply.unicodeScalars.contains { "+#\0".unicodeScalars.contains($0) }
  }

  private func objection(to action: CommandRequest.Action, _ device: GatewayDevice) -> String? {
    switch action {
    case .perform(let name, _):
      device.plan.commands?.names.contains(name) == true
        ? nil : "the configuration does not allow this command: add it to \"names\""
    case .write(let path, _, _):
      device.plan.commands?.writes.contains(path) == true
        ? nil : "the configuration does not allow this characteristic: add it to \"write\""
    }
  }

  // MARK: Answers

  /// Answers what is not done, and is not remembered. Such answers may give way to values: a flood of commands does not fill the outbox.
  private func refuse(
    _ message: BrokerMessage, _ device: GatewayDevice, _ identifier: String?, _ action: CommandRequest.Action?,
    _ outcome: CommandOutcome, on reply: String? = nil
  ) {
    report(.command(device: device.plan.name, id: identifier, outcome: outcome.kind.rawValue))
    let asked = (reply ?? message.responseTopic).flatMap { isAllowed($0) ? $0 : nil }
    ledger.outbox.add(
      OutboxDraft(
        .event, topic: asked ?? messages.topics.answer(of: device.plan.name),
        payload: messages.answer(outcome.members(identifier, action), of: device.plan.name),
        correlation: message.correlation))
  }

  private func finish(_ order: CommandLedger.Order, _ action: CommandRequest.Action?, _ outcome: CommandOutcome) {
    let answer = messages.answer(outcome.members(order.identifier, action), of: order.device)
    do throws(StoreError) {
      try ledger.answer(order, answer)
    } catch {
      // The command stays without an answer in the file, so that it is answered as unknown at the next start.
      report(.notWritten(reason: error.message))
    }
    report(.command(device: order.device, id: order.identifier, outcome: outcome.kind.rawValue))
  }
}
