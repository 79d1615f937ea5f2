import BLECore

extension BeaconReader {
  /// Reads octets that are as long as their description says, field by field. What is in none of them is framing; where fields share octets, the
  /// first has them and the others have none.
  /// - Parameters:
  ///   - length: of what is described.
  ///   - header: octets before it, which become the first field's.
  mutating func fixed(_ described: [FixedField], _ length: Int, behind header: Int = 0) {
    guard left >= header + length else { return }
    let all = Array(rest(header + length).dropFirst(header))[...]
    var (place, before) = (0, header)
    for field in described {
      if field.octets.lowerBound > place {
        self.field("Reserved", field.octets.lowerBound - place + before, isFraming: true, Self.nothing)
        (place, before) = (field.octets.lowerBound, 0)
      }
      let own = max(0, field.octets.upperBound - place)
      self.field(
        field.name, own + before, unit: field.unit, isFraming: field.isFraming, measurement: field.measurement
      ) { _ in field.value(in: all) }
      (place, before) = (place + own, 0)
    }
    if place < length { self.field("Reserved", length - place + before, isFraming: true, Self.nothing) }
  }

  /// Of six octets, the first one of the address first.
  static func address(_ octets: [UInt8]) -> BeaconField.Value {
    .text(octets.map { [$0].hexadecimal.uppercased() }.joined(separator: ":"))
  }
}
