import BLESession
import CoreFoundation
import Foundation

extension Database {
  /// Opens a file for writing: creates it where it does not exist, and migrates an older version. A file that is not a record is refused
  /// and left unchanged.
  package static func openForWriting(
    _ path: String, _ configuration: StoreConfiguration, schema: Schema = .current
  ) throws(StoreError) -> Database {
    try refuseForeign(path, schema, patience: configuration.patience)
    try makePrivate(path)
    let database = try Database(path, .writing, patience: configuration.patience)
    if try database.number("PRAGMA page_count") == 0 {
      // The first page is written as a whole, without a journal: a process that is killed at this moment would leave the journal, and
      // `makePrivate` refuses one. The second has an effect only while the file is empty.
      try database.run(script: "PRAGMA journal_mode = MEMORY; PRAGMA auto_vacuum = INCREMENTAL")
    }
    let mode = try database.first("PRAGMA journal_mode = WAL") { $0.text(0) }
    guard mode ?? nil == "wal" else {
      throw StoreError(
        .failed, "its file system does not support reading a record while it is written: name a file on a local disk",
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

  /// Opens a file for reading.
  package static func openForReading(_ path: String, schema: Schema = .current) throws(StoreError) -> Database {
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
      // A reader can't remove the files it has created. Beside another user's file they stay.
      database.removesAuxiliaryFiles = OwnFile.objection(to: path) == nil
      return database
    } catch {
      guard error.code == .cannotOpen || error.code == .readOnly, !hasLog(path) else { throw error }
      // A copy on a medium that cannot be written: it does not change.
      return try readable(path, .readingUnchanged)
    }
  }

  private static func readable(_ path: String, _ access: Access) throws(StoreError) -> Database {
    let database = try Database(path, access, patience: .seconds(5))
    // SQLite opens the file only now.
    _ = try database.number("SELECT COUNT(*) FROM sqlite_master")
    return database
  }

  /// A record is accessible to this user only, and is not reached by a link: the file is created so, or refused. SQLite creates its
  /// auxiliary files with the same mode.
  private static func makePrivate(_ path: String) throws(StoreError) {
    if !exists(path) {
      // Not for an existing file: closing a descriptor of a file that SQLite has open drops SQLite's locks.
      do throws(OwnFileError) {
        close(try OwnFile.open(path, O_RDWR | O_CREAT | O_EXCL))
      } catch {
        if error.code != EEXIST { throw WriterLock.failure(path, error) }
      }
    }
    // SQLite would roll it back, and delete another file that it names.
    if exists(path + "-journal") {
      throw StoreError(
        .cannotOpen, "there is a \(path)-journal beside it, which a record never has: move that away", file: path)
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

  /// Checks a file before anything is written, even an auxiliary file.
  package static func refuseForeign(_ path: String, _ schema: Schema, patience: Duration) throws(StoreError) {
    _ = try storedVersion(path, schema, patience: patience)
  }

  /// The version of a file; `nil` where it does not exist.
  private static func storedVersion(
    _ path: String, _ schema: Schema, patience: Duration
  ) throws(StoreError) -> Int? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    if isFolder.boolValue { throw StoreError(.cannotOpen, "it is a folder: name a file", file: path) }
    let access: Access = hasLog(path) ? .reading : .readingUnchanged
    return try schema.version(of: try Database(path, access, patience: patience))
  }

  /// Whether a write-ahead log with content exists.
  private static func hasLog(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0 > 0
  }
}
