import BLEAdapter
import BLECore
import BLEWire

extension GATTServerLink {
  func write(_ value: ArraySlice<UInt8>, to handle: AttributeHandle) {
    do throws(ATTErrorCode) {
      let attribute = try writable(handle, .request)
      if case .application(let application, let tag) = attribute.content {
        guard value.count <= ATTLimits.maximumValueLength else { throw .invalidAttributeValueLength }
        let part = AttributeWriteRequest.Part(handle: handle, tag: tag, offset: 0, value: value)
        let number = wait(.write(handle), for: application)
        application.write(
          AttributeWriteRequest(number: number, client: self, needsResponse: true, parts: OneOrMore(part)))
        return
      }
      try check(value, for: attribute)
      bearer.respond(ATTWriteResponse())
      apply(value, to: attribute)
    } catch {
      bearer.refuse(error, at: handle)
    }
  }

  /// Handles a write without response: one that is not permitted is ignored.
  func writeCommand(
    _ value: ArraySlice<UInt8>, to handle: AttributeHandle, _ form: AttributePermissions.WriteForms = .command
  ) {
    guard let attribute = try? writable(handle, form), value.count <= ATTLimits.maximumValueLength else { return }
    if case .application(let application, let tag) = attribute.content {
      let part = AttributeWriteRequest.Part(handle: handle, tag: tag, offset: 0, value: value)
      application.write(
        AttributeWriteRequest(
          number: server.takeRequestNumber(), client: self, needsResponse: false, parts: OneOrMore(part)))
      return
    }
    do { try check(value, for: attribute) } catch { return }
    apply(value, to: attribute)
  }

  // MARK: Values of the server

  /// Throws if `value` is not valid for an attribute whose value the server stores.
  func check(_ value: ArraySlice<UInt8>, for attribute: Attribute) throws(ATTErrorCode) {
    switch attribute.content {
    case .value, .application:
      if value.count > ATTLimits.maximumValueLength { throw .invalidAttributeValueLength }
    case .clientConfiguration(_, let offers):
      guard let wanted = ClientConfiguration(octets: value) else { throw .invalidAttributeValueLength }
      if !wanted.subtracting(offers).isEmpty { throw .valueNotAllowed }
    case .server(.clientSupportedFeatures):
      guard let first = value.first else { throw .invalidAttributeValueLength }
      if value.count > ATTLimits.maximumValueLength { throw .invalidAttributeValueLength }
      // A client may not clear a feature bit (Core, Vol 3 Part G 7.2).
      if !supportedFeatures.isSubset(of: ClientSupportedFeatures(rawValue: first)) { throw .valueNotAllowed }
    case .server: throw .writeNotPermitted
    }
  }

  /// Stores a value that was checked.
  func apply(_ value: ArraySlice<UInt8>, to attribute: Attribute) {
    switch attribute.content {
    case .value: server.database.setValue(Array(value), at: attribute.handle)
    case .clientConfiguration(let handle, _):
      if let wanted = ClientConfiguration(octets: value) { configure(handle, wanted, attribute) }
    case .server(.clientSupportedFeatures):
      guard let first = value.first else { return }
      supportedFeatures = ClientSupportedFeatures(rawValue: first).intersection(.known)
      stateDidChange?(state)
    case .application, .server: break
    }
  }

  private func configure(_ handle: AttributeHandle, _ wanted: ClientConfiguration, _ attribute: Attribute) {
    guard wanted != configurations[handle] ?? [] else { return }
    subscribe(to: handle, wanted, attribute)
    stateDidChange?(state)
  }

  /// - Parameter attribute: the client configuration descriptor of the characteristic with value handle `handle`.
  func subscribe(to handle: AttributeHandle, _ wanted: ClientConfiguration, _ attribute: Attribute) {
    configurations[handle] = wanted.isEmpty ? nil : wanted
    let requirement = attribute.permissions.write
    subscriptionRequirements[handle] = wanted.isEmpty || requirement == .open ? nil : requirement
    if !wanted.contains(.indication) { bearer.withdrawIndications(of: handle...handle) }
    reportSubscription(handle, wanted)
  }

  func reportSubscription(_ handle: AttributeHandle, _ configuration: ClientConfiguration) {
    guard case .application(let application, let tag)? = server.database[handle]?.content else { return }
    application.subscriptionDidChange(of: tag, by: self, to: configuration)
  }

  /// Removes the subscriptions to a service that is being removed, and its indications that are not sent yet. Its application, which
  /// removed it, is not called.
  func forgetSubscriptions(in handles: ClosedRange<AttributeHandle>) {
    configurations.removeAll { handle, _ in handles.contains(handle) }
    subscriptionRequirements.removeAll { handle, _ in handles.contains(handle) }
    bearer.withdrawIndications(of: handles)
  }
}

extension ClientConfiguration {
  /// Decodes two octets; `nil` for any other length.
  init?(octets: ArraySlice<UInt8>) {
    guard octets.count == 2, let low = octets.first, let high = octets.last else { return nil }
    self.init(rawValue: UInt16(low) | UInt16(high) << 8)
  }
}

extension ClientSupportedFeatures {
  /// The features that this server uses. Other bits are not stored.
  static let known: ClientSupportedFeatures = [.robustCaching, .multipleNotifications]
}
