import BLECore

/// Reads properties that have to be of one type. What is of another is passed over as if it was not there, and told in the log: once for
/// each property, since a daemon that does so does it each time.
final class PropertyReader {
  private static let limit = 64
  private let log: Logger
  private var told: Set<String> = []

  init(log: Logger) { self.log = log }

  /// The property as `reader` understands it; `nil` where it is not given or is of another type.
  func read<Value>(
    _ name: String, of interface: String, in properties: [String: BusValue], _ reader: (BusValue) -> Value?
  ) -> Value? {
    properties[name].flatMap { read(name, of: interface, from: $0, reader) }
  }

  /// The value of the property as `reader` understands it; `nil` where it is of another type.
  func read<Value>(
    _ name: String, of interface: String, from value: BusValue, _ reader: (BusValue) -> Value?
  ) -> Value? {
    if let read = reader(value) { return read }
    complain("\(interface).\(name)")
    return nil
  }

  /// Tells of something that is not what the daemon's documentation says.
  func complain(_ what: String) {
    guard told.count < Self.limit, told.insert(what).inserted else { return }
    log.log(.warning, "the Bluetooth daemon gives \(what) in a form that it does not have: it is passed over")
  }
}
