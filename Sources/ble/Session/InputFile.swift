import BLEFiles

/// Files that the user names.
enum InputFile {
  /// Reads a file, or a pipe that is never silent for longer than `patience` milliseconds.
  /// - Parameters:
  ///   - what: what it is, for the message about one that is too long.
  ///   - limit: the longest file, in octets.
  ///   - patience: `nil`: a pipe is refused.
  static func read(
    _ path: String, _ what: String, limit: Int, pipePatience patience: Int? = 10_000
  ) throws(ToolError) -> [UInt8] {
    let octets: [UInt8]
    do throws(PrivateFileError) {
      octets = try UntrustedFile.beginning(of: path, limit: limit + 1, pipePatience: patience)
    } catch {
      throw ToolError(.noInput, "\(path.inert): \(error.reason.inert)")
    }
    guard octets.count > limit else { return octets }
    throw ToolError(.badData, "\(path.inert): \(what) has at most \(limit) octets")
  }
}
