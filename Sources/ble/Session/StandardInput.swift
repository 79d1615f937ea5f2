import Foundation

/// The standard input as a value.
enum StandardInput {
  /// More is no value of an attribute, however it is written.
  private static let longest = 4096

  /// The whole input as one value of an attribute.
  static func value(in encoding: ValueEncoding) throws(ToolError) -> [UInt8] {
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while octets.count <= longest {
      let count = buffer.withUnsafeMutableBytes { Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      octets += buffer.prefix(count)
    }
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
