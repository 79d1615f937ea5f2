import BLEFiles
import Glibc

/// The destination of a capture.
public protocol CaptureOutput: AnyObject {
  func append(_ octets: [UInt8]) throws(CaptureError)
  /// Writes what was appended.
  func flush() throws(CaptureError)
}

/// A capture in memory.
public final class CaptureMemory: CaptureOutput {
  public private(set) var octets: [UInt8] = []
  public init() {}
  public func append(_ octets: [UInt8]) { self.octets.append(contentsOf: octets) }
  public func flush() {}
}

/// A capture in a file. Packets are collected and written together, so that a stack's loop seldom waits for the system.
public final class CaptureFileOutput: CaptureOutput {
  /// Octets that are collected before they are written.
  private static let bufferLimit = 1 << 16

  public let path: String
  private let file: OutputFile
  private var buffer: [UInt8] = []

  /// Makes the file, or empties it. Readable by its owner only: a capture contains the data of links, and usually keys.
  /// - Parameter isSecret: the file contains only secrets, and has to be a regular file of this user.
  public init(path: String, isSecret: Bool = false) throws(CaptureError) {
    file = try Self.opened(path, isSecret: isSecret)
    self.path = path
    file.empty()
    buffer.reserveCapacity(Self.bufferLimit)
  }

  /// Checks that `path` can be written, and makes the file if it is missing; its contents remain.
  public static func check(path: String, isSecret: Bool = false) throws(CaptureError) {
    _ = try opened(path, isSecret: isSecret)
  }

  private static func opened(_ path: String, isSecret: Bool) throws(CaptureError) -> OutputFile {
    do throws(PrivateFileError) {
      return try OutputFile(path, isSecret: isSecret)
    } catch {
      throw CaptureError(.file, "\(path): cannot be written: \(error.reason)")
    }
  }

  deinit { try? flush() }

  public func append(_ octets: [UInt8]) throws(CaptureError) {
    buffer.append(contentsOf: octets)
    if buffer.count >= Self.bufferLimit { try flush() }
  }

  public func flush() throws(CaptureError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    let reason = file.write(buffer)
    if reason != 0 {
      throw CaptureError(.file, "\(path): cannot be written: \(String(cString: strerror(reason)))")
    }
  }
}

func systemError() -> String { String(cString: strerror(errno)) }
