internal import BLEAdapter
internal import BLECore

/// The peripheral role: publishes services, advertises them, and answers centrals.
///
/// The delegate is called on the queue passed to the initializer, in order, and never inside a call of the program. When the
/// manager is released, its advertising ends, and its services are removed.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBPeripheralManager: CBManager {
  struct State {
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var isAdvertising = false
    /// Counts the calls that stop advertising: the completion of a start before the latest of them does not describe the current state.
    var advertisingNumber = 0
    var database = LocalDatabase()
  }

  let shared: Locked<State>
  let session: LoopBound<PeripheralManagerSession>
  let window = UpdateWindow()
  let centrals = PeerTable<CBCentral>()

  /// Unavailable. Without it the compiler adds a designated initializer that only this module sees, and a subclass of a class
  /// with such an initializer does not inherit the two initializers below.
  @available(*, unavailable)
  override convenience init(adapter: any Adapter, origin: JobOrigin, powerAlert: Bool, watch: ProgramWatch?) {
    raise("A manager is made with a delegate, a queue and options")
  }

  /// A manager without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// Without options. If `queue` is `nil`, the delegate is called on the main queue.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager that publishes and advertises; the delegate is notified of its first state.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  ///
  /// - Parameters:
  ///   - delegate: receives the events; held weakly.
  ///   - queue: the queue on which the delegate is called; `nil` for the main queue.
  ///   - options: see `CBPeripheralManagerOptionShowPowerAlertKey`, `CBPeripheralManagerOptionRestoreIdentifierKey` and, on
  ///     Linux only, `CBManagerOptionAdapterKey`.
  public init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil
  ) {
    let adapter = ManagerAdapter.adapter(options)
    let mailbox = Mailbox(queue: queue ?? .main, loop: adapter.loop)
    shared = Locked(State(delegate: delegate))
    let origin = adapter.loop.makeOrigin()
    let watch = ProgramWatch.make(.peripheral, on: adapter)
    watch?.call(
      ProgramSubject(
        arguments: [
          ProgramArgument("delegate", delegate == nil ? "nil" : "set"), ProgramArgument("queue", queue?.label ?? "nil"),
        ] + ProgramArgument.entries(options)))
    session = LoopBound(PeripheralManagerSession(adapter: adapter, mailbox: mailbox, window: window, origin: origin))
    super.init(
      adapter: adapter, origin: origin,
      powerAlert: options?.flag(CBPeripheralManagerOptionShowPowerAlertKey) ?? false, watch: watch)
    mailbox.receiver = self
    let key = PreservationKey(.peripheral, options?[CBPeripheralManagerOptionRestoreIdentifierKey])
    submit { [session] in session.value.start(preservedAs: key) }
  }

  deinit {
    watch?.call(name: "deinit")
    forgetServices()
    submit { [session] in session.value.close() }
  }

  /// Receives the manager's events.
  open weak var delegate: (any CBPeripheralManagerDelegate)? {
    get { shared.withLock { $0.delegate } }
    set {
      watch?.call(ProgramSubject(arguments: [ProgramArgument("delegate", newValue == nil ? "nil" : "set")]))
      shared.withLock { $0.delegate = newValue }
    }
  }

  /// True from the success of `startAdvertising(_:)` to `stopAdvertising()`.
  open var isAdvertising: Bool { shared.withLock { $0.isAdvertising } }

  /// Whether the program may use Bluetooth: the older form of `CBManager.authorization`.
  ///
  /// Availability: iOS 7.0, macOS 10.9; deprecated in iOS 13.0, macOS 10.15.
  @available(*, deprecated, message: "Use CBManagerAuthorization")
  @discardableResult
  open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
    authorization == .denied ? .denied : .authorized
  }

  /// Advertises `CBAdvertisementDataLocalNameKey` and `CBAdvertisementDataServiceUUIDsKey` of the dictionary and nothing else;
  /// `peripheralManagerDidStartAdvertising(_:error:)` follows.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    watch?.call(ProgramSubject(arguments: ProgramArgument.entries(advertisementData)))
    guard isReadyForCommands() else { return }
    let services = advertisementData?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
    let content = LocalAdvertisement(
      localName: advertisementData?[CBAdvertisementDataLocalNameKey] as? String,
      serviceUUIDs: services?.map(\.value) ?? [])
    let number = shared.withLock { $0.advertisingNumber }
    submit { [session] in session.value.startAdvertising(content, number: number) }
  }

  /// Ends advertising; connections continue.
  open func stopAdvertising() {
    watch?.call()
    guard isReadyForCommands() else { return }
    shared.withLock { state in
      state.isAdvertising = false
      state.advertisingNumber += 1
    }
    submit { [session] in session.value.stopAdvertising() }
  }

  /// Requests the connection parameters for `latency` from `central`; a hint.
  open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
    watch?.call(
      ProgramSubject(peer: central.peerIdentifier, arguments: [ProgramArgument("latency", "\(latency.rawValue)")]))
    guard isReadyForCommands(), let latency = ConnectionLatency(rawValue: latency.rawValue) else { return }
    submit { [session, identifier = central.peerIdentifier] in
      session.value.setDesiredLatency(latency, for: identifier)
    }
  }

  /// Publishes a service with its characteristics as they are now; `peripheralManager(_:didAdd:error:)` follows.
  ///
  /// A service that is already published, or a characteristic that has a fixed value and is not read-only, ends the program, as
  /// on Apple's systems. Properties without the matching permission fail with `CBError.invalidParameters`.
  open func add(_ service: CBMutableService) {
    watch?.call(
      ProgramSubject(
        attribute: service,
        arguments: [
          ProgramArgument("primary", "\(service.isPrimary)"),
          ProgramArgument.services("characteristics", (service.characteristics ?? []).map(\.uuid)),
        ]))
    guard isReadyForCommands() else { return }
    publish(service)
  }

  /// Removes a service; does nothing if it is not published.
  open func remove(_ service: CBMutableService) {
    watch?.call(ProgramSubject(attribute: service))
    guard isReadyForCommands(), let number = forget(service) else { return }
    submit { [session] in session.value.remove(number) }
  }

  /// Removes all services of this manager.
  open func removeAllServices() {
    watch?.call()
    guard isReadyForCommands() else { return }
    forgetServices()
    submit { [session] in session.value.removeAllServices() }
  }

  /// Responds to a read, or to a batch of writes by its first request. Each is answered once; later responses are ignored.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    if let watch {
      var subject = request.subject
      subject.arguments.append(ProgramArgument("result", "\(result.rawValue)"))
      watch.call(subject)
    }
    guard isReadyForCommands() else { return }
    // The numbers of requests differ between adapters: the response would belong to another request.
    guard request.central.isVended(by: centrals) else {
      watch?.misuse(.foreignRequest, request.subject, in: "respond(to:withResult:)")
      return adapter.log.misuse("\(request) is not a request to <\(nameAndAddress)>")
    }
    // The response to a write has no value.
    let value = result == .success && request.isRead ? request.value?.octets ?? [] : []
    let code = UInt8(exactly: result.rawValue) ?? UInt8(CBATTError.Code.unlikelyError.rawValue)
    submit { [session, transaction = request.transaction] in
      session.value.respond(to: transaction, result: code, value: value)
    }
  }

  /// Sends a value to the subscribed centrals: to all of them, or to those of `centrals`.
  ///
  /// - Returns: false if too many values are waiting: nothing was sent, and `peripheralManagerIsReady(toUpdateSubscribers:)`
  ///   follows when there is space again.
  @discardableResult
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard let watch else { return update(value, characteristic, centrals) }
    let receivers = centrals ?? characteristic.subscribedCentrals ?? []
    var subject = ProgramSubject(
      attribute: characteristic, octets: value.count, capacity: receivers.map(\.maximumUpdateValueLength).min())
    watch.call(subject)
    let isSent = update(value, characteristic, centrals)
    subject.arguments = [ProgramArgument("result", "\(isSent)")]
    watch.result(subject, of: "updateValue(_:for:onSubscribedCentrals:)")
    return isSent
  }

  private func update(
    _ value: Data, _ characteristic: CBMutableCharacteristic, _ centrals: [CBCentral]?
  ) -> Bool {
    let name = "updateValue(_:for:onSubscribedCentrals:)"
    guard isReadyForCommands(name: name) else { return false }
    guard let identifier = shared.withLock({ $0.database.identifier(of: characteristic) }) else {
      watch?.misuse(.notPublished, ProgramSubject(attribute: characteristic, octets: value.count), in: name)
      adapter.log.misuse("\(characteristic) is not published by <\(nameAndAddress)>")
      return false
    }
    if !characteristic.hasSubscribers { return true }
    guard window.places.takeIfOpen() else { return false }
    let destination = UpdateWindow.Destination(characteristic: identifier, centrals: centrals?.map(\.peerIdentifier))
    window.batches.add(value, length: value.count, for: destination) {
      super.submit { [session] in session.value.sendUpdates() }
    }
    return true
  }

  override func submit(_ job: @escaping @Sendable () -> Void) {
    window.batches.endBatch()
    super.submit(job)
  }

  /// Lets centrals open channels; `peripheralManager(_:didPublishL2CAPChannel:error:)` follows with the PSM, 0x0080 to 0x00FF.
  /// The program has to make the PSM known: by convention in the characteristic `CBUUIDL2CAPPSMCharacteristicString`. Channels
  /// are delivered to `peripheralManager(_:didOpen:error:)`.
  ///
  /// Availability: iOS 11.0, macOS 10.14.
  /// - Parameter encryptionRequired: whether the link must be encrypted.
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    watch?.call(ProgramSubject(arguments: [ProgramArgument("encryptionRequired", "\(encryptionRequired)")]))
    guard isReadyForCommands() else { return }
    submit { [session] in session.value.publishChannel(demand: encryptionRequired ? .encryption : .none) }
  }

  /// Withdraws a PSM; open channels remain. `peripheralManager(_:didUnpublishL2CAPChannel:error:)` follows.
  ///
  /// Availability: iOS 11.0, macOS 10.14.
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    watch?.call(ProgramSubject(arguments: [ProgramArgument("PSM", "\(PSM)")]))
    guard isReadyForCommands() else { return }
    submit { [session] in session.value.unpublishChannel(PSM) }
  }
}
