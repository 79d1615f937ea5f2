import CoreBluetooth
import Testing

/// An app in the central role: a manager on a queue of its own, and a record of every call of its delegates.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
public final class CentralApp: NSObject, @unchecked Sendable {
  /// One call of `didDiscover`.
  public struct Sighting {
    public let peripheral: CBPeripheral
    /// The advertisement data, by Apple's keys.
    public let data: [String: Any]
    /// In dBm.
    public let rssi: NSNumber
    public var name: String? { data[CBAdvertisementDataLocalNameKey] as? String }
  }

  /// One call of a delegate method other than `didDiscover`. Names are those of peripherals, UUIDs are texts, values are read as UTF-8, and
  /// an error is its code: 0 where there is none.
  public enum Event: Equatable {
    case restored
    case state(CBManagerState)
    case connected(String?)
    case failedToConnect(String?, CBError.Code?)
    case disconnected(String?, CBError.Code?)
    case connectionEvent(CBConnectionEvent, String?)
    /// How many services there are now, or -1, and the error's text.
    case services(Int, String?)
    case included(String, String?)
    case characteristics(String, String?)
    case descriptors(String, String?)
    case value(String, String)
    case valueError(String, Int)
    case descriptorValue(String)
    case written(String, Int)
    case descriptorWritten(String, Int)
    case notifying(String, Bool, Int)
    case rssi(Int)
    case rssiError(Int)
    case opened(Int)
    case sounded(Int)
    case ready
    case modified([String])
    case name(String?)

    public var isConnection: Bool { if case .connected = self { true } else { false } }
  }

  public let queue: DispatchQueue
  public private(set) var manager: CBCentralManager!
  /// The calls in order, without sightings.
  public var events: [Event] = []
  /// The same as lines of text, with values in hexadecimal: "connected lamp", "value FFF1 0102", "wrote FFF1 error 3".
  public var told: [String] = []
  public var sightings: [Sighting] = []
  /// The states of peripherals when their connections, failures and disconnections were reported.
  public var standings: [CBPeripheralState] = []
  /// Every value that came without an error, read or notified.
  public var values: [Data] = []
  public var connectionEvents: [(event: CBConnectionEvent, peripheral: CBPeripheral)] = []
  /// What `willRestoreState` brought.
  public var restored: [String: Any] = [:]
  /// Peripherals that the app keeps: those that were restored, and what a test adds.
  public var kept: [CBPeripheral] = []
  public var channels: [CBL2CAPChannel] = []
  /// The errors of all calls.
  public var errors: [any Error] = []
  public var invalidated: [CBService] = []
  /// The peripheral that `seek` has found.
  public internal(set) var peripheral: CBPeripheral?
  /// Whether the last walk through its database has come to its end, well or not.
  public internal(set) var isDone = false
  /// Whether that walk has had no error so far.
  public internal(set) var isWalkSound = false
  /// Called when a walk has come to its end without an error.
  public var onWalked: (() -> Void)?
  var search: (name: String?, depth: Depth)?
  /// Steps of a walk that are not answered yet.
  var openSteps = 0
  /// Called after a call was recorded, by the first word of its line: "connected", "value".
  public var reactions: [String: () -> Void] = [:]
  /// Called after a sighting was recorded.
  public var onSighting: ((Sighting) -> Void)?
  private var scan: (services: [CBUUID]?, allowsDuplicates: Bool)?

  /// - Parameters:
  ///   - more: options besides those of the device.
  ///   - queue: the manager's; `nil` for the main queue.
  public init(
    _ options: [String: Any], more: [String: Any] = [:], queue: DispatchQueue? = DispatchQueue(label: "central app")
  ) {
    self.queue = queue ?? .main
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options.merging(more) { $1 })
  }

  /// Scans each time that Bluetooth gets switched on.
  public func scanWhenPoweredOn(for services: [CBUUID]? = nil, allowingDuplicates: Bool = false) {
    scan = (services, allowingDuplicates)
    scanIfPoweredOn()
  }

  func scanIfPoweredOn() {
    guard let scan, manager.state == .poweredOn else { return }
    manager.scanForPeripherals(
      withServices: scan.services, options: [CBCentralManagerScanOptionAllowDuplicatesKey: scan.allowsDuplicates])
  }

  public var names: [String] { sightings.compactMap(\.name) }

  /// The peripheral whose advertisement had this name.
  public func sighted(_ name: String) throws -> CBPeripheral {
    try #require(sightings.first { $0.name == name }?.peripheral, "\(name) was not seen")
  }

  public func service(_ uuid: String, of peripheral: CBPeripheral) -> CBService? {
    peripheral.services?.first { $0.uuid == .of(uuid) }
  }

  public func characteristic(_ uuid: String, of peripheral: CBPeripheral) -> CBCharacteristic? {
    let all = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
    return all.first { $0.uuid == .of(uuid) }
  }

  /// Removes the records of calls. Channels, restored state and what is kept stay.
  public func forget() {
    events = []
    told = []
    sightings = []
    standings = []
    values = []
    errors = []
  }

  func record(_ event: Event, _ kind: String, _ what: String? = nil, _ error: (any Error)? = nil) {
    if let error { errors.append(error) }
    events.append(event)
    told.append([kind, what, error.map { "error \($0.number)" }].compactMap { $0 }.joined(separator: " "))
    reactions[kind]?()
  }
}

extension Error {
  /// Its code in its domain.
  var number: Int { (self as NSError).code }
}
