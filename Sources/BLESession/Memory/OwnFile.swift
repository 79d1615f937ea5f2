import Foundation

/// Private files of this user, for modules above the Core Bluetooth API, which cannot use the file types of the layers below.
///
/// A file has to be a regular file of this user and no symbolic link. Access by other users is removed (mode 0600).
package enum OwnFile {
  /// Returns why the file at `path` cannot be used; `nil` if it can, or does not exist. The file is not opened.
  package static func objection(to path: String) -> String? {
    var status = stat()
    return lstat(path, &status) == 0 ? objection(to: status) : nil
  }

  /// Opens a file with `flags` and removes access by other users. With `O_CREAT` in `flags` it is created.
  /// - Throws: `OwnFileError`.
  package static func open(_ path: String, _ flags: Int32) throws(OwnFileError) -> Int32 {
    // O_NONBLOCK: opening a pipe must not block.
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

  /// Removes access by other users to an existing file, without opening it.
  package static func closeToOthers(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, objection(to: status) == nil, status.st_mode & 0o077 != 0 else { return }
    chmod(path, 0o600)
  }

  /// Replaces the file atomically.
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
    default: "it is not a regular file"
    }
  }
}

/// Why a file cannot be used: a sentence without the file's name.
package struct OwnFileError: Error, LocalizedError, Sendable {
  package let reason: String
  /// The `errno` of the failed call.
  package let code: Int32

  package init(_ reason: String, code: Int32) {
    self.reason = reason
    self.code = code
  }

  /// Creates an error with the system's text for `code`.
  package init(errno code: Int32) { self.init(String(cString: strerror(code)), code: code) }

  package var errorDescription: String? { reason }
}
