internal import BLEAdapter
internal import BLECore

extension CBPeripheralManager {
  /// Publishes the current state of the objects: later changes have no effect.
  func publish(_ service: CBMutableService) {
    if shared.withLock({ $0.database.number(of: service) }) != nil { raise("Services cannot be added more than once") }
    let members = (service.characteristics ?? []).map { member in
      guard let member = member as? CBMutableCharacteristic else {
        raise("\(member) is not a characteristic that can be published")
      }
      return member
    }
    for member in members {
      if member.isFixedAndWriteable { raise("Characteristics with cached values must be read-only") }
    }
    guard members.allSatisfy(\.isConsistent), areUnpublished(members) else {
      let carried = Carried(service)
      submit { [session] in session.value.post(.added(carried.value, CBError(describing: .invalidParameters))) }
      return
    }
    let publication = publication(of: service, members)
    submit { [session] in session.value.add(publication) }
  }

  /// The service as it is now, to be published.
  func publication(
    of service: CBMutableService, _ members: [CBMutableCharacteristic], place: AttributeHandle? = nil,
    isRestored: Bool = false
  ) -> PeripheralManagerSession.Publication {
    let included = service.includedServices ?? []
    let (number, identifiers, includedNumbers) = shared.withLock { state in
      let includedNumbers = included.map { state.database.number(of: $0) ?? 0 }
      let (number, identifiers) = state.database.insert(service, members)
      return (number, identifiers, includedNumbers)
    }
    return PeripheralManagerSession.Publication(
      number: number, service: Carried(service), uuid: service.uuid.value, isPrimary: service.isPrimary,
      included: includedNumbers,
      characteristics: zip(members, identifiers).map { $0.snapshot(identifier: $1) },
      preserved: members.map { .init($0) }, place: place, isRestored: isRestored)
  }

  /// Whether each characteristic is in one service only: an update names the characteristic and nothing else.
  private func areUnpublished(_ members: [CBMutableCharacteristic]) -> Bool {
    if Set(members.map(ObjectIdentifier.init)).count < members.count { return false }
    return shared.withLock { state in members.allSatisfy { state.database.identifier(of: $0) == nil } }
  }

  /// The number that `service` had, if it was published.
  func forget(_ service: CBMutableService) -> PeripheralManagerSession.ServiceNumber? {
    guard let (number, members) = shared.withLock({ $0.database.remove(service) }) else { return nil }
    for member in members { member.removeAllCentrals() }
    return number
  }

  func forgetServices() {
    let members = shared.withLock { state in
      defer { state.database.removeAll() }
      return state.database.allCharacteristics
    }
    for member in members { member.removeAllCentrals() }
  }
}

extension CBMutableCharacteristic {
  /// A fixed value can only be read.
  var isFixedAndWriteable: Bool {
    guard value != nil else { return false }
    return !properties.isSubset(of: [.read]) || !permissions.isSubset(of: [.readable, .readEncryptionRequired])
  }

  /// Whether the permissions allow what the properties declare, and no value is longer than an attribute can be.
  var isConsistent: Bool {
    if let value, value.count > CBPeripheral.longestValue { return false }
    for case let descriptor as CBMutableDescriptor in descriptors ?? []
    where descriptor.octets.count > CBPeripheral.longestValue { return false }
    if properties.contains(.read), permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) { return false }
    if !properties.isDisjoint(with: [.write, .writeWithoutResponse]),
      permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
    {
      return false
    }
    return true
  }

  /// Its current state.
  func snapshot(identifier: LocalCharacteristicIdentifier) -> LocalCharacteristic {
    let properties = effectiveProperties
    let isProtected = !self.properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
    return LocalCharacteristic(
      identifier: identifier, uuid: uuid.value, properties: properties,
      permissions: LocalPermissions(
        read: demand(.readable, encrypted: .readEncryptionRequired),
        write: demand(.writeable, encrypted: .writeEncryptionRequired)),
      subscription: isProtected ? .encryption : .none,
      value: value.map { [UInt8]($0) },
      descriptors: (descriptors ?? []).compactMap { $0 as? CBMutableDescriptor }.map { descriptor in
        LocalDescriptor(uuid: descriptor.uuid.value, value: descriptor.octets)
      })
  }

  /// The bits of the declaration: a notification that requires encryption is a notification.
  private var effectiveProperties: UInt8 {
    var properties = self.properties
    if properties.contains(.notifyEncryptionRequired) { properties.insert(.notify) }
    if properties.contains(.indicateEncryptionRequired) { properties.insert(.indicate) }
    return UInt8(truncatingIfNeeded: properties.rawValue)
  }

  private func demand(
    _ open: CBAttributePermissions, encrypted: CBAttributePermissions
  ) -> SecurityDemand? {
    if permissions.contains(encrypted) { return .encryption }
    return permissions.contains(open) ? SecurityDemand.none : nil
  }
}
