internal import BLEAdapter
internal import BLECore

/// A peripheral manager's part on the loop: its role on the stack, and the numbers of its services there. Everything on the loop.
final class PeripheralManagerSession: PeripheralEvents {
  /// Identifies a service while it is published.
  typealias ServiceNumber = UInt32

  /// A service to be published. The object is accessed on the program's side only.
  struct Publication {
    let number: ServiceNumber
    let service: Carried<CBMutableService>
    let uuid: BLEUUID
    let isPrimary: Bool
    let included: [ServiceNumber]
    let characteristics: [LocalCharacteristic]
    /// The characteristics with what only programs use, for the state that is preserved.
    let preserved: [PreservedPeripheral.Characteristic]
    /// The first handle in an earlier process.
    let place: AttributeHandle?
    /// An earlier process has published it, and its delegate was called.
    let isRestored: Bool
  }

  let adapter: any Adapter
  private let mailbox: Mailbox
  private let window: UpdateWindow
  /// The origin of the jobs of this manager's channels.
  private let origin: JobOrigin
  private(set) var role: (any PeripheralRole)?
  private(set) var published: [ServiceNumber: LocalServiceIdentifier] = [:] { didSet { preserved?.setChanged() } }
  /// Published one after the other, since a service may include an earlier one.
  private var waiting: [Publication] = []
  private var publishing: ServiceNumber?
  /// Removed before they were published.
  private var unwanted: Set<ServiceNumber> = []
  /// Counts the calls that removed everything: completions from before are ignored.
  private var generation = 0
  /// One closure for all updates.
  private let updateSent: () -> Void
  /// The latest state of the stack.
  private var state = AdapterState.unknown
  /// The preserved state of a manager with a restore identifier, and what only such a manager stores.
  var preserved: (any PreservedState)?
  var memory = PreservationMemory() { didSet { preserved?.setChanged() } }

  init(adapter: any Adapter, mailbox: Mailbox, window: UpdateWindow, origin: JobOrigin) {
    self.origin = origin
    self.adapter = adapter
    self.mailbox = mailbox
    self.window = window
    updateSent = { if window.places.giveBack() { mailbox.post(.peripheral(.readyToUpdate)) } }
  }

  /// - Parameter key: the key of the preserved state, for a manager with a restore identifier.
  func start(preservedAs key: PreservationKey?) {
    if let key { preserve(as: key) }
    role = adapter.makePeripheral(events: self)
  }

  /// Resumes what an earlier process was doing: at once if Bluetooth is on, else as soon as it is known to be.
  func resume(_ resumption: Resumption) {
    switch state {
    case .poweredOn: goOn(resumption)
    case .unknown: memory.resumption = resumption
    default: break
    }
  }

  private func goOn(_ resumption: Resumption) {
    memory.resumption = nil
    for publication in resumption.publications { add(publication) }
    if let (content, number) = resumption.advertisement { startAdvertising(content, number: number, isRestored: true) }
    for (central, characteristic) in resumption.ended { post(.unsubscribed(central, characteristic)) }
  }

  func close() {
    preserved?.end()
    preserved = nil
    forgetServices()
    role?.close()
    role = nil
  }

  func post(_ event: PeripheralManagerEvent) { mailbox.post(.peripheral(event)) }

  // MARK: Services

  func add(_ publication: Publication) {
    waiting.append(publication)
    publishNext()
  }

  private func publishNext() {
    guard let role, publishing == nil, !waiting.isEmpty else { return }
    let publication = waiting.removeFirst()
    let included = publication.included.compactMap { published[$0] }
    guard included.count == publication.included.count else {
      finish(publication, .failure(.unknownService))
      return
    }
    publishing = publication.number
    let service = LocalService(
      uuid: publication.uuid, isPrimary: publication.isPrimary, included: included,
      characteristics: publication.characteristics, place: publication.place)
    let generation = generation
    role.add(service) { result in
      guard self.generation == generation else { return }
      self.publishing = nil
      self.finish(publication, result)
    }
  }

  private func finish(_ publication: Publication, _ result: Result<LocalServiceIdentifier, PublishError>) {
    let isUnwanted = unwanted.remove(publication.number) != nil
    if case .success(let identifier) = result {
      if isUnwanted {
        role?.remove(identifier)
      } else {
        published[publication.number] = identifier
        if preserved != nil { memory.publications[publication.number] = publication }
      }
    }
    if !publication.isRestored || result.failure != nil {
      post(.added(publication.service.value, result.failure.map { CBError($0) }))
    }
    publishNext()
  }

  func remove(_ number: ServiceNumber) {
    if let identifier = published.removeValue(forKey: number) {
      forget(number)
      role?.remove(identifier)
    } else if pending.contains(number) {
      unwanted.insert(number)
    }
  }

  func removeAllServices() {
    unwanted.formUnion(pending)
    published = [:]
    memory.publications = [:]
    memory.subscribers = [:]
    role?.removeAllServices()
  }

  /// Not published yet. The callback follows for each when it is, even if it is to be removed at once.
  private var pending: [ServiceNumber] { waiting.map(\.number) + (publishing.map { [$0] } ?? []) }

  private func forgetServices() {
    generation += 1
    publishing = nil
    published = [:]
    waiting = []
    unwanted = []
    memory.publications = [:]
    memory.subscribers = [:]
  }

  // MARK: Advertising

  func startAdvertising(_ content: LocalAdvertisement, number: Int, isRestored: Bool = false) {
    memory.advertisingNumber = number
    role?.startAdvertising(content) { error in
      if error == nil, self.preserved != nil, self.memory.advertisingNumber == number {
        self.memory.advertisement = content
      }
      // A start whose success the earlier process received is reported again only if it fails.
      if !isRestored || error != nil { self.post(.startedAdvertising(number: number, error)) }
    }
  }

  func stopAdvertising() {
    memory.advertisingNumber = nil
    memory.advertisement = nil
    role?.stopAdvertising()
  }

  // MARK: Values

  /// The program has taken a place of the window for each.
  func sendUpdates() {
    window.batches.passOn { value, destination in
      role?.update(value, of: destination.characteristic, centrals: destination.centrals, sent: updateSent)
    }
  }

  func respond(to transaction: TransactionIdentifier, result: UInt8, value: [UInt8]) {
    role?.respond(to: transaction, result: result, value: value)
  }

  func setDesiredLatency(_ latency: ConnectionLatency, for central: PeerIdentifier) {
    role?.setDesiredLatency(latency, for: central)
  }

  // MARK: Channels

  func publishChannel(demand: SecurityDemand) {
    role?.publishChannel(demand: demand) { result in
      switch result {
      case .success(let multiplexer): self.post(.publishedChannel(multiplexer.rawValue, nil))
      case .failure(let error): self.post(.publishedChannel(0, CBError(error)))
      }
    }
  }

  func unpublishChannel(_ multiplexer: CBL2CAPPSM) {
    role?.unpublishChannel(ProtocolServiceMultiplexer(multiplexer)) { wasPublished in
      self.post(.unpublishedChannel(multiplexer, wasPublished ? nil : CBError(describing: .invalidParameters)))
    }
  }

  // MARK: Events of the stack

  func peripheral(didUpdateState state: AdapterState) {
    self.state = state
    let resumption = memory.resumption
    if state != .poweredOn {
      forgetServices()
      memory = PreservationMemory()
      window.places.reset()
      mailbox.forgetSwitches()
    }
    post(.state(state))
    if state == .poweredOn, let resumption { goOn(resumption) }
  }

  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral
  ) {
    postRequest(transaction, .read(transaction, characteristic, offset: offset, central))
  }

  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral
  ) {
    let event = PeripheralManagerEvent.writes(transaction, writes, needsResponse: needsResponse, central)
    if needsResponse { postRequest(transaction, event) } else { mailbox.offer(.peripheral(event), log: adapter.log) }
  }

  /// The peer waits for the response. If too many events wait for the program, the request is refused.
  private func postRequest(_ transaction: TransactionIdentifier, _ event: PeripheralManagerEvent) {
    if mailbox.post(.peripheral(event), ifFewerWaitThan: Mailbox.requestBacklog) { return }
    role?.respond(to: transaction, result: UInt8(CBATTError.Code.insufficientResources.rawValue), value: [])
  }

  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) {
    if preserved != nil { memory.subscribers[characteristic, default: []].append(central) }
    post(.subscribed(central, characteristic), switching: characteristic, by: central, isOn: true)
  }

  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {
    if preserved != nil {
      memory.subscribers[characteristic]?.removeAll { $0.identifier == central.identifier }
    }
    post(.unsubscribed(central, characteristic), switching: characteristic, by: central, isOn: false)
  }

  private func post(
    _ event: PeripheralManagerEvent, switching characteristic: LocalCharacteristicIdentifier, by central: RemoteCentral,
    isOn: Bool
  ) {
    mailbox.post(.peripheral(event), switching: .subscription(central.identifier, characteristic), isOn: isOn)
  }

  /// If there is no room for it, the central's next event has the same content.
  func peripheral(didUpdate central: RemoteCentral) {
    mailbox.post(.peripheral(.updated(central)), ifFewerWaitThan: Mailbox.peerBacklog)
  }

  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {
    // A channel that is not accepted is closed.
    guard mailbox.hasRoom(below: Mailbox.channelBacklog) else { return }
    post(.openedChannel(ChannelPipe(channel, loop: adapter.loop, origin: origin, log: adapter.log), central))
  }
}
