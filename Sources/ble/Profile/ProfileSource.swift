import BLEDeviceFiles
import BLEProfileFiles

/// The source of a profile: a built-in one, or a file.
enum ProfileSource: Equatable, Sendable {
  case builtIn(Profile)
  case file(String)

  /// What is served. A file is read once: it may be a pipe.
  enum Content {
    case profile(Profile)
    /// The file is a device description, which its `format` member shows.
    case device(DeviceDescription)
  }

  /// Throws the mistakes as `file:line:column: what was expected`.
  func load() throws(ToolError) -> Content {
    switch self {
    case .builtIn(let profile): return .profile(profile)
    case .file(let path):
      let octets = try InputFile.read(path, "a device description", limit: DeviceDescription.largestFile)
      let json = try Self.read(path) { () throws(FileMistakes) in try Self.json(octets) }
      if case .object(let members) = json.content, members.contains(where: { $0.key == "format" }) {
        return .device(try DeviceFileSource(path: path).description(of: octets))
      }
      guard octets.count <= ProfileReader.largestFile else {
        throw ToolError(.badData, "\(path.inert): a profile has at most \(ProfileReader.largestFile) octets")
      }
      return .profile(try Self.read(path) { () throws(FileMistakes) in try ProfileReader.read(json) })
    }
  }

  private static func json(_ octets: [UInt8]) throws(FileMistakes) -> PositionedJSON {
    do {
      return try PositionedJSONReader.read(octets: octets)
    } catch {
      throw FileMistakes(error)
    }
  }

  private static func read<Value>(
    _ path: String, _ work: () throws(FileMistakes) -> Value
  ) throws(ToolError) -> Value {
    do {
      return try work()
    } catch {
      throw ToolError(.badData, error.lines(in: path).joined(separator: "\n"))
    }
  }
}

extension ProfileSource: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    let names = Profile.builtIn.map(\.name)
    if let found = Profile.builtIn.first(where: { $0.name == argument }) {
      self = .builtIn(found.profile)
    } else if argument.contains("/") || argument.contains(".") {
      self = .file(argument)
    } else {
      let suggestion = Suggestion.sentence(for: argument, among: names)
      throw ArgumentValueError("expected \(names.joined(separator: ", ")) or a file that ends in .json\(suggestion)")
    }
  }
}
