import BLEChat
import BLESession
import Foundation

/// The output of a chat: lines with marks on a terminal, only messages in a pipe, events in JSON.
@MainActor final class ChatScreen {
  weak var input: LineInput?
  private var names: ChatNames
  private let output: Output
  /// Undelivered messages of this side, oldest first.
  private var waiting: [(number: Int, text: String)] = []
  /// Numbers that were reported delivered before `sent` was called for their message.
  private var early: Set<Int> = []

  /// The most undelivered messages shown above the input line.
  private static let mostShown = 5

  init(ownName: String, output: Output) {
    names = ChatNames(own: ownName)
    self.output = output
  }

  private var isTerminal: Bool { input?.isEditing ?? false }
  private var partnerName: String { names.other }

  func begin(_ configuration: ChatConfiguration) {
    guard output.isJSON else {
      return output.note(
        configuration.partner.map { "You are '\(names.own)'. Looking for '\($0.inertWords)' ..." }
          ?? "You are '\(names.own)'. Looking for a chat partner ...")
    }
    output.event(
      "searching",
      [
        "name": .string(configuration.name),
        "identifier": .string(orNull: configuration.identifier.map { String($0, radix: 16) }),
        "peer": .string(orNull: configuration.partner), "role": .string(configuration.role.word),
      ],
      "")
  }

  func end() {
    guard !output.isJSON, !waiting.isEmpty else { return }
    output.note("\(waiting.count) message\(waiting.count == 1 ? " was" : "s were") not delivered.")
  }

  /// Called when a message has its number.
  func sent(_ text: String, _ number: Int) {
    if output.isJSON {
      output.event("sent", ["number": .integer(number), "octets": .integer(text.utf8.count)], "")
    }
    if early.remove(number) != nil { return mark([(number, text)], "✓") }
    waiting.append((number, text))
    showWaiting()
  }

  func show(_ event: ChatEvent) {
    switch event {
    case .arrived(let partner): arrived(partner)
    case .message(let message):
      output.event(
        "message",
        [
          "number": .integer(message.number), "name": .string(orNull: names.partner?.name),
          "text": .string(message.text),
        ],
        isTerminal
          ? output.style.strong(partnerName + ":") + " " + message.text.inertWords : message.text.inertWords)
      // Rings the terminal bell.
      input?.ring()
    case .delivered(let numbers): settle(numbers, "delivered", "✓")
    case .undeliverable(let numbers): settle(numbers, "undeliverable", "✗")
    default: tell(event)
    }
  }

  private func tell(_ event: ChatEvent) {
    let (name, members, sentence): (String, JSONValue, String) =
      switch event {
      case .away:
        // A plain-text app does not say that it leaves.
        (
          "away", [:],
          names.partner?.isFramed == false
            ? "\(partnerName.capitalizedFirst) is not connected any more; your messages are kept."
            : "\(partnerName.capitalizedFirst) is out of range; your messages are kept."
        )
      case .left: ("left", [:], "\(partnerName.capitalizedFirst) has left.")
      case .finished: ("finished", [:], "\(partnerName.capitalizedFirst) has finished.")
      case .refused(let reason): ("refused", ["reason": .string(reason.rawValue)], reason.sentence)
      case .unavailable(let error):
        (
          "unavailable", ["message": .string(error.description)],
          "\(error.description.inert.capitalizedFirst). The chat continues when it is back."
        )
      default: ("", [:], "")
      }
    if output.isJSON { output.event(name, members, "") } else { output.note(sentence) }
  }

  private func arrived(_ partner: ChatPartner) {
    let isBack = names.arrived(partner)
    guard !output.isJSON else {
      let identifier = partner.identifier.map { String($0, radix: 16) }
      return output.event(
        "arrived",
        [
          "name": .string(orNull: partner.name), "identifier": .string(orNull: identifier),
          "framed": .bool(partner.isFramed), "role": .string(partner.isCentralHere ? "central" : "peripheral"),
          "code": .string(orNull: partner.verificationCode), "code_changed": .bool(partner.isCodeChanged),
          "failed_agreements": .integer(partner.failedAgreements),
        ], "")
    }
    output.note("\(partnerName.capitalizedFirst) is \(isBack ? "back" : "here").")
    if names.areAlike, !isBack { output.note("It has your name; --name gives you another one.") }
    if !partner.isFramed, !isBack { output.note("It is a plain-text app: long messages are sent to it in parts.") }
    if partner.failedAgreements > 0 {
      output.note(
        "Warning: key agreements that were aborted before this one: \(partner.failedAgreements). Compare the code carefully."
      )
    }
    guard let code = partner.verificationCode else {
      if partner.isCodeChanged { output.note("Warning: this chat is not encrypted; the previous one was.") }
      return
    }
    guard !isBack || partner.isCodeChanged || partner.failedAgreements > 0 else { return }
    if partner.isCodeChanged {
      output.note("Warning: \(partnerName) has other keys than before, or another device uses that name.")
    }
    output.note("Encrypted. Both sides must show the same code: \(code.prefix(3)) \(code.suffix(3))")
  }

  /// Messages of this side were delivered, or cannot be.
  private func settle(_ numbers: [Int], _ name: String, _ sign: String) {
    if output.isJSON { output.event(name, ["numbers": .array(numbers.map(JSONValue.integer))], "") }
    let settled = Set(numbers)
    let known = waiting.filter { settled.contains($0.number) }
    waiting.removeAll { settled.contains($0.number) }
    early.formUnion(settled.subtracting(known.map(\.number)))
    // The message that marks the end of the input has a number, too, for which `sent` is never called.
    if early.count > 1_024 { early = [] }
    mark(known, sign)
  }

  /// Prints delivered messages on a terminal.
  private func mark(_ messages: [(number: Int, text: String)], _ sign: String) {
    showWaiting()
    guard isTerminal else { return }
    for message in messages {
      output.collect(output.style.faint("\(names.own):") + " \(message.text.inertWords) \(sign)")
    }
    output.flush()
  }

  private func showWaiting() {
    guard isTerminal else { return }
    var lines = waiting.suffix(Self.mostShown).map { "\(names.own): \($0.text.prefix(500).description.inertWords) …" }
    if waiting.count > lines.count { lines.insert("… and \(waiting.count - lines.count) before", at: 0) }
    input?.above = lines
  }
}

extension ChatConfiguration.Role {
  fileprivate var word: String {
    switch self {
    case .automatic: "automatic"
    case .central: "central"
    case .peripheral: "peripheral"
    }
  }
}

extension ChatRefusal {
  /// The message for the user.
  fileprivate var sentence: String {
    switch self {
    case .busy: "A device is here, but is in another chat, or waits for another device."
    case .noEncryption:
      "A device is here, but only one side requires encryption: give --encrypt to both, or to neither."
    case .version: "A device is here with another version of the chat: update the older one."
    case .notAskedFor: "A device is here, but --peer on this side or the other names another one."
    case .violation: "A device is here that violates the chat protocol; it is ignored for a while."
    case .later:
      "Too many key agreements were aborted; the next one is possible within a minute. An attacker may be trying codes."
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
