import BLEFaults

/// A file of faults, by its path.
struct FaultSource: Equatable, Sendable {
  let path: String

  /// Returns the faults. Throws the mistakes as `file:line:column: what was expected`.
  func load() throws(ToolError) -> [Fault] {
    let octets = try InputFile.read(path, "a file of faults", limit: FaultFile.largestFile)
    do throws(FaultFileError) {
      return try FaultFile(octets: octets, file: path).faults
    } catch {
      throw ToolError(.badData, error.description)
    }
  }
}

extension FaultSource: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    if argument.isEmpty { throw ArgumentValueError("expected the path of a file of faults") }
    path = argument
  }
}
