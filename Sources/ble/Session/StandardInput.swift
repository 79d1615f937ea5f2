import Foundation

/// The standard input as a value.
@MainActor enum StandardInput {
  /// More is no value of an attribute, however it is written.
  private static let longest = 4096

  /// The whole input as one value of an attribute, once it has come to its end.
  static func value(in encoding: ValueEncoding, _ waiting: Waiting) async throws(ToolError) -> [UInt8] {
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
    // The line break at the end is the shell's, not the value's.
    if octets.last == 0x0A { octets.removeLast() }
    do throws(ArgumentValueError) {
      if encoding == .hex { return try encoding.octets(of: String(decoding: octets, as: UTF8.self)) }
    } catch {
      throw ToolError(.badData, "Standard input: \(error.reason)")
    }
    guard octets.count <= ValueEncoding.longest else {
      throw ToolError(.badData, "Standard input: a value has at most \(ValueEncoding.longest) octets")
    }
    return octets
  }
}
