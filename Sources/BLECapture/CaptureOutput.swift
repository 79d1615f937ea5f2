import BLEFiles
import Glibc

/// Where a capture goes.
public protocol CaptureOutput: AnyObject {
  func append(_ octets: [UInt8]) throws(CaptureError)
  /// Brings what was appended to its place.
  func flush() throws(CaptureError)
}

/// A capture that stays in memory.
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

  /// Makes the file, or empties it. Readable by its owner only: a capture holds what was said, and mostly keys.
  /// - Parameter isSecret: it holds nothing but secrets, and has to be an ordinary file of this user's.
  public init(path: String, isSecret: Bool = false) throws(CaptureError) {
    file = try Self.opened(path, isSecret: isSecret)
    self.path = path
    file.empty()
    buffer.reserveCapacity(Self.bufferLimit)
  }

  /// Makes sure that `path` can be written to, and makes it where it is missing; what it holds stays.
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
