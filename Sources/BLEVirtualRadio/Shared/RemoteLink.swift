import BLECore

/// The other end of a connection that is in another process.
final class RemoteLink {
  /// How long the other process may take to answer on a new connection, whatever the interval is.
  static let patience = StackDuration.seconds(2)

  weak var connection: Connection?
  var isQuiet: Bool { true }

  func poke() {}
  func runEvent() {}
  func drain() {}
  func close() {}
  func readSignal() -> Int8? { nil }
}
