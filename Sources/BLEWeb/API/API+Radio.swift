import BLEReports

extension API {
  /// The map of the simulated air; on an adapter of a machine they say that there is none.
  static let radioRoutes: [Route] = [
    Route(.get, "/api/v1/radio", "The devices on the simulated air, and its time") {
      (explorer, _) async throws(APIError) in .json(await (try explorer.radioControl).scene().json)
    },
    Route(
      .put, "/api/v1/radio", "Lets time pass or stand still, and sets its speed and the loss of packets",
      body: [
        BodyMember("running", .flag, isRequired: false, "whether time passes"),
        BodyMember(
          "speed", .number(0.1...100), isRequired: false, "seconds of the air's time for each of the machine's"),
        BodyMember("loss", .number(0...1), isRequired: false, "the part of all packets that is lost"),
      ]
    ) { (explorer, call) async throws(APIError) in
      try await explorer.radioControl.set(
        isRunning: call.flag("running"), speed: call.number("speed"), loss: call.number("loss"))
      return .json(try await explorer.publishRadio())
    },
    Route(
      .post, "/api/v1/radio/step", "Lets some time pass while it stands still",
      body: [BodyMember("milliseconds", .number(1...60_000), "of the air's time")]
    ) { (explorer, call) async throws(APIError) in
      try await explorer.radioControl.step(by: .milliseconds(Int64(call.number("milliseconds") ?? 1)))
      return .json(try await explorer.publishRadio())
    },
    Route(
      .put, "/api/v1/radio/devices/{name}", "Moves a device, or takes or gives it power",
      body: [
        BodyMember("x", .number(-1_000...1_000), isRequired: false, "metres to the right"),
        BodyMember("y", .number(-1_000...1_000), isRequired: false, "metres down"),
        BodyMember("on", .flag, isRequired: false, "whether it has power"),
      ]
    ) { (explorer, call) async throws(APIError) in
      let isFound = try await explorer.radioControl.setDevice(
        call.segments["name"] ?? "", x: call.number("x"), y: call.number("y"), isOn: call.flag("on"))
      guard isFound else { throw noDevice }
      return .json(try await explorer.publishRadio())
    },
    Route(
      .put, "/api/v1/radio/devices/{name}/faults", "Sets the faults of a device, in place of those before",
      body: [
        BodyMember(
          "faults", .text(longest: 16_384), "one on each line, as `ble serve` takes them: read 2A19 nth 2 error 0x0E")
      ]
    ) { (explorer, call) async throws(APIError) in
      let lines = (call.text("faults") ?? "").split(whereSeparator: \.isNewline).map(String.init)
      let radio = try explorer.radioControl
      let isFound: Bool
      do throws(RadioControlError) {
        isFound = try await radio.setFaults(call.segments["name"] ?? "", lines)
      } catch {
        throw APIError(.invalid, error.message)
      }
      guard isFound else { throw noDevice }
      return .json(try await explorer.publishRadio())
    },
  ]

  private static let noDevice = APIError(.notFound, "there is no device of this name on the air")
}

extension Explorer {
  nonisolated var radioControl: any RadioControl {
    get throws(APIError) {
      guard let radio = surroundings.radio else {
        throw APIError(.unavailable, "there is no simulated air: this explorer uses \(surroundings.adapter)")
      }
      return radio
    }
  }

  /// Tells all browsers what has become of the air.
  func publishRadio() async throws(APIError) -> JSONValue {
    let scene = await (try radioControl).scene().json
    hub.publish("radio", scene)
    return scene
  }
}
