import Glibc

/// Reads files that anyone may have written: a configuration, data of another device, the kernel's descriptions. Reads a limited
/// amount and never blocks without limit: devices and terminals are refused, and a pipe is read with a time limit.
public enum UntrustedFile {
  /// The file as a whole.
  /// - Parameters:
  ///   - limit: in octets; a longer file is refused.
  ///   - patience: how long a pipe may be silent, in milliseconds; `nil`: only a regular file is read.
  ///   - isSecret: refuses a file that others may open, as OpenSSH does: one of this user has to be this user's alone. For one of
  ///     another user, such as root, that user decides which group may open it; but not all may.
  /// - Throws: `missing` if there is none that this user may see.
  public static func read(
    _ path: String, limit: Int, pipePatience patience: Int? = nil, isSecret: Bool = false
  ) throws(PrivateFileError) -> [UInt8] {
    let octets = try beginning(of: path, limit: limit + 1, pipePatience: patience, isSecret: isSecret)
    guard octets.count <= limit else {
      throw PrivateFileError(.system, "\(path) is too large", reason: "it has more than \(limit) octets")
    }
    return octets
  }

  /// The first `limit` octets of the file, or all if there are fewer.
  public static func beginning(
    of path: String, limit: Int, pipePatience patience: Int? = nil, isSecret: Bool = false
  ) throws(PrivateFileError) -> [UInt8] {
    // Non-blocking: opening a pipe without a writer would block.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    if descriptor < 0 { throw unopened(path) }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .system("examine", path) }
    let isPipe = status.st_mode & S_IFMT == S_IFIFO
    guard isPipe ? patience != nil : status.st_mode & S_IFMT == S_IFREG else {
      throw .notPrivate(path, "is not a regular file")
    }
    let others: mode_t = status.st_uid == geteuid() ? 0o077 : 0o007
    if isSecret, status.st_mode & others != 0 {
      throw PrivateFileError("\(path) can be opened by other users: use chmod 600")
    }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 16_384))
    // Files of the kernel have no length and are read in pieces.
    while octets.count < limit {
      if isPipe, !isReadable(descriptor, within: patience ?? 0) {
        throw PrivateFileError(.system, "nothing was written to \(path)", reason: "nothing was written to this pipe")
      }
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - octets.count))
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count < 0 { throw .system("read", path) }
      if count == 0 { break }
      octets += buffer.prefix(count)
    }
    return octets
  }

  private static func unopened(_ path: String) -> PrivateFileError {
    let error = PrivateFileError.system("open", path)
    var status = stat()
    // In a folder that this user may not search, every file counts as missing.
    if lstat(path, &status) != 0 { return PrivateFileError(.missing, error.description, reason: error.reason) }
    return error
  }

  /// Waits until there is something to read, or the last writer has closed. While there was no writer yet, neither is the case.
  private static func isReadable(_ descriptor: Int32, within milliseconds: Int) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, Int32(clamping: milliseconds)) > 0
  }
}
