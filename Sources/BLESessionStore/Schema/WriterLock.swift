import BLESession
import CoreFoundation
import Foundation

/// The exclusive right to write to a file, which the system releases when the process ends.
///
/// A separate file beside the database: SQLite's own locks are dropped when any code of the process closes the database's file.
///
/// `@unchecked Sendable`: immutable; released by `deinit` only.
package final class WriterLock: @unchecked Sendable {
  private let path: String
  private let descriptor: Int32

  package init(for file: String) throws(StoreError) {
    path = file + "-writer"
    while true {
      let descriptor = try Self.opened(path, file)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let reason = errno
        let holder = Self.holder(descriptor)
        close(descriptor)
        if reason != EWOULDBLOCK { throw Self.failure(file, OwnFileError(errno: reason)) }
        throw StoreError(.inUse, "\(holder) is recording into it: end that program, or name another file", file: file)
      }
      // A previous holder may have unlinked the file after it was opened here: then the lock is on a file without a name.
      if Self.isSame(descriptor, path) {
        self.descriptor = descriptor
        break
      }
      close(descriptor)
    }
    ftruncate(descriptor, 0)
    let text = Array("\(getpid())\n".utf8)
    _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }

  /// Opens the lock's file. It must have one name only, since it will be written to.
  private static func opened(_ path: String, _ file: String) throws(StoreError) -> Int32 {
    do throws(OwnFileError) {
      let descriptor = try OwnFile.open(path, O_RDWR | O_CREAT)
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_nlink <= 1 { return descriptor }
      close(descriptor)
      throw OwnFileError("it has several names", code: EPERM)
    } catch {
      guard OwnFile.objection(to: path) != nil || error.code == EPERM else { throw failure(file, error) }
      throw StoreError(
        .cannotOpen, "\(path) cannot be used as its lock file (\(error.reason)): remove that", file: file)
    }
  }

  private static func holder(_ descriptor: Int32) -> String {
    var octets = [UInt8](repeating: 0, count: 16)
    let count = octets.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let text = String(decoding: octets.prefix(max(0, count)), as: UTF8.self)
    guard let number = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { return "another program" }
    return number == getpid() ? "this program already" : "process \(number)"
  }

  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino
      && held.st_dev == named.st_dev
  }

  static func failure(_ file: String, _ error: OwnFileError) -> StoreError {
    switch error.code {
    case EACCES, EPERM, EROFS:
      StoreError(.readOnly, "its folder cannot be written (\(error.reason)): check the permissions", file: file)
    case ENOSPC, EDQUOT: StoreError(.full, "there is no room (\(error.reason)): make room on the disk", file: file)
    default: StoreError(.cannotOpen, "it cannot be opened (\(error.reason)): check the path", file: file)
    }
  }
}
