import BLEAdapter
import BLECore
import BLEWire

/// One peripheral of the process: its services in the shared database, its advertisement, and its subscribers.
final class HostPeripheral: PeripheralRole, StateListener {
  /// A published characteristic of this role.
  private final class Characteristic {
    let identifier: LocalCharacteristicIdentifier
    var value: AttributeHandle
    var subscribers: [GATTServerLink] = []

    init(identifier: LocalCharacteristicIdentifier, value: AttributeHandle) {
      self.identifier = identifier
      self.value = value
    }
  }

  private let stack: HostStack
  private weak var events: (any PeripheralEvents)?
  var reportedState: AdapterState?
  private var services: [(identifier: LocalServiceIdentifier, published: PublishedService)] = []
  private let characteristics = SortedTable<UInt32, Characteristic>()
  /// The open channels of centrals to this role.
  private var channels: [L2CAPChannel] = []

  init(stack: HostStack, events: any PeripheralEvents) {
    self.stack = stack
    self.events = events
  }

  // MARK: State

  func report(_ state: AdapterState) { events?.peripheral(didUpdateState: state) }

  func adapterWasLost() {
    services = []
    characteristics.removeAll()
    channels = []
  }

  // MARK: Services

  func add(_ service: LocalService, _ completion: @escaping (Result<LocalServiceIdentifier, PublishError>) -> Void) {
    let result = publish(service)
    stack.later { completion(result) }
  }

  private func publish(_ service: LocalService) -> Result<LocalServiceIdentifier, PublishError> {
    guard stack.isRunning else { return .failure(.notPoweredOn) }
    if LocalServer.isReserved(service.uuid) { return .failure(.uuidNotAllowed) }
    var included: [PublishedService] = []
    for identifier in service.included {
      let published = stack.peripherals.lazy.compactMap { $0.publishedService(identifier) }.first
      guard let published else { return .failure(.unknownService) }
      included.append(published)
    }
    guard let published = stack.server.gatt.publish(service, including: included, application: self) else {
      return .failure(.outOfSpace)
    }
    if let place = service.place, published.handles.lowerBound != place {
      stack.log.log(.notice, "service \(service.uuid) could not be published at its previous handle \(place)")
    }
    let identifier = stack.takeServiceIdentifier()
    services.append((identifier, published))
    for (characteristic, handle) in published.values {
      characteristics[characteristic.rawValue] = Characteristic(identifier: characteristic, value: handle)
    }
    return .success(identifier)
  }

  func publishedService(_ identifier: LocalServiceIdentifier) -> PublishedService? {
    services.first { $0.identifier == identifier }?.published
  }

  func remove(_ service: LocalServiceIdentifier) {
    guard let index = services.firstIndex(where: { $0.identifier == service }) else { return }
    let published = services.remove(at: index).published
    stack.server.gatt.remove(published)
    for identifier in published.values.keys { characteristics[identifier.rawValue] = nil }
  }

  func place(of service: LocalServiceIdentifier) -> AttributeHandle? { publishedService(service)?.handles.lowerBound }

  func removeAllServices() { for service in services.map(\.identifier) { remove(service) } }

  // MARK: Advertising

  func startAdvertising(_ content: LocalAdvertisement, _ completion: @escaping (PublishError?) -> Void) {
    let stack = stack
    guard stack.isRunning else { return stack.later { completion(.notPoweredOn) } }
    stack.startAdvertising(content, by: ObjectIdentifier(self)) { error in
      if error == nil, stack.options.nameFollowsAdvertisement, let name = content.localName {
        stack.server.setName(name)
      }
      stack.later { completion(error) }
    }
  }

  func stopAdvertising() { stack.advertisingInput(.stop(by: ObjectIdentifier(self))) }

  // MARK: Values

  func update(
    _ value: ArraySlice<UInt8>, of characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]?,
    sent: @escaping () -> Void
  ) {
    guard let published = characteristics[characteristic.rawValue] else { return stack.later(sent) }
    var subscribers = published.subscribers
    if let centrals { subscribers.removeAll { $0.peer.map { !centrals.contains($0) } ?? true } }
    guard let first = subscribers.first else { return stack.later(sent) }
    if subscribers.count == 1 {
      if !first.update(published.value, value, sent: sent) { stack.later(sent) }
      return
    }
    let rest = Countdown(subscribers.count, sent)
    for subscriber in subscribers {
      if !subscriber.update(published.value, value, sent: { rest.step() }) { stack.later { rest.step() } }
    }
  }

  func respond(to transaction: TransactionIdentifier, result: UInt8, value: [UInt8]) {
    stack.server.gatt.respond(
      to: transaction.rawValue, error: result == 0 ? nil : ATTErrorCode(rawValue: result), value: value)
  }

  func setDesiredLatency(_ latency: ConnectionLatency, for central: PeerIdentifier) {
    guard let peer = stack.directory.peer(central), let connection = stack.connections[peer.address],
      connection.role == .peripheral, connection.isUp
    else { return }
    connection.channels?.requestConnectionParameters(LinkPolicy.parameters(for: latency)) { _ in }
  }

  // MARK: Channels

  func publishChannel(
    demand: SecurityDemand, _ completion: @escaping (Result<ProtocolServiceMultiplexer, PublishError>) -> Void
  ) {
    let result: Result<ProtocolServiceMultiplexer, PublishError>
    if !stack.isRunning {
      result = .failure(.notPoweredOn)
    } else if let multiplexer = stack.publishedChannels.publish(for: self, demand: demand) {
      result = .success(multiplexer)
    } else {
      result = .failure(.outOfSpace)
    }
    stack.later { completion(result) }
  }

  func unpublishChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping (Bool) -> Void) {
    let wasPublished = stack.publishedChannels.unpublish(multiplexer, of: self)
    stack.later { completion(wasPublished) }
  }

  func channelOpened(_ channel: L2CAPChannel, by central: RemoteCentral) {
    events?.peripheral(didOpen: channel, from: central)
    channels.removeAll { $0.isClosed }
    if channel.events != nil { channels.append(channel) }
  }

  func close() {
    stopAdvertising()
    stack.server.gatt.refuseRequests(of: self)
    removeAllServices()
    stack.publishedChannels.unpublishAll(of: self)
    for channel in channels { channel.close() }
    channels = []
    stack.peripherals.removeAll { $0 === self }
    events = nil
  }

  /// Reports a changed MTU of a central.
  func centralChanged(_ central: RemoteCentral) {
    if !services.isEmpty { events?.peripheral(didUpdate: central) }
  }
}

extension HostPeripheral: AttributeApplication {
  func read(_ request: AttributeReadRequest) {
    guard let central = request.client.remoteCentral, let events else {
      return stack.server.gatt.respond(to: request.number, error: .unlikelyError)
    }
    events.peripheral(
      didReceiveRead: TransactionIdentifier(rawValue: request.number),
      of: LocalCharacteristicIdentifier(rawValue: request.tag), offset: request.offset, from: central)
  }

  func write(_ request: AttributeWriteRequest) {
    guard let central = request.client.remoteCentral, let events else {
      return stack.server.gatt.respond(to: request.number, error: .unlikelyError)
    }
    events.peripheral(
      didReceiveWrites: TransactionIdentifier(rawValue: request.number),
      request.parts.map { part in
        LocalWrite(
          characteristic: LocalCharacteristicIdentifier(rawValue: part.tag), offset: part.offset,
          value: part.value)
      },
      needsResponse: request.needsResponse, from: central)
  }

  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {
    guard let characteristic = characteristics[tag], let central = client.remoteCentral else { return }
    var subscribers = characteristic.subscribers
    let index = subscribers.firstIndex { $0 === client }
    if configuration.isEmpty {
      guard let index else { return }
      subscribers.remove(at: index)
      characteristic.subscribers = subscribers
      // A central that reconnects before its previous link has ended has two links for a while: one of them ending does not
      // end its subscription.
      if subscribers.contains(where: { $0.peer == client.peer }) { return }
      // When the adapter is lost, roles receive only the new state.
      if stack.isRunning { events?.peripheral(didUnsubscribe: central, from: characteristic.identifier) }
    } else if index == nil {
      characteristic.subscribers = subscribers + [client]
      events?.peripheral(didSubscribe: central, to: characteristic.identifier)
    }
  }
}

/// Calls its action when `step` was called `count` times.
private final class Countdown {
  private var left: Int
  private let action: () -> Void

  init(_ count: Int, _ action: @escaping () -> Void) {
    left = count
    self.action = action
  }

  func step() {
    left -= 1
    if left == 0 { action() }
  }
}

extension HostPeripheral {
  /// The number of published services.
  var serviceCount: Int { services.count }

  /// Removes the services of one type, as the application could.
  func removeServices(of uuid: BLEUUID) {
    for service in services.filter({ $0.published.uuid == uuid }).map(\.identifier) { remove(service) }
  }

  /// All handles of the database from its services on are higher by `count` from now on.
  func handlesDidMove(by count: UInt16) {
    for index in services.indices { services[index].published = services[index].published.moved(by: count) }
    for characteristic in characteristics.values {
      characteristic.value = AttributeHandle(characteristic.value.rawValue &+ count)
      characteristic.subscribers = []
    }
  }
}
