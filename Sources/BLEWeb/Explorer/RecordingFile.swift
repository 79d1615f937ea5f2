import BLEReports

/// What was recorded earlier, to be looked at in the log.
package protocol RecordingFile: Sendable {
  var name: String { get }
  /// The entries from a time on, in milliseconds since 1970, in the order of their times, `count` at the most.
  ///
  /// More have to come where all are of one millisecond: those behind would never be read.
  func entries(from time: Int, count: Int) throws(RecordingFileError) -> RecordedEntries
}

/// Why a recording cannot be read.
package struct RecordingFileError: Error {
  package let message: String
  package init(_ message: String) { self.message = message }
}

package struct RecordedEntries: Sendable {
  package struct Entry: Sendable {
    /// Milliseconds since 1970.
    package let time: Int
    /// `value`, `event`, `rssi` or `connection`.
    package let kind: String
    /// The row, as `ble history --json` prints it.
    package let data: JSONValue

    package init(time: Int, kind: String, data: JSONValue) {
      self.time = time
      self.kind = kind
      self.data = data
    }
  }

  package let entries: [Entry]
  /// The time from which the rest can be had; `nil` where there is none.
  package let next: Int?

  package init(entries: [Entry], next: Int?) {
    self.entries = entries
    self.next = next
  }

  var json: JSONValue {
    [
      "entries": .array(
        entries.map { ["time_ms": .integer($0.time), "kind": .string($0.kind), "data": $0.data] }),
      "next_ms": next.map(JSONValue.integer) ?? .null,
    ]
  }
}
