import BLEReports

extension API {
  /// A chat with a device nearby.
  static let chatRoutes: [Route] = [
    Route(.get, "/api/v1/chat", "Whether this explorer is in the chat, who is there, and what was said") {
      (explorer, _) async throws(APIError) in .json(await explorer.chat.json)
    },
    Route(
      .put, "/api/v1/chat", "Joins the chat: finds the other side, or is found by it",
      body: [
        BodyMember("name", .text(longest: 64), "the name for the other side"),
        BodyMember("partner", .text(longest: 64), isRequired: false, "the only name to talk with"),
        BodyMember("encrypted", .flag, isRequired: false, "whether to talk encrypted or not at all"),
      ]
    ) { (explorer, call) async throws(APIError) in
      guard let name = call.text("name"), !name.isEmpty else { throw APIError(.invalid, "a name is needed") }
      try await explorer.chat.join(
        name: name, partner: call.text("partner"), isEncrypted: call.flag("encrypted") ?? false)
      return .json(await explorer.chat.json)
    },
    Route(.delete, "/api/v1/chat", "Leaves the chat") {
      (explorer, _) async throws(APIError) in
      await explorer.chat.leave()
      return .json(await explorer.chat.json)
    },
    Route(
      .post, "/api/v1/chat/messages", "Says something; it is delivered when the other side is there",
      body: [BodyMember("text", .text(longest: ChatRoom.longestMessage), "the text")]
    ) { (explorer, call) async throws(APIError) in
      guard let text = call.text("text"), !text.isEmpty else { throw APIError(.invalid, "a text is needed") }
      return .json(try await explorer.chat.say(text))
    },
  ]
}
