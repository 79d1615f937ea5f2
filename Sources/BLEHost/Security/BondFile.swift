import BLECore
import BLECrypto
import BLEFiles
import Glibc

/// The file that keeps the bonds of one adapter. One thread at a time.
///
/// It is written whole beside itself, brought to the disk, and put in place by renaming: whoever crashes at whatever moment
/// leaves the old file or the new one. A lock keeps two processes from writing at once.
struct BondFile: ~Copyable {
  let adapter: DeviceAddress
  let path: String
  /// How long another process may hold the lock, in milliseconds.
  private let lockLimit: Int
  /// What this process has read or written last, and which content of the file that was.
  private var known: BondRecords?
  private(set) var version: FileVersion?

  /// A file of this size is none of ours.
  private static let sizeLimit = 16 << 20

  init(adapter: DeviceAddress, folder: String, lockLimit: Int = FileLock.usualLimit) {
    self.adapter = adapter
    self.lockLimit = lockLimit
    path = Self.path(adapter, folder)
  }

  static func path(_ adapter: DeviceAddress, _ folder: String) -> String {
    let name = BondText.name(of: adapter).map { $0 == " " ? "-" : $0 }
    return folder + "/" + String(name)
  }

  /// Reads the file, or makes it with `newKey`. One that cannot be understood is set aside and told to `report`.
  mutating func open(newKey: SecretKey, _ report: (String) -> Void) throws(PrivateFileError) -> BondRecords {
    if let lock = try FileLock.taken(path + ".lock") {
      defer { lock.unlock() }
      return try openLocked(newKey, report)
    }
    // Who has the lock may have been stopped. A file that is whole can be read all the same.
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

  /// Changes what is kept, as it is now, whoever wrote it.
  /// - Returns: which content was there before.
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

  /// Sets a file aside that cannot be understood.
  mutating func check(_ report: (String) -> Void) throws(PrivateFileError) {
    let lock = try FileLock(path + ".lock", limit: lockLimit)
    defer { lock.unlock() }
    _ = try read(report)
  }

  /// What the file holds, which is left as it is; `nil` where it cannot be understood.
  func current() throws(PrivateFileError) -> BondRecords? { try Self.whole(path, of: adapter)?.records }

  /// What a file holds, and which content that is; `nil` where it cannot be understood. A file is put in place as a whole, so that
  /// this needs no lock.
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
      try giveUp("\(path) is no bond file of this adapter, or not whole", report)
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

  /// `nil` where that will never be a file of this user alone: another's, a link, a pipe, a folder.
  private mutating func openReadable(_ report: (String) -> Void) throws(PrivateFileError) -> PrivateFile? {
    do throws(PrivateFileError) {
      return try PrivateFile(path, .reading)
    } catch {
      guard error.kind == .notPrivate else { throw error }
      try giveUp(error.description, report)
      return nil
    }
  }

  private mutating func giveUp(_ reason: String, _ report: (String) -> Void) throws(PrivateFileError) {
    (version, known) = (nil, nil)
    report("\(reason): it is now \(try setAside())")
  }

  private mutating func write(_ records: BondRecords) throws(PrivateFileError) {
    try PrivateFile.place(BondText.encode(records, of: adapter), at: path)
    version = try PrivateFile(path, .reading).version
    known = records
  }

  /// Gives the file another name, which no file has: others that might take it wait for the lock.
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
