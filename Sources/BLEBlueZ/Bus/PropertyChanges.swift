import CSystemBus

/// The arguments of `org.freedesktop.DBus.Properties.PropertiesChanged`, the most frequent signal: one for each advertisement and each
/// notification.
struct PropertyChanges: Hashable, Sendable {
  let interface: String
  /// Without their variants.
  let values: [String: BusValue]
  /// Names of the properties that no longer have a value.
  let invalidated: [String]
}

extension MessageBus {
  /// Calls `handler` for each PropertiesChanged of the object at `path` and those below it, for as long as the registration is kept: with
  /// `nil` where the signal's arguments have other types.
  func listenToProperties(
    below path: String, from sender: String, _ handler: @escaping (_ path: String, PropertyChanges?) -> Void
  ) -> BusRegistration {
    listen(to: "PropertiesChanged", of: Self.propertiesInterface, below: path, from: sender, about: nil) {
      (signal: ReceivedSignal) throws(BusError) in
      handler(signal.path, try MessageReader.propertyChanges(of: signal.message, limits: .standard))
    }
  }
}
