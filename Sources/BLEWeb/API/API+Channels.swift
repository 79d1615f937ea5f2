import BLEReports
import BLESession
import CoreBluetooth

extension API {
  /// The L2CAP channels of a device, and those that devices have opened to what the explorer publishes.
  static let channelRoutes: [Route] =
    deviceChannelRoutes
    + routes(ofChannelsAt: "/api/v1/devices/{identifier}/channels") { (explorer, call) async throws(APIError) in
      try await call.opened(explorer).channels
    } + [
      Route(.get, "/api/v1/serving/channels", "The channels that devices have opened to the profile that is published")
      { (explorer, _) async throws(APIError) in
        .json(await explorer.serving.channels.perform { $0.json })
      }
    ]
    + routes(ofChannelsAt: "/api/v1/serving/channels") { (explorer, _) async throws(APIError) in
      explorer.serving.channels
    }

  private static let deviceChannelRoutes: [Route] = [
    Route(
      .get, "/api/v1/devices/{identifier}/channels",
      "The channels of a device: those that are open, and the last that have ended"
    ) {
      (explorer, call) async throws(APIError) in
      guard let device = await explorer.opened[try call.identifier] else { return .json(["channels": []]) }
      return .json(await device.channels.perform { $0.json })
    },
    Route(
      .post, "/api/v1/devices/{identifier}/channels",
      "Opens an L2CAP channel; a device that asks for encryption is paired with. It ends with the link",
      body: [
        BodyMember(
          "psm", .integer(1...255), isRequired: false,
          "the PSM; without it what the device's characteristic ABDD3056-28FA-441D-A470-55A75A52553A says")
      ]
    ) { (explorer, call) async throws(APIError) in
      let (device, psm) = (try await call.opened(explorer), call.integer("psm").map { CBL2CAPPSM($0) })
      return .json(try await call.session { () async throws(SessionError) in try await device.openChannel(psm) })
    },
  ]

  /// What can be done with one channel, wherever it is from.
  private static func routes(
    ofChannelsAt path: String,
    _ channels: @escaping @Sendable (Explorer, Call) async throws(APIError) -> DeviceChannels
  ) -> [Route] {
    let one = path + "/{number}"
    return [
      Route(.get, one, "A channel with its last octets, oldest first: at most 256 pieces and 64 KiB") {
        (explorer, call) async throws(APIError) in
        try await call.channel(try await channels(explorer, call)) { channel in channel.whole }
      },
      Route(
        .put, one,
        "Stops or continues to read. A device whose octets are not read is given no credits, and has to wait",
        body: [BodyMember("paused", .flag, "whether reading stops")]
      ) { (explorer, call) async throws(APIError) in
        let isPaused = call.flag("paused") ?? false
        return try await call.channel(try await channels(explorer, call)) { channel in
          channel.pause(isPaused)
          return channel.json
        }
      },
      Route(
        .post, one + "/send", "Sends octets; they wait until the device gives credits, 256 KiB at the most", body: value
      ) {
        (explorer, call) async throws(APIError) in
        let octets = try call.octets(atMost: DeviceChannel.longestSend)
        return try await call.channel(try await channels(explorer, call)) { (channel) throws(APIError) in
          try channel.send(octets)
          return channel.json
        }
      },
      Route(.delete, one, "Closes a channel") { (explorer, call) async throws(APIError) in
        try await call.channel(try await channels(explorer, call)) { channel in
          channel.end("closed here")
          return channel.json
        }
      },
      Route(
        .post, one + "/throughput",
        "Measures how fast a channel carries octets, both ways where they are sent back; answers at once, with events of its progress",
        body: [
          BodyMember("octets", .integer(1...16_777_216), isRequired: false, "how many; 262144 without this member")
        ]
      ) { (explorer, call) async throws(APIError) in
        let octets = call.integer("octets") ?? 262_144
        return try await call.channel(try await channels(explorer, call)) { (channel) throws(APIError) in
          try channel.measure(octets)
          return channel.json
        }
      },
      Route(.delete, one + "/throughput", "Ends the measurement of a channel that is under way") {
        (explorer, call) async throws(APIError) in
        try await call.channel(try await channels(explorer, call)) { (channel) throws(APIError) in
          try channel.cancelMeasurement()
          return channel.json
        }
      },
    ]
  }
}

extension Call {
  /// Answers with what `body` does on the main queue with the channel that the request is about.
  fileprivate func channel(
    _ channels: DeviceChannels, _ body: @escaping @MainActor @Sendable (DeviceChannel) throws(APIError) -> JSONValue
  ) async throws(APIError) -> WebResponse {
    let number = try number(in: "number")
    let answer = await channels.perform { channels -> Result<JSONValue, APIError> in
      guard let channel = channels.channel(number) else {
        return .failure(APIError(.notFound, "there is no channel \(number)"))
      }
      do throws(APIError) {
        return .success(try body(channel))
      } catch {
        return .failure(error)
      }
    }
    return .json(try answer.get())
  }
}
