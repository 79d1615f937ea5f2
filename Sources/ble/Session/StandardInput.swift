import Foundation

/// Reads a value from the standard input.
@MainActor enum StandardInput {
  /// The longest input, in octets: more is not a valid value in any format.
  private static let longest = 4096

  /// Reads the whole input as one value.
  static func value(in format: ValueFormat, _ session: Session) async throws(ToolError) -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 || session.options.verbosity > 0 {
      session.output.note("Reading the value from the standard input.")
    }
    let waiting = session.waiting
    var octets: [UInt8] = []
    var isOver = false
    let reader = DescriptorReader(
      STDIN_FILENO,
      onOctets: {
        octets += $0
        if octets.count > longest { waiting.changed() }
      },
      onEnd: {
        isOver = true
        waiting.changed()
      })
    defer { reader.stop() }
    try await waiting.until(within: nil) { isOver || octets.count > longest }
    do throws(ArgumentValueError) {
      if format == .raw {
        guard octets.count <= ValueFormat.longest else {
          throw ArgumentValueError("a value has at most \(ValueFormat.longest) octets")
        }
        return octets
      }
      // The line break at the end comes from the shell and is not part of the value.
      if octets.last == 0x0A { octets.removeLast() }
      guard let text = String(validating: octets, as: UTF8.self) else {
        throw ArgumentValueError("it is not UTF-8: octets as they are go with --format raw")
      }
      return try format.octets(of: text)
    } catch {
      throw ToolError(.badData, "Standard input: \(error.reason)")
    }
  }
}
