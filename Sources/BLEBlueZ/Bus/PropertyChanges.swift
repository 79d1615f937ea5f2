import CSystemBus

/// The arguments of `org.freedesktop.DBus.Properties.PropertiesChanged`, the most frequent signal: one for each advertisement and each
/// notification.
struct PropertyChanges: Hashable, Sendable {
  struct Property: Hashable, Sendable {
    let name: String
    /// Without its variant.
    let value: BusValue
  }

  let interface: String
  /// In the order of the message. Not a dictionary, because most signals have one property.
  let values: [Property]
  /// Names of the properties that no longer have a value.
  let invalidated: [String]

  /// The values by name; of several with the same name the last one counts.
  var table: [String: BusValue] {
    Dictionary(values.lazy.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}

extension MessageBus {
  /// Calls `handler` for each PropertiesChanged of the object at `path` and those below it, for as long as the registration is kept: with
  /// `nil` where the signal's arguments have other types.
  func listenToProperties(
    below path: String, from sender: String, _ handler: @escaping (_ path: String, PropertyChanges?) -> Void
  ) -> BusRegistration {
    var (paths, interfaces) = (RecentTexts(), RecentTexts())
    return listen(to: "PropertiesChanged", of: Self.propertiesInterface, below: path, from: sender, about: nil) {
      (signal: ReceivedSignal) throws(BusError) in
      let changes = try MessageReader.propertyChanges(of: signal.message, limits: .standard, &interfaces)
      handler(paths.text(signal.path), changes)
    }
  }
}
