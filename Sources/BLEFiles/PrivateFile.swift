import Glibc

/// An open file that belongs to this user alone (mode 0600), closed when this value is destroyed.
///
/// It is a regular file of this user and no symbolic link; a mode that lets others read or write is changed before anything is
/// read or written. All checks use its descriptor, so that the file cannot be replaced in between.
public struct PrivateFile: ~Copyable {
  /// The purpose of opening a file.
  public enum Access: Sendable {
    case reading
    /// Octets are written at the end.
    case appending
    /// The file must not exist yet.
    case making
    /// The file is made if it is missing; its contents remain until `empty()`.
    case changing

    var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .appending: O_RDWR | O_APPEND
      case .making: O_WRONLY | O_CREAT | O_EXCL
      case .changing: O_RDWR | O_CREAT
      }
    }
  }

  let descriptor: Int32
  let path: String
  /// The version at the time of opening.
  public let version: FileVersion
  public var identity: FileIdentity { version.file }
  public var size: Int { version.size }

  /// The maximum size of a file that is read.
  public static let sizeLimit = 64 << 20

  /// - Throws: `missing` if there is none, `notPrivate` with the reason if it cannot be used.
  public init(_ path: String, _ access: Access) throws(PrivateFileError) {
    // Opening a pipe must not block, and a terminal must not become this process's controlling terminal.
    descriptor = Glibc.open(path, access.flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
    self.path = path
    version = FileVersion(try Self.examined(descriptor, path))
  }

  deinit { Glibc.close(descriptor) }

  /// Checks that the opened file belongs to this user alone; closes it if it does not.
  static func examined(_ descriptor: Int32, _ path: String) throws(PrivateFileError) -> stat {
    if descriptor < 0 { throw unopened(path) }
    var status = stat()
    do throws(PrivateFileError) {
      if fstat(descriptor, &status) != 0 { throw .system("examine", path) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .notPrivate(path, "is not a regular file") }
      guard status.st_uid == geteuid() else {
        throw .notPrivate(path, "belongs to another user (\(status.st_uid)) and is not used")
      }
      guard status.st_mode & 0o077 != 0 else { return status }
      // Some file systems accept a mode and do not store it.
      if fchmod(descriptor, 0o600) != 0 || fstat(descriptor, &status) != 0 || status.st_mode & 0o077 != 0 {
        throw .notPrivate(path, "can be opened by other users, and its mode cannot be changed to 0600")
      }
      return status
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func unopened(_ path: String) -> PrivateFileError {
    let code = errno
    switch code {
    case ELOOP: return .notPrivate(path, "is a symbolic link, which is not followed")
    case ENXIO, EISDIR, ENODEV: return .notPrivate(path, "is not a regular file")
    default: break
    }
    var status = stat()
    if code == EACCES, lstat(path, &status) == 0, status.st_uid != geteuid() {
      return .notPrivate(path, "belongs to another user (\(status.st_uid)) and is not used")
    }
    errno = code
    return .system("open", path)
  }

  // MARK: Contents

  /// The current contents of the file from `offset`.
  /// - Parameter atMost: the maximum number of octets to read; `nil`: all.
  /// - Throws: if that is more than `limit` octets.
  public func read(
    from offset: Int = 0, atMost: Int? = nil, limit: Int = Self.sizeLimit
  ) throws(PrivateFileError) -> [UInt8] {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .system("examine", path) }
    let length = min(max(0, Int(status.st_size) - offset), atMost ?? .max)
    if length > limit { throw PrivateFileError("\(path) is too large") }
    var octets = [UInt8](repeating: 0, count: length)
    var count = 0
    while count < octets.count {
      let result = octets.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, off_t(offset + count))
      }
      if result < 0, errno == EINTR { continue }
      if result < 0 { throw .system("read", path) }
      if result == 0 { break }
      count += result
    }
    octets.removeLast(octets.count - count)
    return octets
  }

  /// Writes after the octets written last, or at the end.
  public func write(_ octets: [UInt8]) throws(PrivateFileError) {
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

  /// Discards the contents; writing begins at the start.
  public func empty() throws(PrivateFileError) {
    if ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) < 0 { throw .system("empty", path) }
  }

  public func synchronize() throws(PrivateFileError) {
    if fsync(descriptor) != 0 { throw .system("write", path) }
  }

  /// Takes the lock between processes on this file, for as long as it is open.
  /// - Parameter waits: whether to wait until the holder releases it.
  /// - Returns: whether it was taken.
  public func lock(waits: Bool = false) -> Bool {
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}
