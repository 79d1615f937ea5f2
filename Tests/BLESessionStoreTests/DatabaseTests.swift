import BLESession
import CoreBluetooth
import Testing

@testable import BLESessionStore

@Suite("SQLite")
struct DatabaseTests {
  private let folder: Folder
  private let database: Database

  init() throws {
    folder = try Folder()
    database = try Database(folder.file.path, .writing, patience: .milliseconds(10))
    try database.run(script: "CREATE TABLE thing(text TEXT, octets BLOB, number)")
  }

  @Test(
    "X2 a text is read back as it was, whatever its contents",
    arguments: [
      "", "plain", "a\u{0}b", "\u{0}", "'; DROP TABLE thing; --", "?1", "你好 👋", String(repeating: "x", count: 1 << 20),
    ])
  func aTextIsReadBack(text: String) throws {
    try database.run("INSERT INTO thing(text) VALUES(?)", .text(text))
    #expect(try database.first("SELECT text FROM thing WHERE text = ?", .text(text)) { $0.text(0) } == text)
    #expect(try database.number("SELECT COUNT(*) FROM thing") == 1)
  }

  @Test(
    "Octets are read back as they were, and zero octets are not null",
    arguments: [[], [0], Array(0...255)] as [[UInt8]])
  func octetsAreReadBackAsTheyWere(octets: [UInt8]) throws {
    try database.run("INSERT INTO thing(octets) VALUES(?)", .octets(Data(octets)))
    #expect(try database.first("SELECT octets FROM thing") { $0.octets(0) } == .some(Data(octets)))
    #expect(try database.first("SELECT text FROM thing") { $0.text(0) } == .some(nil))
  }

  @Test("Octets in place of a text are repaired, and a text in place of a number is a number")
  func octetsInPlaceOfATextAreRepaired() throws {
    try database.run(script: "INSERT INTO thing VALUES(CAST(x'41ff42' AS TEXT), 'abc', 'no number')")
    let row = try database.first("SELECT text, octets, number FROM thing") {
      ($0.text(0), $0.octets(1), $0.integer(2), $0.identifier(0), $0.time(2))
    }
    #expect(row?.0 == "A\u{FFFD}B")
    #expect(row?.1 == Data("abc".utf8))
    #expect(row?.2 == 0)
    #expect(row?.3 == nil)
  }

  @Test("A transaction that fails leaves nothing")
  func aTransactionThatFailsLeavesNothing() throws {
    #expect(throws: StoreError.self) {
      try database.transaction { () throws(StoreError) in
        try database.run("INSERT INTO thing(text) VALUES('first')")
        try database.run("INSERT INTO missing VALUES(1)")
      }
    }
    #expect(try database.number("SELECT COUNT(*) FROM thing") == 0)
    try database.transaction { () throws(StoreError) in try database.run("INSERT INTO thing(text) VALUES('second')") }
    #expect(try database.number("SELECT COUNT(*) FROM thing") == 1)
  }

  @Test("An error has SQLite's message, and the file")
  func anErrorHasSQLitesMessage() throws {
    do {
      try database.run("SELECT * FROM missing")
      Issue.record("no error")
    } catch {
      #expect(error.description == "\(folder.file.path): no such table: missing")
      #expect(error.code == .failed && error.resultCode == 1)
    }
  }

  @Test(
    "Any moment has a number",
    arguments: [
      (0.0, Int64(0)), (1_700_000_000.123456, 1_700_000_000_123_456), (-1, -1_000_000), (.infinity, .max),
      (-.infinity, .min), (.nan, 0), (1e300, .max),
    ])
  func anyMomentHasANumber(seconds: Double, microseconds: Int64) {
    #expect(StoreTime.microseconds(of: Date(timeIntervalSince1970: seconds)) == microseconds)
  }

  @Test("A text is truncated between characters")
  func aTextIsTruncatedBetweenCharacters() {
    let text = String(repeating: "a", count: Bounds.text - 1) + "👋"
    #expect(Bounds.text(text) == String(repeating: "a", count: Bounds.text - 1))
    #expect(Bounds.text("short") == "short")
  }
}
