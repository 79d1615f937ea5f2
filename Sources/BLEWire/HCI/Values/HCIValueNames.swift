import BLECore

// What the commonest values of HCI are called where a packet is told in words.

extension LEConnectionRole: CustomStringConvertible {
  public var description: String {
    switch self {
    case .central: "central"
    case .peripheral: "peripheral"
    default: numberText(rawValue, digits: 2)
    }
  }
}

extension LEPHY: CustomStringConvertible {
  public var description: String {
    switch self {
    case .none: "none"
    case .le1M: "LE 1M"
    case .le2M: "LE 2M"
    case .leCoded: "LE Coded"
    default: numberText(rawValue, digits: 2)
    }
  }
}

extension LEAdvertisingReportType: CustomStringConvertible {
  public var description: String {
    switch self {
    case .connectable: "connectable"
    case .directed: "directed"
    case .scannable: "scannable"
    case .nonConnectable: "not connectable"
    case .scanResponse: "scan response"
    default: numberText(rawValue, digits: 2)
    }
  }
}

extension LEExtendedReportType: CustomStringConvertible {
  public var description: String {
    let names: [(LEExtendedReportType, String)] = [
      (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"),
      (.scanResponse, "scan response"), (.legacy, "legacy"), (.incomplete, "incomplete"), (.truncated, "truncated"),
    ]
    let present = names.filter { contains($0.0) }.map(\.1)
    return present.isEmpty ? "not connectable" : present.joined(separator: " ")
  }
}
