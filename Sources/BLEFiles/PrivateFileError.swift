import Glibc

/// Why a file or a folder cannot be used: a sentence without its full stop, with the path and the reason.
public struct PrivateFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Equatable, Sendable {
    /// It belongs to another user, others can access it and that cannot be changed, or it is a link, a pipe or the like.
    case notPrivate
    /// It does not exist.
    case missing
    /// The system has no space left, or none for this user.
    case noRoom
    /// Any other error of the system.
    case system
  }

  /// The kind of failure.
  public let kind: Kind
  public let description: String
  /// The same without the path, for a sentence that already has it.
  public let reason: String

  /// - Parameter description: what went wrong, with the path, without a full stop.
  public init(_ kind: Kind, _ description: String, reason: String? = nil) {
    self.kind = kind
    self.description = description
    self.reason = reason ?? description
  }

  /// An error of kind `system`.
  public init(_ description: String) { self.init(.system, description) }

  /// `action` failed on `path` with the current `errno`.
  public static func system(_ action: String, _ path: String) -> PrivateFileError {
    let code = errno
    let kind: Kind =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .noRoom
      case ENOENT: .missing
      default: .system
      }
    let reason = String(cString: strerror(code))
    return PrivateFileError(kind, "cannot \(action) \(path): \(reason)", reason: reason)
  }

  static func notPrivate(_ path: String, _ reason: String) -> PrivateFileError {
    PrivateFileError(.notPrivate, "\(path) \(reason)", reason: "it \(reason)")
  }
}
