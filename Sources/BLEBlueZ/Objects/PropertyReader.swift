import BLECore

/// Reads properties of an expected type. One of another type is ignored as if it were absent, and logged: once for each property, since
/// the daemon would repeat it with each signal.
final class PropertyReader {
  private static let limit = 64
  private let log: Logger
  private var logged: Set<String> = []

  init(log: Logger) { self.log = log }

  /// The property as `reader` interprets it; `nil` where it is absent or has another type.
  func read<Value>(
    _ name: String, of interface: String, in properties: ReportedProperties, _ reader: (BusValue) -> Value?
  ) -> Value? {
    properties[name].flatMap { read(name, of: interface, from: $0, reader) }
  }

  /// The property's value as `reader` interprets it; `nil` where it has another type.
  func read<Value>(
    _ name: String, of interface: String, from value: BusValue, _ reader: (BusValue) -> Value?
  ) -> Value? {
    if let read = reader(value) { return read }
    warn("\(interface).\(name)")
    return nil
  }

  /// Logs something that differs from the daemon's documentation, once.
  func warn(_ what: String) {
    guard logged.count < Self.limit, logged.insert(what).inserted else { return }
    log.log(.warning, "the Bluetooth daemon sends \(what) in an undocumented form, which is ignored")
  }
}
