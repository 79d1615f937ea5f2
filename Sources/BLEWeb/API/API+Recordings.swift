import BLEReports

extension API {
  /// Recordings of `ble record`, which the explorer was started with.
  static let recordingRoutes: [Route] = [
    Route(.get, "/api/v1/recordings", "The recordings that can be looked at") {
      (explorer, _) async throws(APIError) in
      .json([
        "recordings": .array(
          explorer.surroundings.recordings.enumerated().map {
            ["number": .integer($0.offset), "name": .string($0.element.name)]
          })
      ])
    },
    Route(
      .get, "/api/v1/recordings/{number}/{from}",
      "What was recorded from a time on, in milliseconds since 1970, and from when the rest can be had"
    ) {
      (explorer, call) async throws(APIError) in
      let (number, from) = (try call.number(in: "number"), Int(clamping: try call.number(in: "from")))
      let recordings = explorer.surroundings.recordings
      guard let index = Int(exactly: number), recordings.indices.contains(index) else {
        throw APIError(.notFound, "there is no recording of this number")
      }
      do throws(RecordingFileError) {
        return .json(try recordings[index].entries(from: from, count: mostRecorded).json)
      } catch {
        throw APIError(.unavailable, error.message)
      }
    },
  ]

  /// The most entries in one answer.
  private static let mostRecorded = 5_000
}
