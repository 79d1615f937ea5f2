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
  /// What this process has read or written last, and of which file.
  private var known: (version: FileVersion, records: BondRecords)?
  /// Another process's changes have come with a reading, and were not told yet.
  private var hasNews = false

  /// A file of this size is none of ours.
  private static let sizeLimit = 16 << 20

  init(adapter: DeviceAddress, folder: String) {
    self.adapter = adapter
    let name = BondText.name(of: adapter).map { $0 == " " ? "-" : $0 }
    path = folder + "/" + String(name)
  }

  /// Reads the file, or makes it with `newKey`. One that cannot be understood is set aside and told to `report`.
  mutating func open(newKey: SecretKey, _ report: (String) -> Void) throws(PrivateFileError) -> BondRecords {
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    PrivateFile.removeLeftovers(of: path)
    if let records = try read(report) { return records }
    let records = BondRecords(identityResolvingKey: newKey)
    try write(records)
    return records
  }

  /// Changes what is kept, as it is now, whoever wrote it.
  mutating func change(
    newKey: SecretKey, _ report: (String) -> Void, _ body: (inout BondRecords) -> Void
  ) throws(PrivateFileError) {
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    var records = try read(report) ?? BondRecords(identityResolvingKey: newKey)
    body(&records)
    try write(records)
  }

  /// What another process has left here; `nil` where it is what this one knows.
  mutating func news(_ report: (String) -> Void) throws(PrivateFileError) -> BondRecords? {
    guard let version = FileVersion(of: path), hasNews || version != known?.version else { return nil }
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    defer { hasNews = false }
    return try read(report)
  }

  /// What the file holds, which is left as it is; `nil` where it cannot be understood.
  func current() throws(PrivateFileError) -> BondRecords? {
    let file = try PrivateFile(path, .reading)
    return file.size <= Self.sizeLimit ? BondText.decode(try file.read(from: 0), of: adapter) : nil
  }

  private mutating func read(_ report: (String) -> Void) throws(PrivateFileError) -> BondRecords? {
    guard try isThere() else { return nil }
    guard let file = try openReadable(report) else { return nil }
    if let known, known.version == file.version { return known.records }
    guard file.size <= Self.sizeLimit, let records = BondText.decode(try file.read(from: 0), of: adapter) else {
      try giveUp("\(path) is no bond file of this adapter, or not whole", report)
      return nil
    }
    if known != nil { hasNews = true }
    known = (file.version, records)
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
    known = nil
    report("\(reason): it is now \(try setAside())")
  }

  private mutating func write(_ records: BondRecords) throws(PrivateFileError) {
    try PrivateFile.place(BondText.encode(records, of: adapter), at: path)
    known = (try PrivateFile(path, .reading).version, records)
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
