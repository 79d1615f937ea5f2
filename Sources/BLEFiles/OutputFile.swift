import Glibc

/// A file that a user has named for what a program writes, such as a capture: for this user only, written from its start.
///
/// In the place of a regular file there may be a pipe, a terminal or a device of this user's or of the system's, or a link that this
/// user or the system has made, as `/dev/stdout` is one. Where `isSecret`, it has to be a regular file and no link.
public struct OutputFile: ~Copyable {
  private let descriptor: Int32

  /// Opens the file, and makes it where it is missing. What it holds stays until it is emptied. Of a pipe it waits for the reader.
  /// - Throws: the reason why it cannot be used.
  public init(_ path: String, isSecret: Bool) throws(PrivateFileError) {
    descriptor = try Self.open(path, isSecret: isSecret)
  }

  deinit { close(descriptor) }

  private static func open(_ path: String, isSecret: Bool) throws(PrivateFileError) -> Int32 {
    let other = isSecret ? nil : try kindOfOther(path)
    var flags = O_WRONLY | O_CLOEXEC | O_NOCTTY
    // What is checked behind the opening must not hold it up, as a pipe would.
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

  /// What is there, by way of a link as well, and may be used; `nil` where there is nothing or an ordinary file without a link.
  private static func kindOfOther(_ path: String) throws(PrivateFileError) -> mode_t? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
    try refuseForeign(status, path)
    guard status.st_mode & S_IFMT == S_IFLNK else { return status.st_mode & S_IFMT }
    guard stat(path, &status) == 0 else { throw .notPrivate(path, "is a symbolic link to nothing") }
    // An ordinary file is looked at when it is open; what else it leads to, such as standard output, was given to this process.
    return status.st_mode & S_IFMT
  }

  private static func refuseForeign(_ status: stat, _ path: String) throws(PrivateFileError) {
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .notPrivate(path, "belongs to another user (\(status.st_uid)) and is not used")
    }
  }

  /// What was in it is gone, where it is a file.
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
