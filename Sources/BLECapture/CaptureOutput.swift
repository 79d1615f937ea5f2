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
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Makes the file, or empties it. Readable by its owner only: a capture holds what was said.
  public init(path: String) throws(CaptureError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    self.path = path
    if descriptor < 0 { throw CaptureError(.file, "\(path): cannot be written: \(systemError())") }
    buffer.reserveCapacity(Self.bufferLimit)
  }

  deinit {
    try? flush()
    close(descriptor)
  }

  public func append(_ octets: [UInt8]) throws(CaptureError) {
    buffer.append(contentsOf: octets)
    if buffer.count >= Self.bufferLimit { try flush() }
  }

  public func flush() throws(CaptureError) {
    var start = 0
    while start < buffer.count {
      let count = buffer.withUnsafeBytes { octets in
        octets.baseAddress.map { write(descriptor, $0 + start, octets.count - start) } ?? 0
      }
      if count < 0 {
        if errno == EINTR { continue }
        buffer.removeAll(keepingCapacity: true)
        throw CaptureError(.file, "\(path): cannot be written: \(systemError())")
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

func systemError() -> String { String(cString: strerror(errno)) }
