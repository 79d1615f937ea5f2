import BLEDeviceFiles
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
      .put, "/api/v1/serving", "Publishes a profile or a device file's device, in place of what was published",
      body: [
        BodyMember("profile", .word(Profile.builtIn.map(\.name)), isRequired: false, "one of its own"),
        BodyMember(
          "file", .text(longest: 65_536), isRequired: false,
          "or the text of a profile file of ble serve"),
        BodyMember("device_file", .text(longest: 64), isRequired: false, "or the name of a device file"),
        BodyMember("name", .text(longest: 248), isRequired: false, "the name to advertise, instead of its own"),
      ]
    ) { (explorer, call) async throws(APIError) in
      switch try call.published(of: explorer.files) {
      case .profile(let profile): await explorer.serving.start(profile)
      case .device(let file): try await explorer.serving.start(file, name: call.text("name"))
      }
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
    Route(
      .put, "/api/v1/serving/state/{field}", "Sets a field of the published device's state",
      body: [
        BodyMember("value", .text(longest: 4_096), "a number, one of the file's words, a text, or hexadecimal digits")
      ]
    ) { (explorer, call) async throws(APIError) in
      try await explorer.serving.set(call.segments["field"] ?? "", to: call.text("value") ?? "")
      return .json(await explorer.serving.json)
    },
    Route(
      .post, "/api/v1/serving/notifications/{notification}",
      "Sends a notification of the published device to all that have subscribed"
    ) { (explorer, call) async throws(APIError) in
      try await explorer.serving.send(call.segments["notification"] ?? "")
      return .json(await explorer.serving.json)
    },
  ]
}

/// What a request wants to be published.
private enum Published {
  case profile(Profile)
  case device(DeviceFile)
}

extension Call {
  fileprivate func published(of files: DeviceFileShelf) throws(APIError) -> Published {
    var profile: Profile
    switch (text("profile"), text("file"), text("device_file")) {
    case (let name?, nil, nil):
      guard let found = Profile.builtIn.first(where: { $0.name == name }) else {
        throw APIError(.invalid, "no such profile")
      }
      profile = found.profile
    case (nil, let file?, nil):
      do throws(FileMistakes) {
        profile = try ProfileReader.read(try Self.json(file))
      } catch {
        throw APIError(.invalid, error.lines(in: "the profile").joined(separator: "\n"))
      }
    case (nil, nil, let name?): return .device(try files.file(named: name))
    default: throw APIError(.invalid, "one of \"profile\", \"file\" and \"device_file\" is needed")
    }
    if let name = text("name") { profile.name = name }
    return .profile(profile)
  }

  private static func json(_ file: String) throws(FileMistakes) -> PositionedJSON {
    do {
      return try PositionedJSONReader.read(file)
    } catch {
      throw FileMistakes(error)
    }
  }
}
