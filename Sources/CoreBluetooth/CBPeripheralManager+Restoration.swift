internal import BLEAdapter
internal import BLECore

extension CBPeripheralManager {
  /// Restores what the manager of an earlier process was doing. Its services are published again at their earlier handles,
  /// without a callback. Its links ended with that process; `didUnsubscribeFrom` is called for their subscriptions after the
  /// first state.
  func receive(_ restored: PreservedPeripheral) {
    var services: [CBMutableService?] = []
    var publications: [PeripheralManagerSession.Publication] = []
    var ended: [(RemoteCentral, LocalCharacteristicIdentifier)] = []
    for preserved in restored.services {
      guard let (service, members) = makeObjects(preserved, after: services) else {
        adapter.log.log(.error, "a preserved service \(preserved.uuid) is unusable")
        services.append(nil)
        continue
      }
      let place = preserved.handle.flatMap { $0 == 0 ? nil : AttributeHandle($0) }
      let publication = publication(of: service, members, place: place, isRestored: true)
      for (index, member) in members.enumerated() {
        for subscriber in preserved.characteristics[index].subscribers {
          member.add(object(for: subscriber.central))
          ended.append((subscriber.central, publication.characteristics[index].identifier))
        }
      }
      services.append(service)
      publications.append(publication)
    }
    let (number, delegate) = shared.withLock { state in
      state.advertisingNumber += 1
      state.isAdvertising = restored.advertisement != nil
      return (state.advertisingNumber, state.delegate)
    }
    let resumption = Carried(
      PeripheralManagerSession.Resumption(
        publications: publications, advertisement: restored.advertisement.map { ($0.content, number) }, ended: ended))
    watch?.callback("peripheralManager(_:willRestoreState:)", to: delegate)
    delegate?.peripheralManager(self, willRestoreState: dictionary(restored, services.compactMap { $0 }))
    submit { [session] in session.value.resume(resumption.value) }
  }

  /// `nil` if a program could not have published it.
  private func makeObjects(
    _ preserved: PreservedPeripheral.Service, after earlier: [CBMutableService?]
  ) -> (CBMutableService, [CBMutableCharacteristic])? {
    guard let type = BLEUUID(preserved.uuid) else { return nil }
    let members = preserved.characteristics.compactMap { $0.makeObject() }
    let included = preserved.included.compactMap { earlier.indices.contains($0) ? earlier[$0] : nil }
    guard members.count == preserved.characteristics.count, included.count == preserved.included.count else {
      return nil
    }
    let service = CBMutableService(type: CBUUID(type), primary: preserved.isPrimary)
    if !members.isEmpty { service.characteristics = members }
    if !included.isEmpty { service.includedServices = included }
    return (service, members)
  }

  /// With Apple's keys; keys without a value are absent.
  private func dictionary(_ restored: PreservedPeripheral, _ services: [CBMutableService]) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    if !services.isEmpty { dictionary[CBPeripheralManagerRestoredStateServicesKey] = services }
    if let advertisement = restored.advertisement {
      dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary
    }
    return dictionary
  }
}
