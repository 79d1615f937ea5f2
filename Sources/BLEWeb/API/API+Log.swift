import BLECore
import BLEReports

extension API {
  /// What has happened, and the packets of it.
  static let logRoutes: [Route] = [
    Route(.get, "/api/v1/log", "The last events and calls of all browsers and programs, oldest first") {
      (explorer, _) async throws(APIError) in explorer.log(after: 0)
    },
    Route(.get, "/api/v1/log/{after}", "Those after the one with that number") {
      (explorer, call) async throws(APIError) in explorer.log(after: try call.number(in: "after"))
    },
    Route(
      .get, "/api/v1/packets/{after}/{through}",
      "The packets of an entry of the log, without reports of advertisements and without keys, as far as they are kept"
    ) {
      (explorer, call) async throws(APIError) in
      .json(
        try explorer.packets(after: try call.number(in: "after"), through: try call.number(in: "through")))
    },
  ]
}

extension Call {
  private static let longestLogged = 256

  /// The members of its body, but for secrets and the rest of long texts.
  func logged(for route: Route) -> JSONValue {
    .object(
      route.body.compactMap { member in
        guard !member.isSecret, let value = members[member.name] else { return nil }
        let json: JSONValue =
          switch value {
          case .flag(let flag): .bool(flag)
          case .number(let number): .number(number)
          case .text(let text): .string(String(text.prefix(Self.longestLogged)))
          // What they mean only a device's file says: one may be a PIN.
          case .values(let values): .array(values.keys.sorted().map(JSONValue.string))
          }
        return JSONValue.Member(key: member.name, value: json)
      })
  }

  /// The number that a variable segment has.
  func number(in segment: String) throws(APIError) -> UInt64 {
    guard let number = segments[segment].flatMap(UInt64.init) else {
      throw APIError(.invalid, "\"\(segment)\" is a number")
    }
    return number
  }
}

extension Explorer {
  /// The most entries in one answer, and octets of them.
  private static let mostEntries = 5_000
  private static let mostPackets = 500

  nonisolated func log(after number: UInt64) -> WebResponse {
    let (entries, isPart) = hub.logPart(after: number, count: Self.mostEntries)
    let text =
      "{\"entries\":[\(entries.map(\.text).joined(separator: ","))],\"part\":\(isPart),\"last_event\":\(hub.last)}"
    return WebResponse(200, "application/json", Array(text.utf8))
  }

  nonisolated func packets(after first: UInt64, through last: UInt64) throws(APIError) -> JSONValue {
    let found = try packetLog.packets(after: first, through: last, limit: Self.mostPackets)
    return [
      "packets": .array(
        found.map {
          [
            "number": .integer(Int(clamping: $0.number)), "text": .string($0.text),
            "hex": .string($0.octets.hexadecimal),
          ]
        })
    ]
  }

  /// All packets that are kept, as a file.
  nonisolated func btsnoop() -> WebResponse {
    do throws(APIError) {
      var response = WebResponse(200, "application/octet-stream", try packetLog.btsnoop())
      response.headers.append(("Content-Disposition", "attachment; filename=\"ble.btsnoop\""))
      return response
    } catch {
      return error.response
    }
  }

  private nonisolated var packetLog: any PacketLog {
    get throws(APIError) {
      guard let packets = surroundings.packets else {
        throw APIError(
          .unavailable, "the packets of \(surroundings.adapter) pass through BlueZ's daemon: btmon shows them")
      }
      return packets
    }
  }
}
