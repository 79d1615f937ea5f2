import BLEReports
import Foundation
import Testing

@testable import BLEWeb

@Suite("Recordings in the explorer")
struct RecordingTests {
  private struct Numbers: RecordingFile {
    let name = "<numbers>"

    func entries(from time: Int, count: Int) throws(RecordingFileError) -> RecordedEntries {
      guard time < 10_000 else { throw RecordingFileError("the file is gone") }
      let entries = (time..<min(time + count, 7_000)).map {
        RecordedEntries.Entry(time: $0, kind: "value", data: ["number": .integer($0)])
      }
      return RecordedEntries(entries: entries, next: time + count < 7_000 ? time + count : nil)
    }
  }

  @Test("I15.1 a recording is read in parts; what is not there is an error of the request, and no end of the program")
  func parts() async throws {
    let scene = await ExplorerScene { $0.recordings = [Numbers()] }
    #expect(
      try await scene.ask("GET", "recordings").text == #"{"recordings":[{"number":0,"name":"<numbers>"}]}"#)
    let first = try await scene.ask("GET", "recordings/0/0")
    #expect((first["entries"] as? [Any])?.count == 5_000)
    let next = try #require(first["next_ms"] as? Int)
    let second = try await scene.ask("GET", "recordings/0/\(next)")
    #expect((second["entries"] as? [Any])?.count == 2_000 && second["next_ms"] is NSNull)
    #expect(second["entries", 0, "data", "number"] as? Int == 5_000)
    #expect(try await scene.ask("GET", "recordings/0/10000").status == 409)
    #expect(try await scene.ask("GET", "recordings/0/18446744073709551615").status == 409)
    for (path, status) in [("1/0", 404), ("18446744073709551615/0", 404), ("-1/0", 400), ("0/x", 400), ("a/0", 400)] {
      #expect(try await scene.ask("GET", "recordings/\(path)").status == status)
    }
  }
}
