import Glibc

/// A lock between processes, which the operating system takes back when its holder dies. It is a private file that has nothing in
/// it.
public struct FileLock: ~Copyable {
  private let file: PrivateFile

  /// Waits for another holder, but not for ever: a process that was stopped in the middle must not stop this one.
  public init(_ path: String) throws(PrivateFileError) { file = try Self.locked(path) }

  private static func locked(_ path: String) throws(PrivateFileError) -> PrivateFile {
    let file = try PrivateFile(path, .changing)
    guard waits(for: file) else { throw .system("lock", path) }
    return file
  }

  private static func waits(for file: borrowing PrivateFile) -> Bool {
    for _ in 0..<200 {
      if file.lock() { return true }
      if errno != EWOULDBLOCK { return false }
      usleep(10_000)
    }
    return false
  }

  /// Takes the lock where it is free; `nil` where it is not. The file may be removed while the lock is held.
  public static func taken(_ path: String) throws(PrivateFileError) -> FileLock? {
    // A lock on a file that was removed while this process waited for it excludes no other process.
    for _ in 0..<8 {
      let file = try PrivateFile(path, .changing)
      guard file.lock() else {
        if errno == EWOULDBLOCK { return nil }
        throw .system("lock", path)
      }
      if FileVersion(of: path)?.file == file.identity { return FileLock(file) }
    }
    return nil
  }

  private init(_ file: consuming PrivateFile) { self.file = file }

  /// The lock ends here at the latest; closing the file ends it as well.
  public func unlock() { flock(file.descriptor, LOCK_UN) }
}
