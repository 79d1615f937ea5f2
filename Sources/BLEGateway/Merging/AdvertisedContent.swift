import BLEReports

/// What was advertised: a message about an advertisement without what differs from gateway to gateway.
struct AdvertisedContent: Hashable, Sendable {
  let members: JSONValue
  private let text: String

  /// A device's identifier is of the machine that has heard it, and so are the strengths.
  private static let different: Set = [
    "key", "event", "time", "gateway", "device", "identifier", "rssi", "smoothed", "heard_by",
  ]

  /// - Parameter message: an object.
  init(_ message: JSONValue) {
    if case .object(let all) = message {
      members = .object(all.filter { !Self.different.contains($0.key) })
    } else {
      members = [:]
    }
    text = members.text
  }

  static func == (one: Self, other: Self) -> Bool { one.text == other.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
