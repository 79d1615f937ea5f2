/// What can happen in a fuzzed world. Its argument says who does it, in the two lowest bits, and how, in the rest.
enum Action: UInt8, CaseIterable {
  // Time.
  case milliseconds, seconds
  // A hostile radio's link layer.
  case takeAddress, advertise, stopAdvertising, passBy, connect, disconnect, cutPower, restorePower
  // A hostile radio's host.
  case claimIdentity, changeKey, pair, forge, encrypt, sendSecurity, sendAttribute, sendSignaling
  // The host's program and user.
  case scan, stopScan, callIn, cancel, raise, notify, stopPublishing, publish, agentChanges, removeBonds
  // The host's surroundings.
  case switchOff, switchOn, background, unplug
}

/// An input as a list of actions: an octet that names the action, one for its argument, and behind some of them octets of a packet.
struct ActionReader {
  /// So many actions are played: an input is quick.
  private static let limit = 64

  private var rest: ArraySlice<UInt8>
  private var count = 0

  init(_ octets: [UInt8]) { rest = octets[...] }

  mutating func octet() -> UInt8? { rest.popFirst() }

  mutating func next() -> (Action, argument: UInt8)? {
    count += 1
    guard count <= Self.limit, let code = rest.popFirst(), let argument = rest.popFirst() else { return nil }
    return Action(rawValue: code % UInt8(Action.allCases.count)).map { ($0, argument) }
  }

  /// A packet: an octet of length, and as many octets.
  mutating func packet() -> [UInt8] {
    guard let count = rest.popFirst() else { return [] }
    let packet = rest.prefix(Int(count))
    rest = rest.dropFirst(packet.count)
    return Array(packet)
  }
}
