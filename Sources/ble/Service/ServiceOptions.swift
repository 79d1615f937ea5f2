import Foundation

/// The options in a service's EnvironmentFile= (systemd.exec(5)), from which they are read again at a reload: the environment of a program that
/// runs stays as it was.
enum ServiceOptions {
  /// Names the file.
  static let variable = "BLE_OPTIONS_FILE"
  private static let largestFile = 65_536

  /// What the command would be if the service were started now.
  /// - Parameters:
  ///   - name: the command's name.
  ///   - rest: the arguments that the unit has behind the options.
  static func command(
    _ name: String, _ rest: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ToolError) -> any ToolCommand {
    guard let path = environment[variable], !path.isEmpty else {
      throw ToolError(.usage, "\(variable) names no file with the service's options.")
    }
    let octets = try InputFile.read(path, "a file of options", limit: largestFile)
    do throws(UsageError) {
      let words = try words(in: String(decoding: octets, as: UTF8.self))
      guard case .run(let command, _) = try Tool.parser.parse([name] + words + rest) else {
        throw UsageError("OPTIONS runs no 'ble \(name)'")
      }
      return command
    } catch {
      throw ToolError(.usage, "\(path.inert): \(error.message).")
    }
  }

  /// The words of the last line that sets OPTIONS.
  static func words(in text: String) throws(UsageError) -> [String] {
    var value = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("OPTIONS=") { value = String(line.dropFirst("OPTIONS=".count)) }
    }
    if let quote = value.first, quote == "\"" || quote == "'", value.count > 1, value.last == quote {
      value = String(value.dropFirst().dropLast())
    }
    return try ShellWords.split(value)
  }
}
