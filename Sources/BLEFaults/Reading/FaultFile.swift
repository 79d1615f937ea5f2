import BLEText

/// A file of faults, for one device: JSON with a list of faults, as `Docs/faults.md` describes.
public struct FaultFile: Hashable, Sendable {
  /// The faults in the order of the file.
  public var faults: [Fault]

  /// The name of the format, in the member `format` of a file.
  public static let formatName = "ble-faults/1"
  /// The maximum size of a file in octets.
  public static let largestFile = 1 << 20
  /// The maximum number of faults in a file.
  public static let mostFaults = 1_000

  /// A file of these faults.
  public init(faults: [Fault]) { self.faults = faults }

  /// Parses octets that were read from `file`.
  /// - Throws: all mistakes that were found.
  public init(octets: [UInt8], file: String) throws(FaultFileError) {
    let read = try FaultFileError.collect(in: file) { mistakes in
      let json = mistakes.attempt { () throws(PositionedError) in
        guard octets.count <= Self.largestFile else {
          throw PositionedError(TextPosition(), "a file of faults has at most \(Self.largestFile) octets")
        }
        return try PositionedJSONReader.read(octets: octets)
      }
      return json.flatMap { FaultReader(mistakes: mistakes).file($0) }
    }
    self.init(faults: read)
  }

  /// Parses a text, which messages call `file`.
  /// - Throws: all mistakes that were found.
  public init(text: String, file: String) throws(FaultFileError) { try self.init(octets: Array(text.utf8), file: file) }

  /// The file as JSON, which reads back as the same faults.
  public var json: String {
    let lines = faults.map { "    \($0.json)" }.joined(separator: ",\n")
    return "{\n  \"format\": \"\(Self.formatName)\",\n  \"faults\": [\(lines.isEmpty ? "" : "\n\(lines)\n  ")]\n}\n"
  }
}

/// All mistakes in a file of faults, or in the words of one, in the order of the file.
public struct FaultFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One mistake and its position.
  public struct Mistake: Hashable, Sendable {
    /// Its position.
    public var position: TextPosition
    /// What was expected and what was found; safe for a terminal.
    public var message: String
  }

  /// The file's path, or the name given to the text.
  public var file: String
  /// In the order of the file, at most 50.
  public var mistakes: [Mistake]

  /// `faults.json:7:20: expected ...`, a line for each mistake.
  public var lines: [String] {
    mistakes.map { "\(file.inert):\($0.position.line):\($0.position.column): \($0.message)" }
  }

  /// All lines.
  public var description: String { lines.joined(separator: "\n") }

  /// The result of `read`, which notes its mistakes.
  static func collect<Value>(in file: String, _ read: (MistakeList) -> Value?) throws(FaultFileError) -> Value {
    let mistakes = MistakeList()
    let value = read(mistakes)
    guard let value, mistakes.count == 0 else {
      throw FaultFileError(
        file: file, mistakes: mistakes.all.map { Mistake(position: $0.position, message: $0.message) })
    }
    return value
  }
}

extension Fault {
  /// Parses one fault: an object of JSON, or words such as `read 2A37 nth 2 error 0x0E` (`FaultWords`).
  /// - Parameter name: what messages call the text.
  /// - Throws: all mistakes that were found; positions are columns of the text.
  public init(text: String, name: String = "fault") throws(FaultFileError) {
    let isJSON = text.drop { $0 == " " || $0 == "\t" }.first == "{"
    self = try FaultFileError.collect(in: name) { mistakes in
      let json = mistakes.attempt { () throws(PositionedError) in
        guard text.utf8.count <= FaultFile.largestFile else {
          throw PositionedError(TextPosition(), "a fault has at most \(FaultFile.largestFile) octets")
        }
        return isJSON ? try PositionedJSONReader.read(text) : try FaultWords.read(text)
      }
      return json.flatMap { FaultReader(mistakes: mistakes).fault($0) }
    }
  }
}
