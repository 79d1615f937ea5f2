import Foundation

/// The rows that a query finds, one at a time: a record of any length needs the memory of one row.
///
/// Sees the file as it was when the first row was taken, whatever is written meanwhile; until the last one the log beside the file
/// cannot be emptied and grows. A row that cannot be what it should be,
/// because somebody else has written to the file, is passed over. Belongs to one thread at a time, as its reader does.
public final class StoreCursor<Element> {
  // In front of the database, which closes its file when it goes.
  private var statement: Statement?
  /// Statements do not keep their database.
  private let database: Database
  private let read: (Row) -> Element?

  init(
    _ database: Database, _ text: SQLText, _ values: [SQLValue], _ read: @escaping (Row) -> Element?
  ) throws(StoreError) {
    self.database = database
    self.read = read
    let statement = try Statement(database, text)
    try statement.bind(values)
    self.statement = statement
  }

  /// The next row; `nil` behind the last one.
  public func next() throws(StoreError) -> Element? {
    while let statement {
      guard try statement.step() else {
        // Lets go of the file's state at once.
        self.statement = nil
        return nil
      }
      if let element = read(Row(statement)) { return element }
    }
    return nil
  }

  /// All rows that are left. For queries that are known to be short.
  public func all() throws(StoreError) -> [Element] {
    var elements: [Element] = []
    while let element = try next() { elements.append(element) }
    return elements
  }
}
