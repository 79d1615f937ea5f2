import BLESession
import BLEText
import CoreBluetooth

/// A command, with its simulation, which is read when all commands are known.
struct CommandEntry {
  var command: DeviceCommand
  var position: TextPosition
  var simulated: PositionedJSON?
}

struct NotificationEntry {
  var notification: DeviceNotification
  var position: TextPosition
}

/// `commands` and `notifications`: tables by name.
extension DeviceFileReader {
  /// Names that are subcommands of `ble command FILE ...`.
  static let reservedNames: Set<String> = ["list", "check", "raw", "listen", "help"]

  func commands(_ json: PositionedJSON, _ context: LayoutContext) -> [CommandEntry] {
    members(of: json, "commands").compactMap { member in
      if Self.reservedNames.contains(member.key) {
        mistakes.note(
          PositionedError(member.position, "\"\(member.key)\" is a subcommand of the tool: expected another name"))
      }
      return command(member, context)
    }
  }

  func notifications(_ json: PositionedJSON, _ context: LayoutContext) -> [NotificationEntry] {
    members(of: json, "notifications").compactMap { notification($0, context) }
  }

  private func members(of json: PositionedJSON, _ what: String) -> [PositionedJSON.Member] {
    let members = mistakes.attempt { () throws(PositionedError) in try json.table(what, most: Self.mostCommands) } ?? []
    return members.filter { member in
      mistakes.attempt { () throws(PositionedError) in try Self.checkName(member.key, member.position) } != nil
    }
  }

  private func command(_ member: PositionedJSON.Member, _ context: LayoutContext) -> CommandEntry? {
    guard var object = FileObject(member.value, "the command \"\(member.key)\"", mistakes) else { return nil }
    let summary = object.optional("description", Self.summary)
    let read = object.member("read")
    let write = read == nil ? object.member("write") : nil
    let path = (read ?? write).map { json in mistakes.attempt { () throws(PositionedError) in try json.path() } }
    let kind: DeviceCommand.Kind
    if let path {
      let layout = MessageLayout(parts: object.optional(read == nil ? "send" : "fields", parts) ?? [])
      guard let path else { return nil }
      kind = read == nil ? .write(path, layout) : .read(path, layout)
    } else {
      kind = conversationKind(member, &object, context)
    }
    // A read or write of a characteristic has no separate answer.
    let isConversation = path == nil
    let timeLimit = isConversation ? object.optional("time_limit", Self.seconds) : nil
    let retries = isConversation ? object.optional("retries", Self.retries) : nil
    let isRepeatable =
      isConversation ? object.optional("repeatable") { (json) throws(PositionedError) in try json.boolean() } : nil
    let simulated = object.member("simulated")
    object.finish()
    let command = DeviceCommand(
      name: member.key, summary: summary, kind: kind, timeLimit: timeLimit ?? context.standard?.timeLimit ?? 3,
      retries: retries ?? context.standard?.retries ?? 0, isRepeatable: isRepeatable ?? false,
      behaviour: SimulatedBehaviour())
    return CommandEntry(command: command, position: member.position, simulated: simulated)
  }

  private func conversationKind(
    _ member: PositionedJSON.Member, _ object: inout FileObject, _ context: LayoutContext
  ) -> DeviceCommand.Kind {
    if !context.hasConversation {
      mistakes.note(
        PositionedError(
          member.position,
          "the command \"\(member.key)\" needs \"read\" or \"write\", or the file a \"conversation\""))
    }
    let type = messageType(&object, context)
    let send = object.optional("send", parts) ?? []
    let answer = object.optional("answer") { (json) -> MessageLayout? in self.message(json, "an answer", context) }
    let refusal = object.optional("refusal") { (json) -> MessageLayout? in self.message(json, "a refusal", context) }
    if refusal != nil, answer == nil {
      mistakes.note(PositionedError(member.position, "a command with a \"refusal\" needs an \"answer\", too"))
    }
    return .conversation(send: MessageLayout(type: type, parts: send), answer: answer, refusal: refusal)
  }

  /// `{"type": 1, "fields": [...]}`.
  func message(_ json: PositionedJSON, _ what: String, _ context: LayoutContext) -> MessageLayout? {
    guard var object = FileObject(json, what, mistakes) else { return nil }
    let type = messageType(&object, context)
    let parts = object.optional("fields", parts) ?? []
    object.finish()
    return MessageLayout(type: type, parts: parts)
  }

  /// The type of a message, which is required if frames have a type field.
  private func messageType(_ object: inout FileObject, _ context: LayoutContext) -> UInt32? {
    guard context.isConversationClear else {
      _ = object.member("type")
      return nil
    }
    guard let field = context.typeField else { return nil }
    return object.required("type") { (json) throws(PositionedError) in
      UInt32(try json.integer(0...(1 << (8 * field.width) - 1), "a type of frame"))
    }
  }

  private func notification(_ member: PositionedJSON.Member, _ context: LayoutContext) -> NotificationEntry? {
    guard var object = FileObject(member.value, "the notification \"\(member.key)\"", mistakes) else { return nil }
    let summary = object.optional("description", Self.summary)
    let path = object.optional("from", Self.path)
    let interval = object.optional("every", Self.seconds)
    var layout = MessageLayout()
    if path == nil {
      if !context.hasConversation {
        mistakes.note(
          PositionedError(
            member.position, "the notification \"\(member.key)\" needs \"from\", or the file a \"conversation\""))
      }
      layout.type = messageType(&object, context)
    }
    layout.parts = object.optional("fields", parts) ?? []
    object.finish()
    return NotificationEntry(
      notification: DeviceNotification(
        name: member.key, summary: summary, path: path, layout: layout, interval: interval),
      position: member.position)
  }
}
