import Glibc

/// A lock between processes, which the operating system releases when its holder ends. It is an empty private file.
public struct FileLock: ~Copyable {
  private let file: PrivateFile

  /// Waits for another holder on the calling thread, which must not be a stack's loop, and for a limited time: a process that was
  /// stopped while it held the lock must not stop this one.
  /// - Parameter limit: milliseconds.
  public init(_ path: String, limit: Int = Self.usualLimit) throws(PrivateFileError) {
    file = try Self.locked(path, limit)
  }

  /// In milliseconds.
  public static let usualLimit = 2_000

  private static func locked(_ path: String, _ limit: Int) throws(PrivateFileError) -> PrivateFile {
    let file = try PrivateFile(path, .changing)
    guard waits(for: file, limit) else {
      if errno == EWOULDBLOCK {
        throw PrivateFileError("cannot lock \(path): another process holds the lock and does not release it")
      }
      throw .system("lock", path)
    }
    return file
  }

  private static func waits(for file: borrowing PrivateFile, _ limit: Int) -> Bool {
    for _ in 0...(limit / 10) {
      if file.lock() { return true }
      if errno != EWOULDBLOCK { return false }
      usleep(10_000)
    }
    return false
  }

  /// Takes the lock if it is free; `nil` if it is not. The file may be removed while the lock is held.
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

  /// Releases the lock; closing the file releases it as well.
  public func unlock() { flock(file.descriptor, LOCK_UN) }
}
