import Glibc

/// Why a file or a folder cannot be used: a sentence without its full stop, which names the path and the reason.
public struct PrivateFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What to do about it depends on this.
  public enum Kind: Equatable, Sendable {
    /// It belongs to another user, others can get at it and that cannot be changed, or it is a link, a pipe or the like.
    case notPrivate
    /// There is none.
    case missing
    /// The system has no room, or has it for others only.
    case noRoom
    /// Anything else that the system says.
    case system
  }

  /// What went wrong.
  public let kind: Kind
  public let description: String
  /// The same without the path, where another sentence has named it.
  public let reason: String

  /// - Parameter description: what went wrong, with the path, without a full stop.
  public init(_ kind: Kind, _ description: String, reason: String? = nil) {
    self.kind = kind
    self.description = description
    self.reason = reason ?? description
  }

  /// Anything that has no kind of its own.
  public init(_ description: String) { self.init(.system, description) }

  /// `action` failed on `path` for the reason that `errno` gives.
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
