import CSystemBus

/// What `org.freedesktop.DBus.Properties.PropertiesChanged` says: the signal of which there are most, one for each advertisement and each
/// notification.
struct PropertyChanges: Hashable, Sendable {
  let interface: String
  /// Without their variants.
  let values: [String: BusValue]
  /// Names of those that have no value any more.
  let invalidated: [String]
}

extension MessageBus {
  /// Calls `handler` for each PropertiesChanged of an object of `path` and below it, for as long as the registration is kept. `nil` where the
  /// signal's arguments are not those that it has.
  func listenToProperties(
    below path: String, from sender: String, _ handler: @escaping (_ path: String, PropertyChanges?) -> Void
  ) -> BusRegistration {
    listen(to: "PropertiesChanged", of: Self.propertiesInterface, below: path, from: sender, about: nil) {
      (signal: ReceivedSignal) throws(BusError) in
      handler(signal.path, try MessageReader.propertyChanges(of: signal.message, limits: .standard))
    }
  }
}
