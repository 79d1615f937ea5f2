import Foundation

/// The standard input as a value.
@MainActor enum StandardInput {
  /// More is no value of an attribute, however it is written.
  private static let longest = 4096

  /// The whole input as one value of an attribute, once it has come to its end.
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
      // The line break at the end is the shell's, not the value's.
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
