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
    guardTimer?.cancel()
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
    let path = operation.path
    guard let found = path.find(in: peripheral) else {
      return operation.fail(SessionError(.notFound, "the device has no characteristic \(path)"))
    }
    operation.characteristic = found
    switch operation.kind {
    case .read: peripheral.readValue(for: found)
    case .write(_, let data, _):
      guard found.properties.contains(.write) else {
        return operation.fail(
          SessionError(.notSupported, "characteristic \(found.uuid.uuidString) cannot be written with response"))
      }
      peripheral.writeValue(data, for: found, type: .withResponse)
    case .writeWithoutResponse(_, let data, let reply):
      guard found.properties.contains(.writeWithoutResponse) else {
        return operation.fail(
          SessionError(.notSupported, "characteristic \(found.uuid.uuidString) cannot be written without response"))
      }
      guard data.count <= peripheral.maximumWriteValueLength(for: .withoutResponse) else {
        return operation.fail(SessionError(.invalid, "\(data.count) octets do not fit into one write without response"))
      }
      peripheral.writeValue(data, for: found, type: .withoutResponse)
      return reply.succeed(())
    case .notify(_, let isOn, let reply):
      // If the state does not change, the system may not call back.
      if found.isNotifying == isOn { return reply.succeed(()) }
      peripheral.setNotifyValue(isOn, for: found)
    }
    current = operation
    guardTimer = clock.call(after: answerTime, on: queue) { [weak self, weak operation] in self?.isSilent(operation) }
  }

  private func isSilent(_ operation: Operation?) {
    guard let operation, current === operation else { return }
    close(SessionError(.timedOut, "the device did not answer within \(answerTime)"))
    onSilence()
  }

  /// Ends the operation in progress, if the callback belongs to it.
  private func finish(_ characteristic: CBCharacteristic, _ body: (Operation.Kind) -> Bool) {
    guard let operation = current, operation.characteristic === characteristic, body(operation.kind) else { return }
    current = nil
    guardTimer?.cancel()
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
      reply.give(Self.outcome(characteristic.value ?? Data(), error))
      return true
    }
    return wasRead
  }

  func didWrite(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
    finish(characteristic) { kind in
      guard case .write(_, _, let reply) = kind else { return false }
      reply.give(Self.outcome((), error))
      return true
    }
  }

  func didUpdateNotificationState(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
    finish(characteristic) { kind in
      guard case .notify(_, _, let reply) = kind else { return false }
      reply.give(Self.outcome((), error))
      return true
    }
  }

  func isReadyToSend() { next() }

  private static func outcome<Value>(_ value: Value, _ error: (any Error)?) -> Result<Value, SessionError> {
    guard let error else { return .success(value) }
    return .failure(SessionError(.refused, "the device answered with an error", underlying: error))
  }
}
