import CoreBluetooth

/// The state of a `PeripheralSession`, used on its queue only.
package final class PeripheralCore: NSObject, CBPeripheralManagerDelegate {
  private struct Published {
    let path: CharacteristicPath
    let declaration: CharacteristicDeclaration
    let characteristic: CBMutableCharacteristic
  }

  private struct Push {
    let value: Data
    let path: CharacteristicPath
    let centrals: Set<UUID>?
    let reply: Reply<Void>
  }

  // The delegate has to exist when the manager is created, for `willRestoreState`; so the manager is created after `self`.
  private(set) var manager: CBPeripheralManager!
  private let declarations: [ServiceDeclaration]
  private var published: [Published] = []
  /// The number of services whose `didAdd` callback is outstanding.
  private var unanswered = 0
  private var isPublished = false
  /// Whether the system has restored services of an earlier process of this program.
  private var hasInherited = false
  private var plan: AdvertisingPlan?
  /// Whether services and advertising were requested: then they are restored after power-off.
  private var isWanted = false
  private var starters: [Reply<Void>] = []
  private var pushes: [Push] = []
  /// The channels that are being published, in the order of the calls, which is that of the answers.
  var publications: [ChannelPublication] = []
  /// What is called with the channels that centrals open, by PSM.
  var channelHandlers: [CBL2CAPPSM: (OpenedChannel) -> Void] = [:]
  let events = Broadcast<PeripheralEvent>()
  package var observers: [(PeripheralEvent) -> Void] = []

  package init(queue: DispatchQueue, services: [ServiceDeclaration], options: [String: Any]?, clock: any SessionClock) {
    declarations = services
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  package var state: CBManagerState { manager.state }

  private func emit(_ event: PeripheralEvent) {
    for tell in observers { tell(event) }
    events.send(event)
  }

  package func start(_ plan: AdvertisingPlan?, _ reply: Reply<Void>) {
    isWanted = true
    self.plan = plan
    starters.append(reply)
    switch manager.state {
    case .poweredOn: publish()
    case .unknown, .resetting: break
    default: fail(.unavailable(manager.state))
    }
  }

  private func publish() {
    guard isWanted, unanswered == 0 else { return }
    guard !isPublished else { return advertise() }
    if hasInherited {
      // Restored services have no handlers in this process.
      hasInherited = false
      manager.removeAllServices()
    }
    published = []
    unanswered = declarations.count
    // Services of one UUID are counted together, as a central does.
    var instances: [CharacteristicPath: Int] = [:]
    for declaration in declarations {
      let service = CBMutableService(type: declaration.uuid, primary: declaration.isPrimary)
      var made: [CBMutableCharacteristic] = []
      for entry in declaration.characteristics {
        let characteristic = entry.makeCharacteristic()
        var path = CharacteristicPath(entry.uuid, in: declaration.uuid)
        path.instance = instances[path, default: 0]
        instances[CharacteristicPath(entry.uuid, in: declaration.uuid), default: 0] += 1
        made.append(characteristic)
        published.append(Published(path: path, declaration: entry, characteristic: characteristic))
      }
      service.characteristics = made
      manager.add(service)
    }
    if declarations.isEmpty {
      isPublished = true
      advertise()
    }
  }

  package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    guard unanswered > 0 else { return }
    unanswered -= 1
    if let error {
      unanswered = 0
      manager.removeAllServices()
      return fail(SessionError(.refused, "service \(service.uuid.uuidString) was refused", underlying: error))
    }
    if unanswered == 0 {
      isPublished = true
      advertise()
    }
  }

  private func advertise() {
    guard let plan else { return succeed() }
    if manager.isAdvertising { manager.stopAdvertising() }
    manager.startAdvertising(plan.dictionary)
  }

  package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if let error { return fail(SessionError(.refused, "advertising was refused", underlying: error)) }
    emit(.advertising)
    succeed()
  }

  package func stopAdvertising() {
    plan = nil
    if manager.isAdvertising { manager.stopAdvertising() }
  }

  private func succeed() {
    let waiting = starters
    starters = []
    for reply in waiting { reply.succeed(()) }
  }

  private func fail(_ error: SessionError) {
    let waiting = starters
    starters = []
    if waiting.isEmpty { emit(.failed(error)) }
    for reply in waiting { reply.fail(error) }
  }

  package func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    hasInherited = true
  }

  package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    emit(.state(peripheral.state))
    guard peripheral.state != .poweredOn else { return publish() }
    // Published services are lost at power-off.
    isPublished = false
    unanswered = 0
    let waiting = pushes
    pushes = []
    for push in waiting { push.reply.fail(.unavailable(peripheral.state)) }
    loseChannels(.unavailable(peripheral.state))
    if ![.unknown, .resetting].contains(peripheral.state) { fail(.unavailable(peripheral.state)) }
  }

  package func close() {
    isWanted = false
    fail(SessionError(.cancelled, "the session was released"))
    for push in pushes { push.reply.fail(SessionError(.cancelled, "the session was released")) }
    pushes = []
    loseChannels(SessionError(.cancelled, "the session was released"))
    events.finish()
    guard manager.state == .poweredOn else { return }
    manager.stopAdvertising()
    manager.removeAllServices()
  }

  private func find(_ path: CharacteristicPath) -> Published? {
    var left = path.instance
    for entry in published where entry.path.characteristic == path.characteristic {
      guard path.service == nil || path.service == entry.path.service else { continue }
      if left == 0 { return entry }
      left -= 1
    }
    return nil
  }

  private func find(_ characteristic: CBCharacteristic) -> Published? {
    published.first { $0.characteristic === characteristic }
  }
}

extension PeripheralCore {
  package func subscribers(of path: CharacteristicPath) -> [Subscriber] {
    (find(path)?.characteristic.subscribedCentrals ?? []).map(Self.subscriber)
  }

  private static func subscriber(_ central: CBCentral) -> Subscriber {
    Subscriber(identifier: central.identifier, maximumLength: central.maximumUpdateValueLength)
  }

  package func push(_ value: Data, _ path: CharacteristicPath, _ centrals: Set<UUID>?, _ reply: Reply<Void>) {
    guard manager.state == .poweredOn else { return reply.fail(.unavailable(manager.state)) }
    guard find(path) != nil else {
      return reply.fail(SessionError(.notFound, "no characteristic \(path) is published"))
    }
    pushes.append(Push(value: value, path: path, centrals: centrals, reply: reply))
    if pushes.count == 1 { sendPushes() }
  }

  /// Pushes a value in parts that fit the subscribers, without waiting. The value is dropped if 1,000 pushes are waiting.
  package func pushInParts(_ value: Data, _ path: CharacteristicPath, _ centrals: Set<UUID>?) {
    let listeners = subscribers(of: path).filter { centrals?.contains($0.identifier) ?? true }
    guard pushes.count < 1_000, let longest = listeners.map(\.maximumLength).min(), longest > 0 else { return }
    var rest = value[...]
    repeat {
      push(Data(rest.prefix(longest)), path, centrals, Reply())
      rest = rest.dropFirst(longest)
    } while !rest.isEmpty
  }

  private func sendPushes() {
    while let push = pushes.first {
      guard push.reply.isOver || hand(push) else { return }
      if !pushes.isEmpty { pushes.removeFirst() }
    }
  }

  /// Returns `false` if there is no room; the push is repeated when there is.
  private func hand(_ push: Push) -> Bool {
    guard let characteristic = find(push.path)?.characteristic else {
      push.reply.fail(SessionError(.notFound, "characteristic \(push.path) is no longer published"))
      return true
    }
    let listeners = (characteristic.subscribedCentrals ?? []).filter { push.centrals?.contains($0.identifier) ?? true }
    if let short = listeners.map(\.maximumUpdateValueLength).min(), push.value.count > short {
      push.reply.fail(
        SessionError(
          .invalid,
          "\(push.value.count) octets are more than the \(short) that every subscriber accepts: send them in parts"))
      return true
    }
    guard listeners.isEmpty || manager.updateValue(push.value, for: characteristic, onSubscribedCentrals: listeners)
    else {
      return false
    }
    push.reply.succeed(())
    return true
  }

  package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { sendPushes() }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    guard let entry = find(characteristic) else { return }
    emit(.subscribed(Self.subscriber(central), entry.path))
  }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    guard let entry = find(characteristic) else { return }
    emit(.unsubscribed(central.identifier, entry.path))
  }

  package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard let entry = find(request.characteristic), let read = entry.declaration.read else {
      return peripheral.respond(to: request, withResult: .readNotPermitted)
    }
    switch read(AttributeAccess(central: request.central.identifier, offset: request.offset)) {
    case .refused(let code): peripheral.respond(to: request, withResult: code)
    case .value(let value) where request.offset > value.count:
      peripheral.respond(to: request, withResult: .invalidOffset)
    case .value(let value):
      request.value = Data(value.dropFirst(request.offset))
      if request.offset == 0 { emit(.read(request.central.identifier, entry.path)) }
      peripheral.respond(to: request, withResult: .success)
    }
  }

  /// A long write arrives as a batch of requests, which are combined for the handler. If a batch is for several characteristics, the first
  /// refusal is the response to all.
  package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    var writes: [(entry: Published, access: AttributeAccess, value: Data)] = []
    for request in requests {
      guard let entry = find(request.characteristic), entry.declaration.write != nil else {
        return peripheral.respond(to: first, withResult: .writeNotPermitted)
      }
      let value = request.value ?? Data()
      if let last = writes.last, last.entry.characteristic === entry.characteristic,
        request.offset == last.access.offset + last.value.count
      {
        writes[writes.count - 1].value.append(value)
      } else {
        writes.append((entry, AttributeAccess(central: request.central.identifier, offset: request.offset), value))
      }
    }
    for write in writes {
      let code = write.entry.declaration.write?(write.access, write.value) ?? .writeNotPermitted
      guard code == .success else { return peripheral.respond(to: first, withResult: code) }
    }
    for write in writes { emit(.wrote(write.access.central, write.entry.path, write.value)) }
    peripheral.respond(to: first, withResult: .success)
  }
}
