import BLETestKit
import CoreBluetooth

/// An app in the peripheral role: a manager on a queue of its own that publishes and advertises what it is given, answers requests, and
/// records every call of its delegate.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
public final class PeripheralApp: NSObject, @unchecked Sendable {
  /// One call of a delegate method. UUIDs and written values are texts, and an error is its code.
  public enum Event: Equatable {
    case restored
    case state(CBManagerState)
    case added(String, CBError.Code?)
    case advertising(CBError.Code?)
    case subscribed(String)
    case unsubscribed(String)
    /// The characteristic and the offset.
    case read(String, Int)
    /// The values of one call.
    case wrote([String])
    case ready
    case published(CBL2CAPPSM, CBError.Code?)
    case unpublished(CBL2CAPPSM, CBError.Code?)
    case opened(CBError.Code?)

    public var isWrite: Bool { if case .wrote = self { true } else { false } }
  }

  public let queue = DispatchQueue(label: "peripheral app")
  public private(set) var manager: CBPeripheralManager!
  let services: [CBMutableService]
  public let advertisement: [String: Any]?
  /// The calls in order.
  public var events: [Event] = []
  /// The same as lines of text: "added FF11", "read FF22 at 0", "wrote 1 to FF22", "advertising error 9".
  public var told: [String] = []
  /// The errors of all calls.
  public var errors: [any Error] = []
  /// What `willRestoreState` brought.
  public var restored: [String: Any] = [:]
  /// The writes, call by call.
  public var batches: [[CBATTRequest]] = []
  /// The centrals of all subscriptions so far, in their order.
  public var subscribers: [CBCentral] = []
  /// The centrals with subscriptions now.
  public var centrals: [CBCentral] = []
  /// The UUIDs of what is subscribed to now, once for each central.
  public internal(set) var subscriptions: [String] = []
  /// The channels that it has published, and those that were opened.
  public var multiplexers: [CBL2CAPPSM] = []
  public var channels: [CBL2CAPChannel] = []
  /// Values by characteristic, which reads are answered with and writes change.
  public var values: [CBUUID: Data] = [:]
  /// Where it is set, every read is answered with it.
  public var value: Data?
  /// The result for a read or a batch of writes; `nil` accepts all.
  public var judge: (([CBATTRequest]) -> CBATTError.Code)?
  /// Whether requests are answered where `onRead` and `onWrite` are not set. Else they wait.
  public var answersRequests = true
  /// One request for each read and each batch of writes that waits.
  public internal(set) var waiting: [CBATTRequest] = []
  /// Whether calls are recorded: where memory is measured, a record would grow.
  public var keepsRecord = true
  /// In place of the usual answer.
  public var onRead: ((CBPeripheralManager, CBATTRequest) -> Void)?
  public var onWrite: ((CBPeripheralManager, [CBATTRequest]) -> Void)?
  /// Called after a subscription began or ended.
  public var onSubscription: ((CBCentral, CBCharacteristic) -> Void)?
  /// Called after a call was recorded, by the first word of its line.
  public var reactions: [String: () -> Void] = [:]

  /// - Parameters:
  ///   - services: published each time that Bluetooth gets switched on.
  ///   - advertisement: advertised as soon as the last of them is published.
  public init(_ options: [String: Any], services: [CBMutableService] = [], advertisement: [String: Any]? = nil) {
    self.services = services
    self.advertisement = advertisement
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  /// Advertises `name` and, besides, the UUIDs of `services`.
  public convenience init(
    _ name: String, on device: Device, services: [CBMutableService] = [], advertises uuids: [CBUUID]? = nil
  ) {
    var advertisement: [String: Any] = [CBAdvertisementDataLocalNameKey: name]
    let uuids = uuids ?? services.map(\.uuid)
    if !uuids.isEmpty { advertisement[CBAdvertisementDataServiceUUIDsKey] = uuids }
    self.init(device.options, services: services, advertisement: advertisement)
  }

  /// The characteristic that was given to be published.
  public func published(_ uuid: String) -> CBMutableCharacteristic? {
    let all = services.flatMap { $0.characteristics ?? [] }
    return all.first { $0.uuid == .of(uuid) } as? CBMutableCharacteristic
  }

  /// Sends a value to all subscribers of one of its characteristics.
  @discardableResult
  public func push(_ value: Data, _ uuid: String) -> Bool {
    guard let characteristic = published(uuid) else { return false }
    return manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil)
  }

  /// Answers all requests that wait.
  public func answerWaiting() {
    let requests = waiting
    waiting = []
    for request in requests {
      if request.value == nil { answer(request) } else { manager.respond(to: request, withResult: .success) }
    }
  }

  /// Answers a read.
  func answer(_ request: CBATTRequest) {
    var verdict = judge?([request]) ?? .success
    let value = self.value ?? values[request.characteristic.uuid] ?? Data()
    if verdict == .success, request.offset > value.count { verdict = .invalidOffset }
    if verdict == .success { request.value = Data(value.dropFirst(request.offset)) }
    manager.respond(to: request, withResult: verdict)
  }

  func record(_ event: Event, _ kind: String, _ what: String? = nil, _ error: (any Error)? = nil) {
    if keepsRecord {
      if let error { errors.append(error) }
      events.append(event)
      told.append([kind, what, error.map { "error \($0.number)" }].compactMap { $0 }.joined(separator: " "))
    }
    reactions[kind]?()
  }
}
