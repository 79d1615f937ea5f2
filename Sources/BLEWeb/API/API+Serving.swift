import BLEProfileFiles
import BLEReports
import BLESession
import BLEText

extension API {
  /// The explorer as a peripheral.
  static let servingRoutes: [Route] = [
    Route(.get, "/api/v1/serving", "What this explorer publishes as a peripheral, and the profiles that it has") {
      (explorer, _) async throws(APIError) in .json(await explorer.serving.json)
    },
    Route(
      .put, "/api/v1/serving", "Publishes a profile, in place of the one before",
      body: [
        BodyMember("profile", .word(Profile.builtIn.map(\.name)), isRequired: false, "one of its own"),
        BodyMember("file", .text(longest: 65_536), isRequired: false, "or the text of a profile file of ble serve"),
        BodyMember("name", .text(longest: 248), isRequired: false, "the name to advertise, instead of the profile's"),
      ]
    ) { (explorer, call) async throws(APIError) in
      await explorer.serving.start(try call.profile)
      return .json(await explorer.serving.json)
    },
    Route(.delete, "/api/v1/serving", "Ends what is published; its subscribers lose the link's services") {
      (explorer, _) async throws(APIError) in
      await explorer.serving.stop()
      return .json(await explorer.serving.json)
    },
    Route(
      .post, "/api/v1/serving/push", "Sets a value of what is published, and notifies its subscribers",
      body: API.characteristic + API.value
    ) { (explorer, call) async throws(APIError) in
      try await explorer.serving.push(try call.octets, to: try call.path)
      return .json(await explorer.serving.json)
    },
  ]
}

extension Call {
  fileprivate var profile: Profile {
    get throws(APIError) {
      var profile: Profile
      switch (text("profile"), text("file")) {
      case (let name?, nil):
        guard let found = Profile.builtIn.first(where: { $0.name == name }) else {
          throw APIError(.invalid, "no such profile")
        }
        profile = found.profile
      case (nil, let file?):
        do throws(FileMistakes) {
          profile = try ProfileReader.read(try Self.json(file))
        } catch {
          throw APIError(.invalid, error.lines(in: "the profile").joined(separator: "\n"))
        }
      default: throw APIError(.invalid, "either \"profile\" or \"file\" is needed")
      }
      if let name = text("name") { profile.name = name }
      return profile
    }
  }

  private static func json(_ file: String) throws(FileMistakes) -> PositionedJSON {
    do {
      return try PositionedJSONReader.read(file)
    } catch {
      throw FileMistakes(error)
    }
  }
}
