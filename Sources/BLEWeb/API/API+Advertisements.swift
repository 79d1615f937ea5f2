import BLEReports

extension API {
  /// What devices have advertised.
  static let advertisementRoutes: [Route] = [
    Route(
      .get, "/api/v1/devices/{identifier}/advertisements",
      "What a device has advertised, oldest first: an entry for each change, the last 100 of them, and fewer where many devices change often"
    ) { (explorer, call) async throws(APIError) in
      guard let found = await explorer.history.json(of: try call.identifier) else {
        throw APIError(.notFound, "the device was not heard: scan first")
      }
      return .json(found)
    }
  ]
}
