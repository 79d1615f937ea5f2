import Foundation

/// Why a record could not be opened, written or read: what happened, to which file, and what to do about it.
public struct StoreError: Error, Sendable, Hashable {
  /// The kinds; more may come.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The word for it.
    public let rawValue: String
    /// A kind by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another program is writing to the file at this moment, and went on doing so. What waits is kept and tried again.
    public static let busy = Code(rawValue: "busy")
    /// There is no room left. What waits is kept and tried again.
    public static let full = Code(rawValue: "full")
    /// The file or its folder may not be written.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The file is something else than an SQLite database.
    public static let notADatabase = Code(rawValue: "notADatabase")
    /// The file is an SQLite database of another program.
    public static let notAStore = Code(rawValue: "notAStore")
    /// The file is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// The file was written by a newer version of this library. It is left as it is.
    public static let newerVersion = Code(rawValue: "newerVersion")
    /// Another recorder has the file: it has one writer at a time.
    public static let inUse = Code(rawValue: "inUse")
    /// The file is not there, or it or its folder cannot be opened.
    public static let cannotOpen = Code(rawValue: "cannotOpen")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
    /// Anything else that SQLite says.
    public static let failed = Code(rawValue: "failed")
  }

  /// The kind of error.
  public let code: Code
  /// What happened and what to do about it, in a sentence without the file's name.
  public let message: String
  /// The path of the file.
  public let file: String
  /// SQLite's extended result code, where it was SQLite that refused; see <https://www.sqlite.org/rescode.html>.
  public let resultCode: Int32?

  init(_ code: Code, _ message: String, file: String, resultCode: Int32? = nil) {
    self.code = code
    self.message = message
    self.file = file
    self.resultCode = resultCode
  }

  /// Whether it may go by without anybody changing the file: worth another try.
  public var isTransient: Bool { code == .busy || code == .full }
}

extension StoreError: LocalizedError, CustomStringConvertible {
  /// The same as `description`.
  public var errorDescription: String? { description }
  /// The file and what happened to it.
  public var description: String { "\(file): \(message)" }
}
