import Glibc

/// The folder where state is kept between processes, and how files come into it.
enum StateFolder {
  /// Makes `path` and what is above it, for this user only, as far as it is missing.
  static func make(_ path: String) throws(PeerFileError) {
    var current = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      current += part + "/"
      if mkdir(current, 0o700) != 0, errno != EEXIST { throw .system("make the folder", current) }
    }
  }

  /// Brings a whole file to `path` in one step, so that nobody ever sees half of it. Where not `replacing`, a file that is
  /// there already stays.
  static func place(_ octets: [UInt8], at path: String, replacing: Bool) throws(PeerFileError) {
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    let file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL)
    defer { unlink(temporary) }
    try file.write(octets)
    try file.synchronize()
    if replacing {
      if rename(temporary, path) != 0 { throw .system("replace", path) }
      try synchronizeFolder(of: path)
    } else if link(temporary, path) != 0, errno != EEXIST {
      throw .system("make", path)
    }
  }

  /// A new name is on the disk only when the folder is.
  private static func synchronizeFolder(of path: String) throws(PeerFileError) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[...slash])
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw .system("open", folder) }
    defer { close(descriptor) }
    // Some file systems cannot, and need not.
    if fsync(descriptor) != 0, errno != EINVAL { throw .system("write", folder) }
  }
}

/// Tells one file from another that has its name.
struct FileIdentity: Equatable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Tells one content from another of the same name: a file's number may be given to the next file.
struct FileVersion: Equatable {
  let file: FileIdentity
  let size: Int
  let modified: Int64

  init(_ status: stat) {
    file = FileIdentity(status)
    size = Int(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }
}

/// An open file, closed with its owner.
struct OpenFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  let version: FileVersion
  var identity: FileIdentity { version.file }
  var size: Int { version.size }

  /// More is not read: a file of such a size is none of ours.
  private static let sizeLimit = 64 << 20

  init(_ path: String, _ flags: Int32) throws(PeerFileError) {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { throw .system("open", path) }
    var status = stat()
    if fstat(descriptor, &status) != 0 {
      Glibc.close(descriptor)
      throw .system("examine", path)
    }
    self.descriptor = descriptor
    self.path = path
    version = FileVersion(status)
  }

  deinit { Glibc.close(descriptor) }

  /// What the file holds from `offset` on.
  func read(from offset: Int) throws(PeerFileError) -> [UInt8] {
    if size - offset > Self.sizeLimit { throw PeerFileError(description: "\(path) is too large") }
    var octets = [UInt8](repeating: 0, count: max(0, size - offset))
    var count = 0
    while count < octets.count {
      let result = octets.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, offset + count)
      }
      if result < 0, errno == EINTR { continue }
      if result < 0 { throw .system("read", path) }
      if result == 0 { break }
      count += result
    }
    octets.removeLast(octets.count - count)
    return octets
  }

  func write(_ octets: [UInt8]) throws(PeerFileError) {
    var count = 0
    while count < octets.count {
      let result = octets.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if result < 0, errno == EINTR { continue }
      if result < 0 { throw .system("write", path) }
      count += result
    }
  }

  func synchronize() throws(PeerFileError) {
    if fsync(descriptor) != 0 { throw .system("write", path) }
  }
}

/// A lock between processes, which the operating system takes back when its holder dies.
struct FileLock: ~Copyable {
  private let descriptor: Int32

  /// Waits for another holder, but not for ever: a process that was stopped in the middle must not stop this one.
  init(_ path: String) throws(PeerFileError) {
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { throw .system("open", path) }
    for _ in 0..<200 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      if errno != EWOULDBLOCK && errno != EINTR { break }
      usleep(10_000)
    }
    let error = PeerFileError.system("lock", path)
    Glibc.close(descriptor)
    throw error
  }

  /// Takes the lock where nobody has it; `nil` where somebody does. The file may be removed while the lock is held.
  static func taken(_ path: String) throws(PeerFileError) -> FileLock? {
    // Whoever waited for a file that was removed meanwhile has a lock on nothing.
    for _ in 0..<8 {
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      if descriptor < 0 { throw .system("open", path) }
      let lock = FileLock(descriptor: descriptor)
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EWOULDBLOCK { return nil }
        throw .system("lock", path)
      }
      var held = stat()
      var named = stat()
      if fstat(descriptor, &held) == 0, lstat(path, &named) == 0, held.st_ino == named.st_ino { return lock }
    }
    return nil
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// The lock ends here at the latest; closing the file ends it as well.
  func unlock() { flock(descriptor, LOCK_UN) }

  deinit { Glibc.close(descriptor) }
}
