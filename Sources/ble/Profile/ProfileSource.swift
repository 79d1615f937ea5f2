import BLEDeviceFiles
import BLEProfileFiles
import Foundation

/// The source of a profile: a built-in one, or a file.
enum ProfileSource: Equatable, Sendable {
  case builtIn(Profile)
  case file(String)

  /// Returns the profile. Throws the first mistake as `file:line:column: what was expected`.
  func load() throws(ToolError) -> Profile {
    switch self {
    case .builtIn(let profile): return profile
    case .file(let path):
      let text = try Self.text(of: path)
      do {
        return try ProfileReader.read(text)
      } catch {
        let place = "\(path.inert):\(error.position.line):\(error.position.column)"
        throw ToolError(.badData, "\(place): \(error.message)")
      }
    }
  }

  /// The device description, if the file is one, which its `format` member shows.
  func device() throws(ToolError) -> DeviceDescription? {
    guard case .file(let path) = self, let text = try? Self.text(of: path),
      let json = try? PositionedJSONReader.read(text), case .object(let members) = json.content,
      members.contains(where: { $0.key == "format" })
    else { return nil }
    return try DeviceFileSource(path: path).load()
  }

  private static func text(of path: String) throws(ToolError) -> String {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw ToolError(.noInput, "\(path.inert): \(String(cString: strerror(errno)))")
    }
    let data: Data
    do {
      data = try file.read(upToCount: ProfileReader.largestFile + 1) ?? Data()
    } catch {
      throw ToolError(.noInput, "\(path.inert): \(error.localizedDescription)")
    }
    guard data.count <= ProfileReader.largestFile else {
      throw ToolError(.badData, "\(path.inert): a profile has at most \(ProfileReader.largestFile) octets")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      let line = data.prefix(Self.validOctets(data)).count { $0 == 0x0A } + 1
      throw ToolError(.badData, "\(path.inert):\(line): expected UTF-8")
    }
    return text
  }

  /// The number of valid UTF-8 octets at the start.
  private static func validOctets(_ data: Data) -> Int {
    var codec = UTF8()
    var octets = data.makeIterator()
    var count = 0
    while case .scalarValue(let scalar) = codec.decode(&octets) { count += UTF8.width(scalar) }
    return count
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

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int { Self.encode(scalar).map(\.count) ?? 0 }
}
