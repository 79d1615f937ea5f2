import BLEDeviceFiles
import BLEReports
import BLESession
import BLEText

extension API {
  /// Devices that a file describes.
  static let deviceFileRoutes: [Route] = [
    Route(.get, "/api/v1/device-files", "The device files that can be used: the program's own and those that were put")
    {
      (explorer, _) async throws(APIError) in .json(["files": .array(explorer.files.all.map(\.json))])
    },
    Route(.get, "/api/v1/device-files/{name}", "A device file with its text") {
      (explorer, call) async throws(APIError) in
      let file = try explorer.files.file(named: call.segments["name"] ?? "")
      return .json(.combined(file.json, ["text": .string(file.text)]))
    },
    Route(
      .put, "/api/v1/device-files/{name}", "Keeps a device file for this run; all its mistakes are answered at once",
      body: [BodyMember("text", .text(longest: DeviceFileShelf.longest), isSecret: true, "the text of the file")]
    ) { (explorer, call) async throws(APIError) in
      let (name, text) = (call.segments["name"] ?? "", call.text("text") ?? "")
      let description: DeviceDescription
      do throws(DeviceFileError) {
        description = try DeviceDescription(text: text, file: name)
      } catch {
        return .refusal(error)
      }
      return .json(try explorer.keep(description, text, as: name))
    },
    Route(.delete, "/api/v1/device-files/{name}", "Removes a device file that was put") {
      (explorer, call) async throws(APIError) in
      try explorer.files.remove(call.segments["name"] ?? "")
      explorer.hub.publish("files", [:])
      return .json(["files": .array(explorer.files.all.map(\.json))])
    },
    Route(
      .get, "/api/v1/devices/{identifier}/device-file",
      "The device's file with its commands, and the fields of its state as they were last told; `file` is null without one"
    ) {
      (explorer, call) async throws(APIError) in .json(await explorer.vendorJSON(try call.identifier))
    },
    Route(
      .post, "/api/v1/devices/{identifier}/device-file",
      "Opens an open device again as a file describes it, with the file's handshake",
      body: [BodyMember("file", .text(longest: 64), "the name of the device file")]
    ) { (explorer, call) async throws(APIError) in
      let (identifier, file) = (try call.identifier, try explorer.files.file(named: call.text("file") ?? ""))
      let vendor = try await call.session { () async throws(SessionError) in
        try await explorer.attach(file, to: identifier)
      }
      return .json(await vendor.json)
    },
    Route(.delete, "/api/v1/devices/{identifier}/device-file", "Opens the device again without the file") {
      (explorer, call) async throws(APIError) in
      let identifier = try call.identifier
      await explorer.detach(from: identifier)
      return .json(await explorer.vendorJSON(identifier))
    },
    Route(
      .post, "/api/v1/devices/{identifier}/commands/{command}",
      "Performs a command of the device's file; mistakes in its values are answered by field",
      body: [
        BodyMember("values", .values(most: 64, longest: 4_096), isRequired: false, "values of the parameters, by name")
      ]
    ) { (explorer, call) async throws(APIError) in
      let identifier = try call.identifier
      guard let vendor = await explorer.vendors[identifier] else {
        explorer.metrics.performed(.unavailable)
        throw APIError(.unavailable, "the device has no device file: attach one first")
      }
      let name = call.segments["command"] ?? ""
      let values: [String: FieldValue]
      do throws(TypedValueMistakes) {
        values = try vendor.file.description.values(of: name, typed: call.values("values"))
      } catch {
        let isUnknown = vendor.file.description.command(named: name) == nil
        explorer.metrics.performed(isUnknown ? .notFound : .invalid)
        return .refusal(error, isUnknown: isUnknown)
      }
      do throws(APIError) {
        let answer = try await call.session { () async throws(SessionError) in try await vendor.perform(name, values) }
        explorer.metrics.performed(nil)
        return .json(answer)
      } catch {
        explorer.metrics.performed(error.kind, attributeError: error.attributeError)
        throw error
      }
    },
  ]
}

extension Explorer {
  /// Keeps a file that was put, and tells it to all.
  nonisolated func keep(_ description: DeviceDescription, _ text: String, as name: String) throws(APIError) -> JSONValue
  {
    let file = try files.put(description, text, as: name)
    hub.publish("files", [:])
    return file.json
  }
}

extension WebResponse {
  /// All mistakes of a device file, with their places.
  static func refusal(_ error: DeviceFileError) -> WebResponse {
    let mistakes = error.mistakes.map { mistake -> JSONValue in
      [
        "line": .integer(mistake.position.line), "column": .integer(mistake.position.column),
        "message": .string(mistake.message),
      ]
    }
    return problem(.invalid, error.description, "mistakes", mistakes)
  }

  /// All mistakes in the values of a command, with their fields.
  static func refusal(_ error: TypedValueMistakes, isUnknown: Bool) -> WebResponse {
    let fields = error.mistakes.map { mistake -> JSONValue in
      ["field": .string(orNull: mistake.field), "message": .string(mistake.expected)]
    }
    let message = error.mistakes.map(\.sentence).joined(separator: "\n")
    return problem(isUnknown ? .notFound : .invalid, message, "fields", fields)
  }

  private static func problem(
    _ kind: APIError.Kind, _ message: String, _ member: String, _ parts: [JSONValue]
  ) -> WebResponse {
    let error = JSONValue.object([
      .init(key: "kind", value: .string(kind.rawValue)), .init(key: "message", value: .string(message)),
      .init(key: "att_error", value: .null), .init(key: member, value: .array(parts)),
    ])
    return .json(["error": error], status: kind.status)
  }
}
