import Foundation

/// Files of this user alone, for what stands on Apple's interface: there the files of the layers below are not to be had.
///
/// A file has to be a regular one of this user's own and no symbolic link; others are closed out of it (mode 0600).
package enum OwnFile {
  /// Why what is at `path` cannot be used; `nil` where it can, or nothing is there. Without opening it.
  package static func objection(to path: String) -> String? {
    var status = stat()
    return lstat(path, &status) == 0 ? objection(to: status) : nil
  }

  /// Opens a file with `flags`, and closes others out of it. It is made where they say so.
  /// - Throws: `OwnFileError`.
  package static func open(_ path: String, _ flags: Int32) throws(OwnFileError) -> Int32 {
    // A pipe must not hold anybody up.
    let descriptor = Foundation.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      throw OwnFileError(objection(to: path) ?? OwnFileError(errno: code).reason, code: code)
    }
    var status = stat()
    if fstat(descriptor, &status) == 0, objection(to: status) == nil,
      status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0
    {
      return descriptor
    }
    close(descriptor)
    throw OwnFileError(objection(to: status) ?? "its mode cannot be changed to 0600", code: EPERM)
  }

  /// Closes others out of a file that is there, without opening it.
  package static func closeToOthers(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, objection(to: status) == nil, status.st_mode & 0o077 != 0 else { return }
    chmod(path, 0o600)
  }

  /// Puts a whole file in the place of what is there, in one step.
  package static func replace(_ path: String, by data: Data) throws(OwnFileError) {
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    let descriptor = try open(temporary, O_WRONLY | O_CREAT | O_EXCL)
    defer { unlink(temporary) }
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    let isWritten = rest.isEmpty && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten else { throw OwnFileError(errno: code) }
    if rename(temporary, path) != 0 { throw OwnFileError(errno: errno) }
  }

  private static func objection(to status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: status.st_uid == geteuid() ? nil : "it belongs to another user (\(status.st_uid))"
    case S_IFLNK: "it is a symbolic link, which is not followed"
    case S_IFDIR: "it is a folder"
    default: "it is no regular file"
    }
  }
}

/// Why a file cannot be used: a sentence without its name.
package struct OwnFileError: Error, LocalizedError, Sendable {
  package let reason: String
  /// What the system says.
  package let code: Int32

  package init(_ reason: String, code: Int32) {
    self.reason = reason
    self.code = code
  }

  /// What the system says.
  package init(errno code: Int32) { self.init(String(cString: strerror(code)), code: code) }

  package var errorDescription: String? { reason }
}
