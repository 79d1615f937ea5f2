import BLEAdapter
import BLECore

extension BlueZPeripheral: CharacteristicRequests {
  /// How many requests may wait for the program; the daemon itself allows one for each link and attribute.
  private static let transactionLimit = 1024
  /// The ATT MTU of a link on which none was exchanged (Core, Vol 3 Part G 5.2.1).
  private static let smallestMTU = 23
  /// The longest notification with that MTU, in octets.
  static let smallestUpdate = smallestMTU - 3

  func characteristic(_ object: CharacteristicObject, didReceive request: BusRequest) {
    switch request.member {
    case "ReadValue": read(object, request)
    case "WriteValue": write(object, request)
    case "StartNotify":
      request.answer()
      subscribe(object)
    case "StopNotify":
      request.answer()
      unsubscribe(object)
    // The confirmation of an indication, for which nothing waits.
    case "Confirm": request.answer()
    default: request.refuse(BusError("org.bluez.Error.NotSupported", "There is no \(request.member)."))
    }
  }

  private func read(_ object: CharacteristicObject, _ request: BusRequest) {
    let options = RequestOptions(request.arguments.first)
    let characteristic = object.characteristic
    guard characteristic.permissions.read != nil else { return request.refuse(BusError(attributeCode: 0x02)) }
    let central = central(options)
    if let value = characteristic.value { return request.answer(value, from: options.offset) }
    guard let central, let events, let transaction = keep(request) else {
      return request.refuse(BusError(attributeCode: 0x0E))
    }
    events.peripheral(
      didReceiveRead: transaction, of: characteristic.identifier, offset: options.offset, from: central)
  }

  private func write(_ object: CharacteristicObject, _ request: BusRequest) {
    guard let value = request.arguments.first?.octetsValue else {
      return request.refuse(BusError(attributeCode: 0x0D))
    }
    let options = RequestOptions(request.arguments.dropFirst().first)
    let characteristic = object.characteristic
    guard characteristic.permissions.write != nil else { return request.refuse(BusError(attributeCode: 0x03)) }
    if options.isAuthorization { return request.answer() }
    guard let central = central(options), let events else { return request.refuse(BusError(attributeCode: 0x0E)) }
    let part = LocalWrite(characteristic: characteristic.identifier, offset: options.offset, value: value[...])
    if options.isCommand {
      request.answer()
      let unanswered = TransactionIdentifier(rawValue: nextTransaction)
      nextTransaction += 1
      return events.peripheral(didReceiveWrites: unanswered, [part], needsResponse: false, from: central)
    }
    guard let transaction = keep(request) else { return request.refuse(BusError(attributeCode: 0x0E)) }
    events.peripheral(didReceiveWrites: transaction, [part], needsResponse: true, from: central)
  }

  private func keep(_ request: BusRequest) -> TransactionIdentifier? {
    guard transactions.count < Self.transactionLimit else { return nil }
    let transaction = TransactionIdentifier(rawValue: nextTransaction)
    nextTransaction += 1
    transactions[transaction] = request
    return transaction
  }

  func respond(to transaction: TransactionIdentifier, result: UInt8, value: [UInt8]) {
    guard let request = transactions.removeValue(forKey: transaction) else { return }
    if result != 0 {
      request.refuse(BusError(attributeCode: result))
    } else if request.member == "ReadValue" {
      request.answer([.octets(value)])
    } else {
      request.answer()
    }
  }

  // MARK: Centrals

  /// The requesting central; `nil` where the daemon names an unknown device.
  private func central(_ options: RequestOptions) -> RemoteCentral? {
    guard let device = options.device else { return likelyCentral }
    guard let peer = environment.peer(of: device) else { return nil }
    let before = centrals[device]
    let length = max(
      (options.mtu ?? Self.smallestMTU) - 3,
      before?.identifier == peer.identifier ? before?.maximumUpdateValueLength ?? 0 : 0)
    let central = RemoteCentral(identifier: peer.identifier, maximumUpdateValueLength: length)
    centrals[device] = central
    lastCentral = central
    if let before, before.identifier == central.identifier, before != central {
      events?.peripheral(didUpdate: central)
    }
    return central
  }

  /// The central assumed where the daemon names none: the only connected device, otherwise the one that made the last request.
  private var likelyCentral: RemoteCentral? {
    let connected = environment.connectedDevices
    if connected.count == 1, let peer = connected.first {
      return centrals.values.first { $0.identifier == peer.identifier }
        ?? RemoteCentral(identifier: peer.identifier, maximumUpdateValueLength: Self.smallestUpdate)
    }
    if let lastCentral, connected.contains(where: { $0.identifier == lastCentral.identifier }) { return lastCentral }
    return connected.first.map {
      RemoteCentral(identifier: $0.identifier, maximumUpdateValueLength: Self.smallestUpdate)
    }
  }

  // MARK: Subscriptions

  /// The daemon does not say which central subscribes, and reports only the last unsubscription: so a characteristic has at most one
  /// subscriber.
  private func subscribe(_ object: CharacteristicObject) {
    let identifier = object.characteristic.identifier
    object.isNotifying = true
    guard subscribers[identifier] == nil, let central = likelyCentral else { return }
    subscribers[identifier] = central
    events?.peripheral(didSubscribe: central, to: identifier)
  }

  private func unsubscribe(_ object: CharacteristicObject) {
    let identifier = object.characteristic.identifier
    object.isNotifying = false
    guard let central = subscribers.removeValue(forKey: identifier) else { return }
    events?.peripheral(didUnsubscribe: central, from: identifier)
  }

  func update(
    _ value: ArraySlice<UInt8>, of characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]?,
    sent: @escaping () -> Void
  ) {
    guard let bus = environment.bus, let object = object(of: characteristic), object.isNotifying else {
      return environment.later(sent)
    }
    // The daemon sends to all subscribers. A value for some of them is sent only where no others can be connected.
    if let centrals, !environment.connectedDevices.allSatisfy({ centrals.contains($0.identifier) }) {
      environment.log.log(
        .warning, "BlueZ sends to all subscribers: a value for some of the connected centrals is not sent")
      return environment.later(sent)
    }
    bus.emitChanges(of: BlueZName.gattCharacteristic, at: object.path, ["Value": .octets(Array(value))])
    pacing.add(sent, on: bus)
  }
}

/// Reports when the daemon has read the values sent to it: when it has answered a `Ping` that was sent after them. One `Ping` is under way
/// at a time, for any number of values.
struct UpdatePacing {
  private final class Queue {
    /// The callbacks before, and after, the `Ping` under way.
    var pending: [() -> Void] = []
    var waiting: [() -> Void] = []
    var ping: BusCall?

    func sendPing(_ bus: MessageBus) {
      pending = waiting
      waiting = []
      ping = bus.call(
        "Ping", of: "org.freedesktop.DBus.Peer", at: "/org/bluez", on: BlueZName.service, timeout: .seconds(25)
      ) { [weak self, weak bus] _ in
        guard let self else { return }
        self.ping = nil
        let sent = self.pending
        self.pending = []
        if !self.waiting.isEmpty, let bus { self.sendPing(bus) }
        for sent in sent { sent() }
      }
    }
  }

  private var queue = Queue()

  func add(_ sent: @escaping () -> Void, on bus: MessageBus) {
    queue.waiting.append(sent)
    if queue.ping == nil { queue.sendPing(bus) }
  }

  /// Discards the callbacks.
  mutating func drop() {
    queue.ping?.cancel()
    queue = Queue()
  }
}
