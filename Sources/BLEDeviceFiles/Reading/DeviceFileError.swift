import BLESession
import BLEText
import Foundation

/// What is wrong with a device description file: all of it, in the order of the file.
public struct DeviceFileError: Error, Sendable, Hashable {
  /// One mistake and where it stands.
  public struct Mistake: Sendable, Hashable {
    /// Where.
    public var position: TextPosition
    /// What was expected and what stands there.
    public var message: String
  }

  /// The file's path, or what the text was called.
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
  /// Octets of the largest file that is read.
  public static let largestFile = 1 << 20

  /// The name of the format, as files say it in `format`.
  public static let formatName = "ble-device/1"

  /// Reads a file.
  /// - Throws: `DeviceFileError` for what the file says, Foundation's error where it cannot be read.
  public init(contentsOf file: URL) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let octets = try handle.read(upToCount: Self.largestFile + 1) ?? Data()
    try self.init(octets: octets, file: file.path)
  }

  /// Reads octets that were read from `file`.
  public init(octets: Data, file: String) throws(DeviceFileError) {
    func refuse(_ position: TextPosition, _ message: String) -> DeviceFileError {
      DeviceFileError(file: file, mistakes: [.init(position: position, message: message)])
    }
    guard octets.count <= Self.largestFile else {
      throw refuse(TextPosition(), "a device description has at most \(Self.largestFile) octets")
    }
    guard let text = String(validating: octets, as: UTF8.self) else {
      // The replacement character stands where the first octet was that is no UTF-8.
      let repaired = String(decoding: octets, as: UTF8.self)
      let line = repaired.prefix { $0 != "\u{FFFD}" }.count { $0.isNewline } + 1
      throw refuse(TextPosition(line: line), "expected UTF-8")
    }
    try self.init(text: text, file: file)
  }

  /// Reads a text that is called `file` in messages.
  public init(text: String, file: String) throws(DeviceFileError) {
    let mistakes = MistakeList()
    let json = mistakes.attempt { () throws(PositionedError) in try PositionedJSONReader.read(text) }
    let description = json.flatMap { DeviceFileReader(mistakes: mistakes).read($0) }
    guard let description, mistakes.all.isEmpty else {
      throw DeviceFileError(
        file: file, mistakes: mistakes.all.map { .init(position: $0.position, message: $0.message) })
    }
    self = description
  }
}
