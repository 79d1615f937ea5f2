import Glibc

/// A file that a user has named for a program's output, such as a capture: for this user only, written from its start.
///
/// Instead of a regular file it may be a pipe, a terminal or a device of this user or of the system, or a link made by this user
/// or the system, such as `/dev/stdout`. With `isSecret` it has to be a regular file and no link.
public struct OutputFile: ~Copyable {
  private let descriptor: Int32

  /// Opens the file, and makes it if it is missing. Its contents remain until `empty()`. Opening a pipe waits for its reader.
  /// - Throws: the reason why it cannot be used.
  public init(_ path: String, isSecret: Bool) throws(PrivateFileError) {
    descriptor = try Self.open(path, isSecret: isSecret)
  }

  deinit { close(descriptor) }

  private static func open(_ path: String, isSecret: Bool) throws(PrivateFileError) -> Int32 {
    let other = isSecret ? nil : try kindOfOther(path)
    var flags = O_WRONLY | O_CLOEXEC | O_NOCTTY
    // The opening must not block before the check, as that of a pipe would.
    if other == nil { flags |= O_CREAT | O_NONBLOCK | O_NOFOLLOW }
    if other == S_IFREG { flags |= O_NONBLOCK }
    let descriptor = Glibc.open(path, flags, 0o600)
    if other == nil || other == S_IFREG {
      _ = try PrivateFile.examined(descriptor, path)
    } else if descriptor < 0 {
      throw .system("open", path)
    }
    return descriptor
  }

  /// The type of a usable file that is not a regular file, also behind a link; `nil` if there is no file or a regular file without a link.
  private static func kindOfOther(_ path: String) throws(PrivateFileError) -> mode_t? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
    try refuseForeign(status, path)
    guard status.st_mode & S_IFMT == S_IFLNK else { return status.st_mode & S_IFMT }
    guard stat(path, &status) == 0 else { throw .notPrivate(path, "is a dangling symbolic link") }
    // A regular file is checked when it is open; anything else that a link leads to, such as standard output, was given to this process.
    return status.st_mode & S_IFMT
  }

  private static func refuseForeign(_ status: stat, _ path: String) throws(PrivateFileError) {
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .notPrivate(path, "belongs to another user (\(status.st_uid)) and is not used")
    }
  }

  /// Discards the contents of a regular file.
  public func empty() {
    // Pipes and terminals have no length.
    ftruncate(descriptor, 0)
  }

  /// Writes all of `octets`.
  /// - Returns: 0, or the `errno` of what went wrong.
  public func write(_ octets: [UInt8]) -> Int32 {
    var start = 0
    while start < octets.count {
      let count = octets.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Glibc.write(descriptor, $0 + start, buffer.count - start) } ?? 0
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      start += count
    }
    return 0
  }
}
