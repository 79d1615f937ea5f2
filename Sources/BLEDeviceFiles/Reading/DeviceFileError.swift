import BLESession
import BLEText
import Foundation

/// All mistakes in a device description file, in the order of the file.
public struct DeviceFileError: Error, Sendable, Hashable {
  /// One mistake and its position.
  public struct Mistake: Sendable, Hashable {
    /// Its position.
    public var position: TextPosition
    /// What was expected and what was found.
    public var message: String
  }

  /// The file's path, or the name given to the text.
  public var file: String
  /// In the order of the file, at most 50.
  public var mistakes: [Mistake]
}

extension DeviceFileError: LocalizedError, CustomStringConvertible {
  /// `lock.json:7:20: expected ...`, a line for each mistake.
  public var lines: [String] {
    mistakes.map { "\(file.inert):\($0.position.line):\($0.position.column): \($0.message)" }
  }

  /// All lines.
  public var description: String { lines.joined(separator: "\n") }
  /// All lines.
  public var errorDescription: String? { description }
}

extension DeviceDescription {
  /// The maximum size of a file in octets.
  public static let largestFile = 1 << 22

  /// The name of the format, in the member `format` of a file.
  public static let formatName = "ble-device/1"

  /// Reads a file.
  /// - Throws: `DeviceFileError` for its content, Foundation's error if it cannot be read.
  public init(contentsOf file: URL) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let octets = try handle.read(upToCount: Self.largestFile + 1) ?? Data()
    try self.init(octets: octets, file: file.path)
  }

  /// Parses octets that were read from `file`.
  public init(octets: Data, file: String) throws(DeviceFileError) {
    try self.init(file: file) { () throws(PositionedError) in
      guard octets.count <= Self.largestFile else {
        throw PositionedError(TextPosition(), "a device description has at most \(Self.largestFile) octets")
      }
      return try PositionedJSONReader.read(octets: octets)
    }
  }

  /// Parses a text, which messages call `file`.
  public init(text: String, file: String) throws(DeviceFileError) {
    try self.init(file: file) { () throws(PositionedError) in try PositionedJSONReader.read(text) }
  }

  private init(
    file: String, _ read: () throws(PositionedError) -> PositionedJSON
  ) throws(DeviceFileError) {
    let mistakes = MistakeList()
    let json = mistakes.attempt(read)
    let description = json.flatMap { DeviceFileReader(mistakes: mistakes).read($0) }
    guard let description, mistakes.all.isEmpty else {
      throw DeviceFileError(
        file: file, mistakes: mistakes.all.map { .init(position: $0.position, message: $0.message) })
    }
    self = description
  }
}
