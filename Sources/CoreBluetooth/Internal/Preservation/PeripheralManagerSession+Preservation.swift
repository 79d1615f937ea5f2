internal import BLEAdapter
internal import BLECore

/// State of a session that is needed only for preservation.
struct PreservationMemory {
  var publications: [PeripheralManagerSession.ServiceNumber: PeripheralManagerSession.Publication] = [:]
  var subscribers: [LocalCharacteristicIdentifier: [RemoteCentral]] = [:]
  var advertisement: LocalAdvertisement?
  /// The number of the call that started the advertisement, or is about to.
  var advertisingNumber: Int?
  /// Waits for the stack's first state.
  var resumption: PeripheralManagerSession.Resumption?
}

extension PeripheralManagerSession {
  /// What an earlier process was doing, and this one resumes.
  struct Resumption {
    let publications: [Publication]
    let advertisement: (content: LocalAdvertisement, number: Int)?
    /// The subscriptions of links that ended with that process.
    let ended: [(RemoteCentral, LocalCharacteristicIdentifier)]
  }

  /// Reads what an earlier process left under `key`, and preserves from now on what this manager does. Before the role is made,
  /// so that the restored state is delivered first.
  func preserve(as key: PreservationKey) {
    guard let state = adapter.preserveState(of: key) else { return }
    let left: PreservedPeripheral? = state.decodeLeft()
    state.source = { [weak self] in
      guard let current = self?.current, !current.isEmpty else { return nil }
      return StateCoding.encode(current)
    }
    preserved = state
    if let left, !left.isEmpty { post(.restored(left)) }
  }

  /// The service is no longer published.
  func forget(_ number: ServiceNumber) {
    guard let publication = memory.publications.removeValue(forKey: number) else { return }
    for characteristic in publication.characteristics { memory.subscribers[characteristic.identifier] = nil }
  }

  /// The state to preserve.
  private var current: PreservedPeripheral {
    let publications = memory.publications.values.sorted { $0.number < $1.number }
    var places: [ServiceNumber: Int] = [:]
    for (index, publication) in publications.enumerated() { places[publication.number] = index }
    let services = publications.map { publication in
      let characteristics = zip(publication.preserved, publication.characteristics).map { preserved, local in
        var preserved = preserved
        preserved.subscribers = (memory.subscribers[local.identifier] ?? []).map { .init($0) }
        return preserved
      }
      let handle = published[publication.number].flatMap { role?.place(of: $0) }
      return PreservedPeripheral.Service(
        uuid: publication.uuid.description, isPrimary: publication.isPrimary,
        included: publication.included.compactMap { places[$0] }, characteristics: characteristics,
        handle: handle?.rawValue)
    }
    return PreservedPeripheral(services: services, advertisement: memory.advertisement.map { .init($0) })
  }
}
