import BLEAdapter
import BLECore
import BLEHost

/// One peripheral of the process on an adapter of the daemon: its services are registered as applications, its advertisement as one of
/// the daemon's advertisements. `Docs/bluez.md` lists what the daemon can't do for a peripheral.
final class BlueZPeripheral: PeripheralRole, StateListener {
  let environment: any PeripheralEnvironment
  private(set) weak var events: (any PeripheralEvents)?
  var reportedState: AdapterState?
  /// Called when this role ends.
  private let closed: (BlueZPeripheral) -> Void

  private let root: String
  private var nextNumber: UInt32 = 1
  private var applications: [LocalApplication] = []
  private var advertisement: AdvertisementRegistration?

  /// Requests that the program has not answered yet.
  var transactions: [TransactionIdentifier: BusRequest] = [:]
  var nextTransaction: UInt64 = 1
  /// The centrals that have made a request, by object path, with the longest notification for each.
  var centrals: [String: RemoteCentral] = [:]
  var lastCentral: RemoteCentral?
  /// The reported subscriber of each characteristic.
  var subscribers: [LocalCharacteristicIdentifier: RemoteCentral] = [:]
  var pacing = UpdatePacing()
  /// The published multiplexers, and the open channels.
  var published: [PublishedChannel] = []
  var channels: [SocketChannel] = []

  /// - Parameters:
  ///   - number: unique among the peripherals on this bus connection: the paths of the objects contain it.
  ///   - closed: called when this role ends.
  init(
    on environment: any PeripheralEnvironment, number: Int, events: any PeripheralEvents,
    closed: @escaping (BlueZPeripheral) -> Void
  ) {
    self.environment = environment
    self.events = events
    self.closed = closed
    root = "/org/swift_corebluetooth/peripheral\(number)"
  }

  private func takePath(_ kind: String) -> String {
    defer { nextNumber &+= 1 }
    return "\(root)/\(kind)\(nextNumber)"
  }

  /// The exported object of a characteristic.
  func object(of characteristic: LocalCharacteristicIdentifier) -> CharacteristicObject? {
    for application in applications {
      if let object = application.characteristics.first(where: { $0.characteristic.identifier == characteristic }) {
        return object
      }
    }
    return nil
  }

  /// Whether something is published that only paired devices may use.
  var offersProtectedValues: Bool {
    if published.contains(where: { $0.demand > .none }) { return true }
    return applications.contains { application in
      application.characteristics.contains { object in
        let characteristic = object.characteristic
        return max(
          characteristic.permissions.read ?? .none, characteristic.permissions.write ?? .none,
          characteristic.subscription) > .none
      }
    }
  }

  // MARK: State

  func report(_ state: AdapterState) { events?.peripheral(didUpdateState: state) }

  /// The daemon may still run, with its adapter switched off: so the registrations that the program has to repeat are withdrawn.
  func adapterWasLost() {
    stopAdvertising()
    for application in applications { application.unregister() }
    applications = []
    subscribers = [:]
    centrals = [:]
    lastCentral = nil
    published = []
    let open = channels
    channels = []
    for channel in open { channel.finish(.poweredOff) }
    let waiting = transactions.values
    transactions = [:]
    for request in waiting { request.refuse(BusError(BlueZName.Failure.failed, "The adapter is gone.")) }
    pacing.drop()
  }

  func close() {
    closeChannels()
    adapterWasLost()
    events = nil
    closed(self)
  }

  // MARK: Services

  func add(_ service: LocalService, _ completion: @escaping (Result<LocalServiceIdentifier, PublishError>) -> Void) {
    let identifier = LocalServiceIdentifier(rawValue: nextNumber)
    nextNumber &+= 1
    switch prepare(ApplicationService(identifier, service)) {
    case .failure(let error): environment.later { completion(.failure(error)) }
    case .success(let application): register(application, for: identifier, completion)
    }
  }

  private func register(
    _ application: LocalApplication, for identifier: LocalServiceIdentifier,
    _ completion: @escaping (Result<LocalServiceIdentifier, PublishError>) -> Void
  ) {
    application.register { [weak self, weak application] error in
      guard let self, let application, self.applications.contains(where: { $0 === application }) else {
        return completion(.failure(.notPoweredOn))
      }
      guard let error else { return completion(.success(identifier)) }
      self.applications.removeAll { $0 === application }
      application.end()
      let placed = application.services.filter { $0.handle != 0 }
      if placed.isEmpty || PublishError(error) == .notPoweredOn {
        self.environment.log.log(.notice, "the daemon refuses the service: \(error)")
        return completion(.failure(PublishError(error)))
      }
      // Where its former handles are in use by now, the service is published at others.
      for service in placed {
        service.handle = 0
        self.environment.log.log(
          .notice, "service \(service.service.uuid) could not be published at its former handles: \(error)")
      }
      switch self.make(application.services) {
      case .failure(let error): completion(.failure(error))
      case .success(let again): self.register(again, for: identifier, completion)
      }
    }
  }

  /// Makes an application of the service and of those it includes, whose former applications end.
  private func prepare(_ published: ApplicationService) -> Result<LocalApplication, PublishError> {
    guard environment.isRunning else { return .failure(.notPoweredOn) }
    // Generic Access, Generic Attribute and Human Interface Device are not allowed, as on every adapter.
    if [0x1800, 0x1801, 0x1812].contains(published.service.uuid.short) { return .failure(.uuidNotAllowed) }
    var services: [ApplicationService] = []
    for identifier in published.service.included where !services.contains(where: { $0.identifier == identifier }) {
      guard let application = application(of: identifier) else { return .failure(.unknownService) }
      services += application.services
    }
    for service in services { if let application = application(of: service.identifier) { drop(application) } }
    return make(services + [published])
  }

  private func make(_ services: [ApplicationService]) -> Result<LocalApplication, PublishError> {
    guard let bus = environment.bus, let adapter = environment.adapterPath else { return .failure(.notPoweredOn) }
    do throws(BusError) {
      let application = try LocalApplication(
        services, path: takePath("application"), on: adapter, bus: bus, owner: self)
      applications.append(application)
      return .success(application)
    } catch {
      environment.log.log(.error, "the service can't be exported to the daemon: \(error)")
      return .failure(PublishError(error))
    }
  }

  private func application(of service: LocalServiceIdentifier) -> LocalApplication? {
    applications.first { $0.services.contains { $0.identifier == service } }
  }

  private func drop(_ application: LocalApplication) {
    applications.removeAll { $0 === application }
    application.unregister()
    for object in application.characteristics { subscribers[object.characteristic.identifier] = nil }
  }

  func remove(_ service: LocalServiceIdentifier) {
    guard let application = application(of: service) else { return }
    drop(application)
    // The other services of its application remain, at the same handles.
    let rest = application.services.filter { $0.identifier != service }
    guard !rest.isEmpty, case .success(let again) = make(rest) else { return }
    register(again, for: service) { [weak self] result in
      if case .failure(let error) = result { self?.environment.log.log(.error, "included services are gone: \(error)") }
    }
  }

  func removeAllServices() {
    for application in applications { drop(application) }
  }

  func place(of service: LocalServiceIdentifier) -> AttributeHandle? {
    guard let application = application(of: service),
      let published = application.services.first(where: { $0.identifier == service })
    else { return nil }
    let handle = application.handle(of: published)
    return handle == 0 ? nil : AttributeHandle(handle)
  }

  // MARK: Advertising

  func startAdvertising(_ content: LocalAdvertisement, _ completion: @escaping (PublishError?) -> Void) {
    guard environment.isRunning, let bus = environment.bus, let adapter = environment.adapterPath else {
      return environment.later { completion(.notPoweredOn) }
    }
    if advertisement != nil { return environment.later { completion(.alreadyAdvertising) } }
    let object = AdvertisementObject(content) { [weak self] in self?.advertisementWasReleased() }
    do throws(BusError) {
      let registration = try AdvertisementRegistration(
        object, path: takePath("advertisement"), on: adapter, bus: bus)
      advertisement = registration
      registration.register { [weak self] error in
        guard let self, self.advertisement === registration else { return }
        if error != nil { self.advertisement = nil }
        if let error { self.environment.log.log(.notice, "the daemon does not advertise: \(error)") }
        completion(error.map(PublishError.init))
      }
    } catch {
      let failure = PublishError(error)
      environment.later { completion(failure) }
    }
  }

  func stopAdvertising() {
    advertisement?.unregister()
    advertisement = nil
  }

  private func advertisementWasReleased() {
    environment.log.log(.warning, "the daemon has stopped advertising")
    advertisement = nil
  }

  // MARK: Not supported by the daemon

  /// The daemon chooses connection parameters: this request is ignored.
  func setDesiredLatency(_ latency: ConnectionLatency, for central: PeerIdentifier) {}
}
