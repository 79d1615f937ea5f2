import BLECore
import BLECrypto
import BLEFiles
import BLEHost
import Glibc

/// The file with the bonds of one adapter. One thread at a time.
///
/// A new version is written to a temporary file, synced to the disk, and renamed: after a crash at any moment there is either the
/// old file or the new one. A lock keeps two processes from writing at the same time.
struct BondFile: ~Copyable {
  let adapter: DeviceAddress
  let path: String
  /// How long another process may hold the lock, in milliseconds.
  private let lockLimit: Int
  /// The content last read or written by this process, and its version.
  private var known: BondRecords?
  private(set) var version: FileVersion?

  /// In bytes. A larger file is not a bond file.
  private static let sizeLimit = 16 << 20

  init(adapter: DeviceAddress, folder: String, lockLimit: Int = FileLock.usualLimit) {
    self.adapter = adapter
    self.lockLimit = lockLimit
    path = Self.path(adapter, folder)
  }

  static func path(_ adapter: DeviceAddress, _ folder: String) -> String {
    let name = StoredText.words(for: adapter).map { $0 == " " ? "-" : $0 }
    return folder + "/" + String(name)
  }

  /// Reads the file, or creates it with `newKey`. An invalid file is renamed, which is reported to `report`.
  mutating func open(newKey: SecretKey, _ report: (String) -> Void) throws(PrivateFileError) -> BondRecords {
    if let lock = try FileLock.taken(path + ".lock") {
      defer { lock.unlock() }
      return try openLocked(newKey, report)
    }
    // The process that holds the lock may be stopped. A valid file can be read without the lock.
    if let whole = try? Self.whole(path, of: adapter) {
      (version, known) = (whole.version, whole.records)
      return whole.records
    }
    let lock = try FileLock(path + ".lock", limit: lockLimit)
    defer { lock.unlock() }
    return try openLocked(newKey, report)
  }

  private mutating func openLocked(
    _ newKey: SecretKey, _ report: (String) -> Void
  ) throws(PrivateFileError) -> BondRecords {
    PrivateFile.removeLeftovers(of: path)
    if let records = try read(report) { return records }
    let records = BondRecords(identityResolvingKey: newKey)
    try write(records)
    return records
  }

  /// Changes the current content, including changes of other processes.
  /// - Returns: the version of the content before.
  @discardableResult
  mutating func change(
    newKey: SecretKey, _ report: (String) -> Void, _ body: (inout BondRecords) -> Void
  ) throws(PrivateFileError) -> FileVersion? {
    let lock = try FileLock(path + ".lock", limit: lockLimit)
    defer { lock.unlock() }
    let read = try read(report)
    let before = read == nil ? nil : version
    var records = read ?? BondRecords(identityResolvingKey: newKey)
    body(&records)
    try write(records)
    return before
  }

  /// Renames the file if it is invalid.
  mutating func check(_ report: (String) -> Void) throws(PrivateFileError) {
    let lock = try FileLock(path + ".lock", limit: lockLimit)
    defer { lock.unlock() }
    _ = try read(report)
  }

  /// Returns the content of the file, without changing the file; `nil` if it is invalid.
  func current() throws(PrivateFileError) -> BondRecords? { try Self.whole(path, of: adapter)?.records }

  /// Returns the content of a file and its version; `nil` if it is invalid. A file is replaced as a whole, so reading needs no lock.
  static func whole(
    _ path: String, of adapter: DeviceAddress
  ) throws(PrivateFileError) -> (version: FileVersion, records: BondRecords)? {
    let file = try PrivateFile(path, .reading)
    guard file.size <= sizeLimit, let records = BondText.decode(try file.read(from: 0), of: adapter) else { return nil }
    return (file.version, records)
  }

  private mutating func read(_ report: (String) -> Void) throws(PrivateFileError) -> BondRecords? {
    guard try isThere() else { return nil }
    guard let file = try openReadable(report) else { return nil }
    if let known, version == file.version { return known }
    guard file.size <= Self.sizeLimit, let records = BondText.decode(try file.read(from: 0), of: adapter) else {
      try replace("\(path) is not a complete bond file of this adapter", report)
      return nil
    }
    (version, known) = (file.version, records)
    return records
  }

  private func isThere() throws(PrivateFileError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    if errno == ENOENT { return false }
    throw .system("examine", path)
  }

  /// Returns `nil` if the path is not a private file of this user: another user's, a link, a pipe, a folder.
  private mutating func openReadable(_ report: (String) -> Void) throws(PrivateFileError) -> PrivateFile? {
    do throws(PrivateFileError) {
      return try PrivateFile(path, .reading)
    } catch {
      guard error.kind == .notPrivate else { throw error }
      try replace(error.description, report)
      return nil
    }
  }

  private mutating func replace(_ reason: String, _ report: (String) -> Void) throws(PrivateFileError) {
    (version, known) = (nil, nil)
    report("\(reason): renamed to \(try setAside())")
  }

  private mutating func write(_ records: BondRecords) throws(PrivateFileError) {
    try PrivateFile.place(BondText.encode(records, of: adapter), at: path)
    version = try PrivateFile(path, .reading).version
    known = records
  }

  /// Renames the file to an unused name. Other processes that might take the name wait for the lock.
  private func setAside() throws(PrivateFileError) -> String {
    for number in 1...999 {
      let name = "\(path).unreadable-\(number)"
      var status = stat()
      if lstat(name, &status) == 0 { continue }
      if rename(path, name) == 0 { return name }
      break
    }
    throw .system("set aside", path)
  }
}
