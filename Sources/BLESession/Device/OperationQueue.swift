import CoreBluetooth

/// Carries out operations on one peripheral, one at a time, in their order.
///
/// The Attribute Protocol has one request in progress at a time. Because the others are queued here, they are not lost with the link,
/// and a response always belongs to the last request.
final class Operations {
  private let queue: DispatchQueue
  private let clock: any SessionClock
  private let answerTime: Duration
  /// Operations that make the session ready: they precede all that wait.
  private var urgent: [Operation] = []
  private var waiting: [Operation] = []
  /// The index of the first element of `waiting` that was not carried out.
  private var head = 0
  private var current: Operation?
  /// When the operation in progress counts as unanswered.
  private var deadline = Duration.zero
  /// Fires when the first operation that began since it last fired would count as unanswered, whether or not that was answered meanwhile, and
  /// is set again for the operation then in progress. One timer for many operations, because another thread sets the system's.
  private var guardTimer: (any SessionTimer)?
  /// The connected peripheral; `nil` without a link.
  private var peripheral: CBPeripheral?
  private var isReady = false
  /// Called when the device did not answer in time: the link cannot be used any longer.
  var onSilence: () -> Void = {}

  init(queue: DispatchQueue, clock: any SessionClock, answerTime: Duration) {
    self.queue = queue
    self.clock = clock
    self.answerTime = answerTime
  }

  deinit { guardTimer?.cancel() }

  /// Appends an operation; an urgent one, which makes the session ready, precedes all that are not.
  func add(_ operation: Operation, isUrgent: Bool = false) {
    if isUrgent { urgent.append(operation) } else { waiting.append(operation) }
    next()
  }

  /// The attributes were discovered: urgent operations can be carried out.
  func open(_ peripheral: CBPeripheral) {
    self.peripheral = peripheral
    next()
  }

  /// The session is ready: all operations can be carried out.
  func becomeReady() {
    isReady = true
    next()
  }

  /// The attributes are no longer valid: the operation in progress and urgent ones fail, the others keep waiting.
  func close(_ error: SessionError) {
    peripheral = nil
    isReady = false
    let interrupted = [current].compactMap(\.self) + urgent
    current = nil
    urgent = []
    for operation in interrupted { operation.fail(error) }
  }

  /// Fails all operations.
  func failAll(_ error: SessionError) {
    close(error)
    let rest = waiting[head...]
    waiting = []
    head = 0
    for operation in rest { operation.fail(error) }
  }

  private func next() {
    while current == nil, peripheral != nil, let operation = first {
      if case .writeWithoutResponse = operation.kind, !operation.isOver,
        peripheral?.canSendWriteWithoutResponse == false
      {
        return
      }
      takeFirst()
      if !operation.isOver { start(operation) }
    }
  }

  private var first: Operation? {
    urgent.first ?? (isReady && head < waiting.count ? waiting[head] : nil)
  }

  private func takeFirst() {
    guard urgent.isEmpty else {
      urgent.removeFirst()
      return
    }
    head += 1
    if head > 64, head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
  }

  private func start(_ operation: Operation) {
    guard let peripheral else { return }
    switch operation.kind {
    case .read(let path, _):
      guard let found = find(path, for: operation) else { return }
      peripheral.readValue(for: found)
    case .write(let path, let data, _):
      guard let found = find(path, for: operation) else { return }
      peripheral.writeValue(data, for: found, type: .withResponse)
    case .writeWithoutResponse(let path, let data, let reply):
      guard let found = find(path, for: operation) else { return }
      guard found.properties.contains(.writeWithoutResponse) else {
        return operation.fail(
          SessionError(.notSupported, "characteristic \(found.uuid.uuidString) cannot be written without response"))
      }
      guard data.count <= peripheral.maximumWriteValueLength(for: .withoutResponse) else {
        return operation.fail(SessionError(.invalid, "\(data.count) octets do not fit into one write without response"))
      }
      peripheral.writeValue(data, for: found, type: .withoutResponse)
      return reply.succeed(())
    case .notify(let path, let isOn, let reply):
      guard let found = find(path, for: operation) else { return }
      // If the state does not change, the system may not call back.
      if found.isNotifying == isOn { return reply.succeed(()) }
      peripheral.setNotifyValue(isOn, for: found)
    case .discoverIncludedServices(let service, _):
      guard let found = service.find(in: peripheral) else { return isMissing("service \(service.uuid)", operation) }
      operation.subject = found
      peripheral.discoverIncludedServices(nil, for: found)
    case .discoverDescriptors(let path, _):
      guard let found = find(path, for: operation) else { return }
      peripheral.discoverDescriptors(for: found)
    case .readDescriptor(let path, _):
      guard let found = path.find(in: peripheral) else { return isMissing("descriptor \(path.uuid)", operation) }
      operation.subject = found
      peripheral.readValue(for: found)
    case .writeDescriptor(let path, let data, _):
      // Core Bluetooth ends a program that writes it.
      guard path.uuid != CBUUID(string: CBUUIDClientCharacteristicConfigurationString) else {
        return operation.fail(SessionError(.notSupported, "descriptor 2902 is written by subscribing"))
      }
      guard let found = path.find(in: peripheral) else { return isMissing("descriptor \(path.uuid)", operation) }
      operation.subject = found
      peripheral.writeValue(data, for: found)
    case .openChannel(let psm, _):
      operation.subject = peripheral
      peripheral.openL2CAPChannel(psm)
    }
    current = operation
    deadline = clock.now + answerTime
    if guardTimer == nil { startGuard(for: answerTime) }
  }

  private func find(_ path: CharacteristicPath, for operation: Operation) -> CBCharacteristic? {
    let found = peripheral.flatMap(path.find(in:))
    if found == nil { isMissing("characteristic \(path)", operation) }
    operation.subject = found
    return found
  }

  private func isMissing(_ attribute: String, _ operation: Operation) {
    operation.fail(SessionError(.notFound, "the device has no \(attribute)"))
  }

  private func startGuard(for time: Duration) {
    guardTimer = clock.call(after: time, on: queue) { [weak self] in self?.guardEnded() }
  }

  private func guardEnded() {
    guardTimer = nil
    guard current != nil else { return }
    let left = deadline - clock.now
    if left > .zero { return startGuard(for: left) }
    close(SessionError(.timedOut, "the device did not answer within \(answerTime)"))
    onSilence()
  }

  /// Ends the operation in progress, if the callback belongs to it.
  private func finish(_ subject: AnyObject?, _ body: (Operation.Kind) -> Bool) {
    guard let operation = current, operation.subject === subject, body(operation.kind) else { return }
    current = nil
    next()
  }
}

extension Operations {
  /// Returns whether a value is the result of a read.
  @discardableResult
  func didUpdateValue(_ characteristic: CBCharacteristic, _ error: (any Error)?) -> Bool {
    var wasRead = false
    finish(characteristic) { kind in
      guard case .read(_, let reply) = kind else { return false }
      wasRead = true
      return Self.answer(reply, characteristic.value ?? Data(), error)
    }
    return wasRead
  }

  func didWrite(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
    finish(characteristic) { kind in
      guard case .write(_, _, let reply) = kind else { return false }
      return Self.answer(reply, (), error)
    }
  }

  func didUpdateNotificationState(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
    finish(characteristic) { kind in
      guard case .notify(_, _, let reply) = kind else { return false }
      return Self.answer(reply, (), error)
    }
  }

  func didDiscoverIncludedServices(_ service: CBService, _ error: (any Error)?) {
    finish(service) { kind in
      guard case .discoverIncludedServices(_, let reply) = kind else { return false }
      return Self.answer(reply, (service.includedServices ?? []).map(\.uuid), error)
    }
  }

  func didDiscoverDescriptors(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
    finish(characteristic) { kind in
      guard case .discoverDescriptors(let path, let reply) = kind else { return false }
      let found = (characteristic.descriptors ?? []).enumerated().map { index, descriptor in
        DescriptorPath(characteristic: path, uuid: descriptor.uuid, index: index)
      }
      return Self.answer(reply, found, error)
    }
  }

  func didReadDescriptor(_ descriptor: CBDescriptor, _ error: (any Error)?) {
    finish(descriptor) { kind in
      guard case .readDescriptor(_, let reply) = kind else { return false }
      return Self.answer(reply, DescriptorValue(descriptor.value), error)
    }
  }

  func didWriteDescriptor(_ descriptor: CBDescriptor, _ error: (any Error)?) {
    finish(descriptor) { kind in
      guard case .writeDescriptor(_, _, let reply) = kind else { return false }
      return Self.answer(reply, (), error)
    }
  }

  func didOpen(_ channel: CBL2CAPChannel?, _ error: (any Error)?) {
    finish(peripheral) { kind in
      guard case .openChannel(let psm, let reply) = kind else { return false }
      guard error == nil, let channel else {
        reply.fail(SessionError(.refused, "the channel with PSM \(psm) was not opened", underlying: error))
        return true
      }
      reply.succeed(OpenedChannel(channel: channel))
      return true
    }
  }

  func isReadyToSend() { next() }

  private static func answer<Value>(_ reply: Reply<Value>, _ value: Value, _ error: (any Error)?) -> Bool {
    reply.give(
      error.map { .failure(SessionError(.refused, "the device answered with an error", underlying: $0)) }
        ?? .success(value))
    return true
  }
}
