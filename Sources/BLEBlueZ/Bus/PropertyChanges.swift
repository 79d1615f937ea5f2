import CSystemBus

/// The arguments of `org.freedesktop.DBus.Properties.PropertiesChanged`, the most frequent signal: one for each advertisement and each
/// notification.
struct PropertyChanges: Hashable, Sendable {
  let interface: String
  let values: ReportedProperties
  /// Names of the properties that no longer have a value.
  let invalidated: [String]
}

/// Properties of one interface, in the order in which they were reported. Not a dictionary, because most signals have one property.
struct ReportedProperties: Hashable, Sendable {
  struct Property: Hashable, Sendable {
    let name: String
    /// Without its variant.
    let value: BusValue
  }

  let list: [Property]

  init(_ list: [Property]) { self.list = list }

  /// All properties of an object, from a dictionary whose keys are strings (`a{sv}`); `nil` where the value has another type.
  init?(_ value: BusValue) {
    guard case .dictionary(let entries, "s", _) = value.content else { return nil }
    list = entries.compactMap { name, value in name.text.map { Property(name: $0, value: value.content) } }
  }

  /// Of several with the same name the last one counts.
  subscript(name: String) -> BusValue? { list.last { $0.name == name }?.value }
}

extension MessageBus {
  /// Calls `handler` for each PropertiesChanged, for as long as the registration is kept: with `nil` where the signal's arguments have other
  /// types.
  ///
  /// - Parameters:
  ///   - interface: whose properties; `nil`: of all interfaces.
  ///   - path: of which object; `nil`: of all.
  func listenToProperties(
    of interface: String? = nil, at path: String? = nil, from sender: String,
    _ handler: @escaping (_ path: String, PropertyChanges?) -> Void
  ) -> BusRegistration {
    var (paths, interfaces) = (RecentTexts(), RecentTexts())
    return listen(to: "PropertiesChanged", of: Self.propertiesInterface, at: path, from: sender, about: interface) {
      (signal: ReceivedSignal) throws(BusError) in
      let changes = try MessageReader.propertyChanges(of: signal.message, limits: .standard, &interfaces)
      handler(paths.text(signal.path), changes)
    }
  }
}
