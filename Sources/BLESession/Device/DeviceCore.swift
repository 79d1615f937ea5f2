import CoreBluetooth

/// What a `DeviceSession` is on its central's queue: one device, and the way to it.
///
/// The facets are in files of their own: winning the device (`+Campaign`), making it ready (`+Preparing`, `+Opening`), using it
/// (`+Values`) and losing it (`+Ending`).
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
  /// Whether the user wants the device: then it is won back.
  var isWanted = false
  /// The device, as long as it is connected or being connected to.
  package var peripheral: CBPeripheral?
  package var isConnected = false
  var origin = ConnectionOrigin.user
  var campaign: Campaign?
  var preparation: Preparation?
  /// How often services were asked for on this link without an answer yet.
  var discoveriesUnderWay = 0
  var opening: Opening?
  /// What the device's identity was asked for with, while that is under way.
  var identityReply: Reply<Data>?
  /// Wishes from before it was known what Bluetooth is like.
  var awaitingPower: [Reply<Void>] = []
  /// Those who wait for the end of a disconnection.
  var farewells: [Reply<Void>] = []
  var wasReadyBeforeFarewell = false
  var farewellTimer: (any SessionTimer)?

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

  /// `tell` hears of everything at that very moment.
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
