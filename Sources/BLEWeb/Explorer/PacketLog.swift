/// The last packets between the explorer's host and its controller.
package protocol PacketLog: Sendable {
  /// The number of the last packet; the first one has 1.
  var count: UInt64 { get }
  /// Those after the first of these numbers, up to the second, `limit` at the most; without reports of advertisements.
  func packets(after first: UInt64, through last: UInt64, limit: Int) -> [LoggedPacket]
  /// All that are kept, as a btsnoop file.
  func btsnoop() -> [UInt8]
}

/// A packet, for people.
package struct LoggedPacket: Sendable {
  package let number: UInt64
  /// Direction and contents: `< ATT Read Request 0x0003`.
  package let text: String
  /// As H4 has it, without the indicator of its kind.
  package let octets: [UInt8]

  package init(number: UInt64, text: String, octets: [UInt8]) {
    self.number = number
    self.text = text
    self.octets = octets
  }
}
