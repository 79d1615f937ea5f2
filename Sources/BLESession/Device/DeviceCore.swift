import CoreBluetooth

/// The state of a `DeviceSession`, used on its central's queue only.
///
/// Its parts are in extensions: connecting (`+Connecting`), discovery and verification (`+Preparing`, `+Opening`), operations (`+Values`)
/// and the end of a link (`+Ending`).
package final class DeviceCore: NSObject, CBPeripheralDelegate {
  let central: CentralCore
  let configuration: SessionConfiguration
  var target: DeviceTarget
  let operations: Operations
  let signal: SignalReader
  let subscriptions = Subscriptions()
  let events = Broadcast<TimedEvent>()
  private var observers: [Int: (TimedEvent) -> Void] = [:]
  private var nextObserver = 0

  private(set) var state = SessionState.idle
  /// Whether the user wants the device connected: then the session reconnects.
  var isWanted = false
  /// The device, while it is connected or connecting.
  package var peripheral: CBPeripheral?
  package var isConnected = false
  var origin = ConnectionOrigin.user
  var effort: ConnectionEffort?
  var preparation: Preparation?
  /// The number of service discoveries on this link without a result yet.
  var discoveriesUnderWay = 0
  var opening: Opening?
  /// The reply of the identity check in progress.
  var identityReply: Reply<Data>?
  /// Calls of `connect` that wait until the manager's state is known.
  var awaitingPower: [Reply<Void>] = []
  /// Callers that wait for the end of a disconnection.
  var disconnectReplies: [Reply<Void>] = []
  var wasReadyBeforeDisconnect = false
  var disconnectTimer: (any SessionTimer)?

  package init(central: CentralCore, target: DeviceTarget, configuration: SessionConfiguration) {
    self.central = central
    self.target = target
    self.configuration = configuration
    operations = Operations(queue: central.queue, clock: central.clock, answerTime: configuration.answerTime)
    signal = SignalReader(queue: central.queue, clock: central.clock, answerTime: configuration.answerTime)
    super.init()
    operations.onSilence = { [weak self] in
      self?.dropLink(SessionError(.timedOut, "the device did not answer in time"))
    }
    central.watchPower(self)
  }

  func enter(_ state: SessionState) {
    guard state != self.state else { return }
    self.state = state
    emit(.state(state))
  }

  func emit(_ event: SessionEvent) {
    let timed = TimedEvent(time: central.clock.now, event: event)
    for number in observers.keys.sorted() { observers[number]?(timed) }
    events.send(timed)
  }

  /// Calls `tell` synchronously for every event. Returns the number for `stopObserving`.
  package func observe(_ tell: @escaping (TimedEvent) -> Void) -> Int {
    defer { nextObserver += 1 }
    observers[nextObserver] = tell
    return nextObserver
  }

  func stopObserving(_ number: Int) { observers[number] = nil }

  func call(after delay: Duration, _ body: @escaping (DeviceCore) -> Void) -> any SessionTimer {
    central.clock.call(after: delay, on: central.queue) { [weak self] in self.map(body) }
  }
}
