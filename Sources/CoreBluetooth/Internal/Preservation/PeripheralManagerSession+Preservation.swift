internal import BLEAdapter
internal import BLECore

/// What a session has to remember only because its state is preserved.
struct PreservationMemory {
  var publications: [PeripheralManagerSession.ServiceNumber: PeripheralManagerSession.Publication] = [:]
  var subscribers: [LocalCharacteristicIdentifier: [RemoteCentral]] = [:]
  var advertisement: LocalAdvertisement?
  /// Which call has started the advertisement, or is about to.
  var advertisingNumber: Int?
  /// Waits for the stack's first state.
  var resumption: PeripheralManagerSession.Resumption?
}

extension PeripheralManagerSession {
  /// What an earlier process was doing, and this one goes on with.
  struct Resumption {
    let publications: [Publication]
    let advertisement: (content: LocalAdvertisement, number: Int)?
    /// The subscriptions of links that ended with that process.
    let ended: [(RemoteCentral, LocalCharacteristicIdentifier)]
  }

  /// Takes up what was left under `key`, and leaves from now on what this manager does. Before the role is made: what was left is
  /// told first.
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

  /// A service is not published any more.
  func forget(_ number: ServiceNumber) {
    guard let publication = memory.publications.removeValue(forKey: number) else { return }
    for characteristic in publication.characteristics { memory.subscribers[characteristic.identifier] = nil }
  }

  /// What there is to leave now.
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
