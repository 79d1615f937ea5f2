import CoreBluetooth
import Foundation

/// The app's connection to one thermostat: finds it, stays connected to it, carries out what the user wants.
///
/// Its methods may be called from any thread. Its state changes on `queue`, where `onEvent` and completions are called as well.
///
/// `@unchecked Sendable`: everything that changes is used on the serial `queue` only.
public class ThermostatSession: NSObject, @unchecked Sendable {
  public enum Phase: Sendable {
    /// Bluetooth is off, or the app may not use it.
    case unavailable
    /// No thermostat was chosen.
    case idle
    /// The user looks for a thermostat.
    case looking
    case connecting
    /// Connected; attributes are being discovered and subscribed to.
    case preparing
    case ready
  }

  public enum Event: Sendable {
    /// A thermostat that can be chosen.
    case found(UUID, name: String)
    case linkBegan
    case linkEnded
    /// `phase`, `temperature` or `target` has changed.
    case changed
    /// The thermostat uses the image that was installed.
    case updateComplete
  }

  public let queue = DispatchQueue(label: "thermostat session")
  public internal(set) var phase = Phase.unavailable { didSet { if phase != oldValue { onEvent(.changed) } } }
  /// What the thermostat has measured last, in hundredths of a degree Celsius.
  public internal(set) var temperature: Int16? { didSet { if temperature != oldValue { onEvent(.changed) } } }
  /// What the thermostat has been set to, by this app or at its knob.
  public internal(set) var target: Int16? { didSet { if target != oldValue { onEvent(.changed) } } }

  let memory: any SessionMemory
  let clock: any AppClock
  let onEvent: (Event) -> Void
  var manager: CBCentralManager!

  // MARK: The link

  var peripheral: CBPeripheral?
  /// What can be connected to has to be kept.
  var found: [UUID: CBPeripheral] = [:]
  var isLooking = false
  /// The characteristics of the current link, by UUID.
  var attributes: [CBUUID: CBCharacteristic] = [:]
  var missingSubscriptions: Set<CBUUID> = []

  // MARK: Requests and update

  var waiting: [Request] = []
  /// The request that was sent and not answered.
  var current: Request?
  var timeOut: (any AppTimer)?
  var transfer: UpdateTransfer?
  var updateTimer: (any AppTimer)?

  /// - Parameters:
  ///   - options: those of the manager; in tests they place it on a device of a world.
  ///   - onEvent: called on `queue`.
  public required init(
    options: [String: Any] = [:], memory: any SessionMemory, clock: any AppClock = SystemClock(),
    onEvent: @escaping (Event) -> Void
  ) {
    self.memory = memory
    self.clock = clock
    self.onEvent = onEvent
    super.init()
    let options = options.merging([CBCentralManagerOptionRestoreIdentifierKey: "thermostat"]) { $1 }
    // The first callback finds the manager in its place.
    queue.sync { manager = CBCentralManager(delegate: self, queue: queue, options: options) }
  }

  // MARK: What is decided about the link

  /// The system has kept for this process what an earlier one was doing.
  func restore(_ state: [String: Any]) {
    let peripherals = state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    if let known = peripherals.first(where: { $0.identifier == memory.thermostat }) { use(known) }
    isLooking = state[CBCentralManagerRestoredStateScanServicesKey] != nil
  }

  /// The user has chosen a thermostat, of which this process has no object.
  func findAgain(_ identifier: UUID) {
    if let known = manager.retrievePeripherals(withIdentifiers: [identifier]).first {
      use(known)
      connect()
    } else {
      scan()
    }
  }

  /// Whether it is the thermostat that the user has chosen.
  func isWanted(_ peripheral: CBPeripheral) -> Bool { peripheral.identifier == memory.thermostat }

  /// The link was lost. A pending connection has no time limit: the system connects when the thermostat is there.
  func connectAgain() { connect() }

  /// What is subscribed to on the link that has begun.
  func subscriptions() -> Set<CBUUID> { [Profile.temperature, Profile.target, Profile.updateControl] }

  /// Discovered on the current link. Those of an earlier one cannot be used, even if they look the same.
  func keep(_ characteristics: [CBCharacteristic]) {
    for characteristic in characteristics { attributes[characteristic.uuid] = characteristic }
  }

  func forgetAttributes() { attributes = [:] }

  // MARK: What is decided about requests

  /// Where a request is written to.
  func attribute(for request: Request) -> CBCharacteristic? { attributes[request.characteristic] }

  /// Of each kind only the newest waits: whatever the user does while there is no link, the queue stays short.
  func enqueue(_ request: Request) {
    if let index = waiting.firstIndex(where: { $0.kind == request.kind }) {
      waiting[index].completion(.failure(.superseded))
      waiting[index] = request
    } else {
      waiting.append(request)
    }
  }

  /// The link ended while a request had no answer: it is sent again on the next link, unless there is a newer one.
  func returnCurrent() {
    guard let request = current else { return }
    current = nil
    if waiting.contains(where: { $0.kind == request.kind }) { return request.completion(.failure(.superseded)) }
    waiting.insert(request, at: 0)
  }

  func stopTimeOut() {
    timeOut?.cancel()
    timeOut = nil
  }

  /// The thermostat has taken the target. What is shown follows from its notifications alone: somebody may have turned the knob
  /// since.
  func targetWasWritten(_ value: Int16) {}

  // MARK: What is decided about an update

  /// Handed over to the system, not more: an update ends when the thermostat says so.
  func lastFragmentWasHandedOver() {}
}
