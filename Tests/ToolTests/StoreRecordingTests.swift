import BLEReports
import BLESession
import BLESessionStore
import BLEWeb
import Foundation
import Testing

@testable import ble

@Suite("Recordings of ble record in the explorer")
struct StoreRecordingTests {
  private static let start = 1_700_000_000_000

  private static func date(_ milliseconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(start + milliseconds) / 1_000)
  }

  /// Values, measurements and events at `times`, in milliseconds.
  private static func recording(
    _ times: [Int], _ body: (StoreRecording) throws -> Void
  ) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
    let store = try SessionStore(file: file)
    let session = try await store.beginSession(title: "a ride")
    let device = UUID()
    for (index, time) in times.enumerated() {
      let path = CharacteristicPath("FFF1")
      store.add(
        StoreEntry(.value(Data([UInt8(index % 256)]), from: path, .notified), device: device, at: date(time)),
        to: session)
      store.add(StoreEntry(.signal(rssi: -40, smoothed: nil, .connection), device: device, at: date(time)), to: session)
      store.add(StoreEntry(.event(kind: "hint", detail: "=1"), device: device, at: date(time)), to: session)
    }
    try await store.close()
    try body(try StoreRecording(path: file.path))
  }

  @Test("I15.1 rows of all kinds come in the order of their times, with the members of ble history")
  func order() async throws {
    try await Self.recording([0, 10, 20]) { recording in
      let found = try recording.entries(from: 0, count: 100)
      #expect(found.next == nil && found.entries.count == 9)
      #expect(found.entries.map(\.time) == [0, 0, 0, 10, 10, 10, 20, 20, 20].map { Self.start + $0 })
      #expect(found.entries.prefix(3).map(\.kind) == ["value", "event", "rssi"])
      let text = found.entries.last { $0.kind == "value" }?.data.text
      #expect(text?.contains(#""characteristic":"FFF1""#) == true && text?.contains(#""hex":"02""#) == true)
      #expect(try recording.entries(from: Self.start + 11, count: 100).entries.count == 3)
      #expect(try recording.entries(from: .max, count: 100).entries.isEmpty)
    }
  }

  @Test("I15.1 parts of a recording have each row once, also where many are of one millisecond")
  func parts() async throws {
    try await Self.recording([0, 0, 0, 0, 5, 5, 6, 7, 7, 9]) { recording in
      var (times, from): ([Int], Int?) = ([], 0)
      var parts = 0
      while let next = from {
        let found = try recording.entries(from: next, count: 4)
        times += found.entries.map { $0.time - Self.start }
        from = found.next
        parts += 1
      }
      #expect(times == [0, 0, 0, 0, 5, 5, 6, 7, 7, 9].flatMap { [$0, $0, $0] })
      #expect(parts == 4)
    }
  }
}
