import BLEReports
import BLESession

extension API {
  private static let descriptor = [
    BodyMember("descriptor", .uuid, "the UUID of the descriptor"),
    BodyMember(
      "index", .integer(0...65_535), isRequired: false,
      "its place among all descriptors of the characteristic; the first with the UUID without this member"),
  ]

  /// Single descriptors of a characteristic.
  static let descriptorRoutes: [Route] = [
    Route(
      .post, "/api/v1/devices/{identifier}/descriptors/read", "Reads a descriptor", body: characteristic + descriptor
    ) { (explorer, call) async throws(APIError) in
      let (device, path) = try await call.characteristic(explorer)
      return .json(
        try await call.session { () async throws(SessionError) in
          try await device.read(device.descriptor(call.text("descriptor") ?? "", at: call.integer("index"), of: path))
        })
    },
    Route(
      .post, "/api/v1/devices/{identifier}/descriptors/write",
      "Writes a descriptor and reads it again; 2902 is written by subscribing",
      body: characteristic + descriptor + value
    ) { (explorer, call) async throws(APIError) in
      let ((device, path), octets) = (try await call.characteristic(explorer), try call.octets)
      return .json(
        try await call.session { () async throws(SessionError) in
          let found = try await device.descriptor(
            call.text("descriptor") ?? "", at: call.integer("index"), of: path)
          return try await device.write(octets, to: found)
        })
    },
  ]
}
