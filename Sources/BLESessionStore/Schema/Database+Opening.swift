import BLESession
import CoreFoundation
import Foundation

extension Database {
  /// A file to be written: made where it is not there, brought to the newest version where it is older, and left exactly as it is where
  /// it is anything but a record of ours.
  static func openForWriting(
    _ path: String, _ configuration: StoreConfiguration, schema: Schema = .current
  ) throws(StoreError) -> Database {
    try refuseForeign(path, schema, patience: configuration.patience)
    try makePrivate(path)
    let database = try Database(path, .writing, patience: configuration.patience)
    // Only before there is anything in the file; afterwards it says nothing.
    try database.run(script: "PRAGMA auto_vacuum = INCREMENTAL")
    let mode = try database.first("PRAGMA journal_mode = WAL") { $0.text(0) }
    guard mode ?? nil == "wal" else {
      throw StoreError(
        .failed, "its file system cannot hold a record that is read while it is written: name a file on a local disk",
        file: path)
    }
    switch configuration.durability {
    case .powerLoss: try database.run(script: "PRAGMA synchronous = FULL")
    case .processDeath: try database.run(script: "PRAGMA synchronous = NORMAL")
    }
    try database.run(script: "PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 4194304")
    try schema.migrate(database)
    return database
  }

  /// A file to be looked at.
  static func openForReading(_ path: String, schema: Schema = .current) throws(StoreError) -> Database {
    guard let version = try storedVersion(path, schema, patience: .seconds(5)) else {
      throw StoreError(.cannotOpen, "there is no such file", file: path)
    }
    guard version == schema.version else {
      let message =
        version == 0
        ? "it is empty: nothing was recorded yet"
        : "it was written by an older version of this program (format \(version)): record into it once to bring it up to date"
      throw StoreError(.notAStore, message, file: path)
    }
    do {
      let database = try readable(path, .reading)
      // A reader cannot take away what it has made. Beside another user's file it stays.
      database.tidiesUp = OwnFile.objection(to: path) == nil
      return database
    } catch {
      guard error.code == .cannotOpen || error.code == .readOnly, !hasLog(path) else { throw error }
      // A copy on a medium that cannot be written: nobody changes it.
      return try readable(path, .readingUnchanged)
    }
  }

  private static func readable(_ path: String, _ access: Access) throws(StoreError) -> Database {
    let database = try Database(path, access, patience: .seconds(5))
    // Whether it can be read shows only here.
    _ = try database.number("SELECT COUNT(*) FROM sqlite_master")
    return database
  }

  /// A record is for this user only, and in no other place than it was named for: made so, or refused. SQLite gives what it makes
  /// beside it the same mode.
  private static func makePrivate(_ path: String) throws(StoreError) {
    if !exists(path) {
      // Not where it is there: closing a file that SQLite has open takes its locks away.
      do throws(OwnFileError) {
        close(try OwnFile.open(path, O_RDWR | O_CREAT | O_EXCL))
      } catch {
        if error.code != EEXIST { throw WriterLock.failure(path, error) }
      }
    }
    // SQLite would play it back, and remove another file that it names.
    if exists(path + "-journal") {
      throw StoreError(
        .cannotOpen, "beside it lies \(path)-journal, which no record has: move that away", file: path)
    }
    for place in [path, path + "-wal", path + "-shm"] {
      if let objection = OwnFile.objection(to: place) {
        let isBeside = place != path
        throw StoreError(
          .cannotOpen, isBeside ? "\(place): \(objection)" : "\(objection): name another file", file: path)
      }
      OwnFile.closeToOthers(place)
    }
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Looks at a file before anything is written, not even a helper file beside it.
  static func refuseForeign(_ path: String, _ schema: Schema, patience: Duration) throws(StoreError) {
    _ = try storedVersion(path, schema, patience: patience)
  }

  /// The version of a file; `nil` where there is none.
  private static func storedVersion(
    _ path: String, _ schema: Schema, patience: Duration
  ) throws(StoreError) -> Int? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    if isFolder.boolValue { throw StoreError(.cannotOpen, "it is a folder: name a file", file: path) }
    let access: Access = hasLog(path) ? .reading : .readingUnchanged
    return try schema.version(of: try Database(path, access, patience: patience))
  }

  /// Whether there is more to the file than what stands in it.
  private static func hasLog(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0 > 0
  }
}
