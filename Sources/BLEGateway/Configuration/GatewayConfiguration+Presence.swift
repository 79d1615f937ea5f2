extension GatewayConfiguration {
  /// That this gateway says in which rooms devices are, by what all gateways of the prefix hear.
  package struct Presence: Sendable, Equatable {
    package var rules = PresenceRules()
    /// Devices that are expected, by their names in topics: what they are called for people. They are said to be nowhere even if they were never
    /// found, and Home Assistant gets a tracker for each.
    package var tracked: [String: String] = [:]

    package init() {}
  }
}
