import BLECore
import BLECrypto
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
  mutating func open(newKey: SecretKey, _ report: (String) -> Void) throws(PeerFileError) -> BondRecords {
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    if let records = try read(report) { return records }
    let records = BondRecords(identityResolvingKey: newKey)
    try write(records)
    return records
  }

  /// Changes what is kept, as it is now, whoever wrote it.
  mutating func change(
    newKey: SecretKey, _ report: (String) -> Void, _ body: (inout BondRecords) -> Void
  ) throws(PeerFileError) {
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    var records = try read(report) ?? BondRecords(identityResolvingKey: newKey)
    body(&records)
    try write(records)
  }

  /// What another process has left here; `nil` where it is what this one knows.
  mutating func news(_ report: (String) -> Void) throws(PeerFileError) -> BondRecords? {
    var status = stat()
    guard stat(path, &status) == 0, hasNews || FileVersion(status) != known?.version else { return nil }
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    defer { hasNews = false }
    return try read(report)
  }

  /// What the file holds, which is left as it is; `nil` where it cannot be understood.
  func current() throws(PeerFileError) -> BondRecords? {
    let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
    return file.size <= Self.sizeLimit ? BondText.decode(try file.read(from: 0), of: adapter) : nil
  }

  private mutating func read(_ report: (String) -> Void) throws(PeerFileError) -> BondRecords? {
    guard try isThere() else { return nil }
    guard let file = try openReadable() else {
      try giveUp("cannot be read", report)
      return nil
    }
    if let known, known.version == file.version { return known.records }
    guard file.size <= Self.sizeLimit, let records = BondText.decode(try file.read(from: 0), of: adapter) else {
      try giveUp("is no bond file of this adapter, or not whole", report)
      return nil
    }
    if known != nil { hasNews = true }
    known = (file.version, records)
    return records
  }

  private func isThere() throws(PeerFileError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    if errno == ENOENT { return false }
    throw .system("examine", path)
  }

  /// `nil` where that will never be a file that this user can read: another's, a link, a pipe, a folder.
  private func openReadable() throws(PeerFileError) -> OpenFile? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else { return nil }
    return try OpenFile(path, O_RDONLY)
  }

  private mutating func giveUp(_ what: String, _ report: (String) -> Void) throws(PeerFileError) {
    known = nil
    report("\(path) \(what): it is now \(try setAside())")
  }

  private mutating func write(_ records: BondRecords) throws(PeerFileError) {
    try StateFolder.place(BondText.encode(records, of: adapter), at: path, replacing: true)
    known = (try OpenFile(path, O_RDONLY).version, records)
  }

  /// Gives the file another name, which no file has: others that might take it wait for the lock.
  private func setAside() throws(PeerFileError) -> String {
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
