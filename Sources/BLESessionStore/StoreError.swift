import Foundation

/// Why a record could not be opened, written or read: the file, what happened, and what to do about it.
public struct StoreError: Error, Sendable, Hashable {
  /// The kinds of errors; more may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String
    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another program kept the file locked for longer than the busy timeout. Waiting entries are kept and tried again.
    public static let busy = Code(rawValue: "busy")
    /// There is no space left. Waiting entries are kept and tried again.
    public static let full = Code(rawValue: "full")
    /// The file or its folder may not be written.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The file is not an SQLite database.
    public static let notADatabase = Code(rawValue: "notADatabase")
    /// The file is an SQLite database of another program.
    public static let notAStore = Code(rawValue: "notAStore")
    /// The file is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// The file was written by a newer version of this library. It is left unchanged.
    public static let newerVersion = Code(rawValue: "newerVersion")
    /// Another store has the file open for writing: it has one writer at a time.
    public static let inUse = Code(rawValue: "inUse")
    /// The file does not exist, or it or its folder cannot be opened.
    public static let cannotOpen = Code(rawValue: "cannotOpen")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
    /// Any other error of SQLite.
    public static let failed = Code(rawValue: "failed")
  }

  /// The kind of error.
  public let code: Code
  /// What happened and what to do about it, in a sentence without the file's name.
  public let message: String
  /// The path of the file.
  public let file: String
  /// SQLite's extended result code, where SQLite reported the error; see <https://www.sqlite.org/rescode.html>.
  public let resultCode: Int32?

  package init(_ code: Code, _ message: String, file: String, resultCode: Int32? = nil) {
    self.code = code
    self.message = message
    self.file = file
    self.resultCode = resultCode
  }

  /// Whether it may resolve without a change by the user, so that trying again makes sense.
  public var isTransient: Bool { code == .busy || code == .full }
}

extension StoreError: LocalizedError, CustomStringConvertible {
  /// The same as `description`.
  public var errorDescription: String? { description }
  /// The file and what happened to it.
  public var description: String { "\(file): \(message)" }
}
