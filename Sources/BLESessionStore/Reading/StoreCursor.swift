import Foundation

/// The rows of a query, read one at a time: reading a record of any length needs the memory of one row.
///
/// Sees the file as it was when the first row was read. Until the last row is read, the write-ahead log cannot be truncated and grows.
/// An invalid row, which another program may have written, is skipped. Used by one thread at a time, as is its reader.
public final class StoreCursor<Element> {
  // Declared before the database, which closes its file when it is released.
  private var statement: Statement?
  /// Retained here: statements do not retain their database.
  private let database: Database
  private let read: (Row) -> Element?

  package init(
    _ database: Database, _ text: SQLText, _ values: [SQLValue], _ read: @escaping (Row) -> Element?
  ) throws(StoreError) {
    self.database = database
    self.read = read
    let statement = try Statement(database, text)
    try statement.bind(values)
    self.statement = statement
  }

  /// The next row; `nil` after the last one.
  public func next() throws(StoreError) -> Element? {
    while let statement {
      guard try statement.step() else {
        // Ends the read transaction immediately.
        self.statement = nil
        return nil
      }
      if let element = read(Row(statement)) { return element }
    }
    return nil
  }

  /// All remaining rows. For queries that are known to have few.
  public func all() throws(StoreError) -> [Element] {
    var elements: [Element] = []
    while let element = try next() { elements.append(element) }
    return elements
  }
}
