import BLEGateway
import BLEReports
import BLESession

extension GatewayRun {
  func take(_ report: GatewayReport) {
    switch report {
    case .connected(let version):
      output.event(
        "broker", ["status": "connected", "mqtt": .string(version.rawValue), "reason": .null, "retry": .null],
        "Connected to the broker, with MQTT \(version.rawValue).")
    case .disconnected(let reason, let pause):
      let seconds = (pause.seconds * 10).rounded() / 10
      output.event(
        "broker",
        ["status": "disconnected", "mqtt": .null, "reason": .string(reason), "retry": .number(seconds)],
        "No link to the broker: \(reason.inert). It is tried again in \(seconds.plain) s.")
    case .device(let name, let event):
      let report = SessionReport(event)
      guard let word = report.name else { return }
      if output.isJSON {
        output.event(word, report.members.preceded(by: ["device": .string(name)]), "")
      } else if let sentence = report.sentence {
        output.event(word, report.members.preceded(by: ["device": .string(name)]), "\(name): \(sentence)")
      }
    case .command(let device, let id, let outcome):
      output.event(
        "command", ["device": .string(device), "id": .string(orNull: id), "outcome": .string(outcome)],
        "\(device): command \(id.map { "'\($0.inert)'" } ?? "without an id"): \(outcome)")
    case .dropped(let losses):
      output.event(
        "dropped",
        [
          "advertisements": .integer(Int(losses.advertisements)), "values": .integer(Int(losses.values)),
          "events": .integer(Int(losses.events)),
        ],
        "The outbox is full: \(losses.advertisements) advertisements, \(losses.values) values and \(losses.events) events were dropped."
      )
    case .notWritten(let reason):
      output.event(
        "outbox", ["status": "failing", "reason": .string(reason)],
        "The outbox cannot be written: \(reason.inert). What comes in is kept in memory, and tried again every second.")
    case .writtenAgain:
      output.event("outbox", ["status": "working", "reason": .null], "The outbox can be written again.")
    case .collected: break
    case .expired(let expired):
      if expired.surplus == 0 { return }
      output.event(
        "collecting", ["status": "full", "reason": .null, "messages": .integer(expired.surplus)],
        "The file of what is collected has its largest size: its oldest \(expired.surplus) messages were deleted.")
    case .notCollected(let reason):
      output.event(
        "collecting", ["status": "failing", "reason": .string(reason), "messages": .null],
        "Messages cannot be stored: \(reason.inert). The broker sends them again.")
    case .tooManySensors(let most):
      output.event(
        "too_many_sensors", ["most": .integer(most)],
        "\(most) sensors that only advertise are announced to Home Assistant, and no more: \"match\" in \"listen\" can leave out those of others."
      )
    case .notAnnounced(let topic):
      output.event(
        "not_announced", ["topic": .string(topic)],
        "The broker refuses announcements to Home Assistant on \(topic.inert): check its rights.")
    case .lease(let report): take(report)
    case .refused(let topic, let code):
      tell(
        "refused", nil, topic: topic, reason: "\(code)",
        "The broker refuses messages on \(topic.inert) (code \(code)): no device of the fleet is kept. Check its rights."
      )
    case .unsendable(let topic):
      output.event(
        "unsendable", ["topic": .string(topic)],
        "A message on \(topic.inert) is longer than the broker takes, and was dropped.")
    }
  }
}
