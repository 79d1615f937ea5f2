import BLEReports
import BLESessionStore
import BLEWeb
import Foundation

/// A recording of `ble record`, for the explorer. It may be written meanwhile.
struct StoreRecording: RecordingFile {
  private let file: URL
  var name: String { file.lastPathComponent }

  /// - Throws: `StoreError`, where it cannot be read.
  init(path: String) throws(StoreError) {
    file = URL(fileURLWithPath: path)
    _ = try StoreReader(file: file)
  }

  func entries(from time: Int, count: Int) throws(RecordingFileError) -> RecordedEntries {
    do throws(StoreError) {
      let reader = try StoreReader(file: file)
      var filter = StoreFilter()
      filter.from = Date(timeIntervalSince1970: Double(time) / 1_000)
      var rows = [
        try Rows("value", reader.values(filter), \.time), try Rows("event", reader.events(filter), \.time),
        try Rows("rssi", reader.signals(filter), \.time), try Rows("connection", reader.connections(filter), \.began),
      ]
      return try Self.merged(&rows, count)
    } catch {
      throw RecordingFileError(ToolError(error).message)
    }
  }

  private static func merged(_ rows: inout [Rows], _ count: Int) throws(StoreError) -> RecordedEntries {
    var entries: [RecordedEntries.Entry] = []
    while let index = rows.indices.filter({ rows[$0].next != nil }).min(by: { rows[$0].time < rows[$1].time }),
      let next = rows[index].next
    {
      if entries.count >= count, let last = entries.last, next.time > last.time {
        return RecordedEntries(entries: entries, next: next.time)
      }
      entries.append(next)
      try rows[index].advance()
    }
    return RecordedEntries(entries: entries, next: nil)
  }

  /// The rows of one kind, of which one is read ahead.
  private struct Rows {
    private let read: () throws(StoreError) -> RecordedEntries.Entry?
    private(set) var next: RecordedEntries.Entry?
    var time: Int { next?.time ?? .max }

    init<Row: ReportRow>(_ kind: String, _ cursor: StoreCursor<Row>, _ time: @escaping (Row) -> Date) throws(StoreError)
    {
      read = { () throws(StoreError) in
        try cursor.next().map { row in
          RecordedEntries.Entry(
            time: Int(exactly: (time(row).timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0, kind: kind,
            data: row.json)
        }
      }
      next = try read()
    }

    mutating func advance() throws(StoreError) { next = try read() }
  }
}
