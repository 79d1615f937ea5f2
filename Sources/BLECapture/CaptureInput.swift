import BLECore
import Glibc

/// The source of a capture: read in pieces, never as a whole.
public protocol CaptureInput: AnyObject {
  /// Returns up to `count` octets, fewer only at the end.
  func read(_ count: Int) throws(CaptureError) -> [UInt8]
}

/// A capture in memory.
public final class CaptureOctets: CaptureInput {
  private var left: ArraySlice<UInt8>
  public init(_ octets: [UInt8]) { left = octets[...] }
  public func read(_ count: Int) -> [UInt8] {
    defer { left = left.dropFirst(count) }
    return Array(left.prefix(count))
  }
}

/// A capture in a file, or in anything else that can be opened by a path and read.
public final class CaptureFileInput: CaptureInput {
  private static let chunk = 1 << 16

  public let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var cursor = 0

  public init(path: String) throws(CaptureError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    self.path = path
    if descriptor < 0 { throw CaptureError(.file, "\(path): cannot be read: \(systemError())") }
  }

  deinit { close(descriptor) }

  public func read(_ count: Int) throws(CaptureError) -> [UInt8] {
    while buffer.count - cursor < count {
      if try !fill() { break }
    }
    let end = min(cursor + count, buffer.count)
    defer { cursor = end }
    return Array(buffer[cursor..<end])
  }

  /// Returns whether any octets were left.
  private func fill() throws(CaptureError) -> Bool {
    buffer.removeSubrange(0..<cursor)
    cursor = 0
    let kept = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
    while true {
      let count = buffer.withUnsafeMutableBytes { octets in
        octets.baseAddress.map { Glibc.read(descriptor, $0 + kept, Self.chunk) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      buffer.removeLast(Self.chunk - max(0, count))
      if count < 0 { throw CaptureError(.file, "\(path): cannot be read: \(systemError())") }
      return count > 0
    }
  }
}

/// Counts the octets that were read, for messages, and distinguishes the end of the file from a truncated record.
struct CaptureSource {
  /// The maximum length of a record that is read: the longest HCI packet, and a margin.
  static let recordLimit = 1 << 17

  private let input: any CaptureInput
  private(set) var offset = 0
  /// Octets that were read ahead.
  private var held: [UInt8]

  init(_ input: any CaptureInput, held: [UInt8] = []) {
    self.input = input
    self.held = held
  }

  /// Exactly `count` octets; `nil` if the file ends before the first of them.
  mutating func next(_ count: Int, _ what: String) throws(CaptureError) -> [UInt8]? {
    var octets = Array(held.prefix(count))
    held.removeFirst(octets.count)
    if octets.count < count { octets += try input.read(count - octets.count) }
    if octets.isEmpty && count > 0 { return nil }
    guard octets.count == count else {
      throw CaptureError(
        .truncated,
        "the file ends in the middle of \(what): at offset \(offset), \(count) octets expected, \(octets.count) left")
    }
    offset += count
    return octets
  }

  /// Exactly `count` octets.
  mutating func need(_ count: Int, _ what: String) throws(CaptureError) -> [UInt8] {
    guard let octets = try next(count, what) else {
      throw CaptureError(.truncated, "the file ends before \(what), at offset \(offset)")
    }
    return octets
  }

  func malformed(_ text: String) -> CaptureError {
    CaptureError(.malformed, "\(text), before offset \(offset)")
  }
}

extension ArraySlice<UInt8> {
  /// The number of `width` octets at `offset` from the start, most significant first; the caller has checked the length.
  func bigEndian(at offset: Int, width: Int) -> UInt64 {
    self[(startIndex + offset)..<(startIndex + offset + width)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
