import BLECore

// Names of the commonest values of HCI, for texts.

extension LEConnectionRole: CustomStringConvertible {
  public var description: String { Self.names[self] ?? numberText(rawValue, digits: 2) }
  private static let names: [Self: String] = [.central: "central", .peripheral: "peripheral"]
}

extension LEPHY: CustomStringConvertible {
  public var description: String { Self.names[self] ?? numberText(rawValue, digits: 2) }
  private static let names: [Self: String] = [.none: "none", .le1M: "LE 1M", .le2M: "LE 2M", .leCoded: "LE Coded"]
}

extension LEAdvertisingReportType: CustomStringConvertible {
  public var description: String { Self.names[self] ?? numberText(rawValue, digits: 2) }
  private static let names: [Self: String] = [
    .connectable: "connectable", .directed: "directed", .scannable: "scannable", .nonConnectable: "not connectable",
    .scanResponse: "scan response",
  ]
}

extension LEExtendedReportType: CustomStringConvertible {
  public var description: String {
    let present = Self.names.filter { contains($0.0) }.map(\.1)
    return present.isEmpty ? "not connectable" : present.joined(separator: " ")
  }

  private static let names: [(Self, String)] = [
    (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"), (.scanResponse, "scan response"),
    (.legacy, "legacy"), (.incomplete, "incomplete"), (.truncated, "truncated"),
  ]
}
