import BLECore
import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// The interface for programs, version 1.
enum API {
  static let routes =
    deviceRoutes + descriptorRoutes + channelRoutes + throughputRoutes + pairingRoutes + servingRoutes + radioRoutes
    + logRoutes + recordingRoutes + deviceFileRoutes + cloneRoutes + chatRoutes + advertisementRoutes + fleetRoutes

  private static let deviceRoutes: [Route] = [
    Route(.get, "/api/v1/status", "The adapter, the state of Bluetooth, whether it scans") {
      (explorer, _) async throws(APIError) in .json(await explorer.status)
    },
    Route(.get, "/api/v1/openapi.json", "This description") {
      (explorer, _) async throws(APIError) in .json(OpenAPI.document(version: explorer.surroundings.version))
    },
    Route(.put, "/api/v1/scan", "Begins or ends the scan", body: [BodyMember("on", .flag, "whether to scan")]) {
      (explorer, call) async throws(APIError) in
      await explorer.setScanning(call.flag("on") ?? false)
      return .json(await explorer.status)
    },
    Route(.get, "/api/v1/devices", "All devices that were heard, and the number of the last event") {
      (explorer, _) async throws(APIError) in .json(await explorer.table)
    },
    Route(
      .get, "/api/v1/sessions", "The devices that are open, with their attributes, and the number of the last event"
    ) {
      (explorer, _) async throws(APIError) in .json(await explorer.sessions())
    },
    Route(
      .get, "/api/v1/devices/{identifier}",
      "A device's session and its attributes; the state of one that is not open is `idle`"
    ) {
      (explorer, call) async throws(APIError) in .json(await explorer.session(with: try call.identifier))
    },
    Route(.post, "/api/v1/devices/{identifier}/connect", "Opens a device and keeps it connected") {
      (explorer, call) async throws(APIError) in
      let identifier = try call.identifier
      let device = try await call.session { () async throws(SessionError) in try await explorer.open(identifier) }
      await device.connect()
      return .json(await device.status)
    },
    Route(.post, "/api/v1/devices/{identifier}/disconnect", "Ends the link, and the attempts to make one") {
      (explorer, call) async throws(APIError) in
      await explorer.close(try call.identifier)
      return .json(await explorer.status)
    },
    Route(.post, "/api/v1/devices/{identifier}/read", "Reads a characteristic", body: characteristic) {
      (explorer, call) async throws(APIError) in
      let (device, path) = try await call.characteristic(explorer)
      return .json(try await call.session { () async throws(SessionError) in try await device.read(path) })
    },
    Route(
      .post, "/api/v1/devices/{identifier}/write", "Writes a characteristic",
      body: characteristic + value + [
        BodyMember("without_response", .flag, isRequired: false, "whether no answer is wanted")
      ]
    ) { (explorer, call) async throws(APIError) in
      let ((device, path), octets) = (try await call.characteristic(explorer), try call.octets)
      let withResponse = !(call.flag("without_response") ?? false)
      return .json(
        try await call.session { () async throws(SessionError) in
          try await device.write(octets, to: path, withResponse: withResponse)
        })
    },
    Route(.post, "/api/v1/devices/{identifier}/subscribe", "Subscribes to a characteristic", body: characteristic) {
      (explorer, call) async throws(APIError) in
      let (device, path) = try await call.characteristic(explorer)
      try await call.session { () async throws(SessionError) in try await device.subscribe(to: path) }
      return .json(await device.status)
    },
    Route(.post, "/api/v1/devices/{identifier}/unsubscribe", "Ends a subscription", body: characteristic) {
      (explorer, call) async throws(APIError) in
      let (device, path) = try await call.characteristic(explorer)
      await device.unsubscribe(from: path)
      return .json(await device.status)
    },
    Route(
      .post, "/api/v1/devices/{identifier}/descriptors", "Reads the descriptors of a characteristic",
      body: characteristic
    ) {
      (explorer, call) async throws(APIError) in
      let (device, path) = try await call.characteristic(explorer)
      return .json(try await call.session { () async throws(SessionError) in try await device.descriptors(of: path) })
    },
    Route(
      .get, "/api/v1/devices/{identifier}/signal", "Measures the strength of the link, and says how long a write may be"
    ) {
      (explorer, call) async throws(APIError) in
      .json(await explorer.signal(of: try call.identifier))
    },
    Route(.get, "/api/v1/devices/{identifier}/values", "The last values of all characteristics, oldest first") {
      (explorer, call) async throws(APIError) in
      .json(await explorer.opened[try call.identifier]?.history ?? ["values": []])
    },
  ]

  static let characteristic = [
    BodyMember("service", .uuid, isRequired: false, "the UUID of the service; any where there is none"),
    BodyMember("characteristic", .uuid, "the UUID of the characteristic"),
    BodyMember(
      "instance", .integer(0...65_535), isRequired: false,
      "its place among those with the same UUIDs, from 0, which it is without this member"),
  ]
  static let value = [
    BodyMember("value", .text(longest: 16_384), "the value, in the format"),
    BodyMember(
      "format", .text(longest: 16), isRequired: false,
      "hex (which it is without this member), utf8, base64, uint16le ..."),
  ]

  /// Answers a request; `nil` for a path that is not of the interface.
  static func answer(_ request: WebRequest, _ explorer: Explorer) async -> WebResponse? {
    let path = request.path.split(separator: "/", omittingEmptySubsequences: false)
    let found = routes.compactMap { route in route.match(path).map { (route, $0) } }
    guard !found.isEmpty else { return nil }
    guard let (route, segments) = found.first(where: { $0.0.method.rawValue == request.method }) else {
      var response = WebResponse.text(405, "this path has other methods")
      response.headers.append(("Allow", found.map(\.0.method.rawValue).joined(separator: ", ")))
      return response
    }
    do {
      let call = try Call(request, segments, for: route)
      return await answer(call, route, explorer)
    } catch {
      return error.response
    }
  }

  /// Calls that only ask are not worth an entry of the log.
  private static func answer(_ call: Call, _ route: Route, _ explorer: Explorer) async -> WebResponse {
    let (start, packets) = (ContinuousClock.now, explorer.hub.packetCount())
    var problem: APIError?
    var response: WebResponse
    do throws(APIError) {
      response = try await route.answer(explorer, call)
    } catch {
      (problem, response) = (error, error.response)
    }
    if route.method == .get { return response }
    explorer.hub.publish(
      "call",
      [
        "call": .string("\(call.request.method) \(call.request.path)"), "body": call.logged(for: route),
        "status": .integer(response.status), "ms": .integer((ContinuousClock.now - start).milliseconds),
        "error": .string(orNull: problem?.message),
      ], after: packets)
    return response
  }
}

extension Call {
  var identifier: UUID {
    get throws(APIError) {
      guard let identifier = segments["identifier"].flatMap(UUID.init(uuidString:)) else {
        throw APIError(.invalid, "the identifier of a device is a UUID")
      }
      return identifier
    }
  }

  var path: CharacteristicPath {
    get throws(APIError) {
      guard let characteristic = text("characteristic") else { throw APIError(.invalid, "a characteristic is needed") }
      var path = CharacteristicPath(characteristic, in: text("service"))
      path.instance = integer("instance") ?? 0
      return path
    }
  }

  /// The value in its format.
  var octets: [UInt8] { get throws(APIError) { try octets(atMost: ValueFormat.longest) } }

  func octets(atMost longest: Int) throws(APIError) -> [UInt8] {
    do throws(ArgumentValueError) {
      return try ValueFormat(argument: text("format") ?? "hex").octets(of: text("value") ?? "", atMost: longest)
    } catch {
      throw APIError(.invalid, error.reason)
    }
  }

  /// The device and the characteristic of it that the request is about.
  func characteristic(_ explorer: Explorer) async throws(APIError) -> (OpenDevice, CharacteristicPath) {
    let device = try await opened(explorer)
    return (device, await device.complete(try path))
  }

  func opened(_ explorer: Explorer) async throws(APIError) -> OpenDevice {
    let identifier = try identifier
    return try await session { () async throws(SessionError) in try await explorer.device(identifier) }
  }

  func session<Value: Sendable>(_ work: @Sendable () async throws(SessionError) -> Value) async throws(APIError)
    -> Value
  {
    do {
      return try await work()
    } catch {
      throw APIError(error)
    }
  }
}

extension Explorer {
  /// The state of a device's session.
  func session(with identifier: UUID) async -> JSONValue {
    if let device = opened[identifier] { return await device.status }
    return await OpenDevice(
      central.session(with: .device(identifier)), identifier, name: heard[identifier]?.sighting.name, hub: hub,
      metrics: metrics
    ).status
  }

  /// The devices that are open.
  func sessions() async -> JSONValue {
    let last = hub.last
    var found: [JSONValue] = []
    for device in opened.values { found.append(await device.status) }
    return ["last_event": .integer(Int(last)), "sessions": .array(found)]
  }

  /// All devices, with the number of the last event before.
  var table: JSONValue {
    ["last_event": .integer(Int(hub.last)), "devices": .array(heard.values.map(\.json))]
  }
}
