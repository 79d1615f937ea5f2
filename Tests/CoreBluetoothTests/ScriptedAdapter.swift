import BLEAdapter
import BLECore
import CoreBluetooth

/// A stack that does what the test says, on a virtual loop.
///
/// `@unchecked Sendable`, like the other scripted classes: the test looks at it between two runs of the loop, and only the
/// loop does during a run.
final class ScriptedAdapter: Adapter, @unchecked Sendable {
  let virtualLoop = VirtualLoop()
  let lines = Lines()
  private(set) var state: AdapterState
  var centrals: [ScriptedCentral] = []
  var peripherals: [ScriptedPeripheral] = []
  var known: [KnownPeer] = []
  var connected: [KnownPeer] = []
  var links: [PeerIdentifier: ScriptedLink] = [:]
  /// The preserved states of managers with a restore identifier.
  var states: [PreservationKey: ScriptedState] = [:]
  let supportsExtendedAdvertising = true
  let programObserver: (any ProgramObserver)?

  init(_ state: AdapterState = .poweredOn, observer: (any ProgramObserver)? = nil) {
    self.state = state
    programObserver = observer
  }

  var loop: any StackLoop { virtualLoop }
  var log: Logger { Logger(label: "facade", sink: lines) }
  var central: ScriptedCentral { centrals[centrals.count - 1] }
  var peripheral: ScriptedPeripheral { peripherals[peripherals.count - 1] }
  var options: [String: Any] { [CBManagerOptionAdapterKey: self as any Adapter] }

  func makeCentral(events: any CentralEvents) -> any CentralRole {
    let central = ScriptedCentral(events, self)
    centrals.append(central)
    soon { [self] in central.events?.central(didUpdateState: state) }
    return central
  }

  func makePeripheral(events: any PeripheralEvents) -> any PeripheralRole {
    let peripheral = ScriptedPeripheral(events, self)
    peripherals.append(peripheral)
    soon { [self] in peripheral.events?.peripheral(didUpdateState: state) }
    return peripheral
  }

  func knownPeers(_ identifiers: [PeerIdentifier]) -> [KnownPeer] {
    known.filter { identifiers.contains($0.identifier) }
  }

  func connectedPeers(withServices services: [BLEUUID]) -> [KnownPeer] { connected }

  func preserveState(of key: PreservationKey) -> (any PreservedState)? { states[key] }

  /// On the loop, in a job of its own.
  func soon(_ action: @escaping () -> Void) {
    let action = LoopBound(action)
    virtualLoop.submit(from: .common) { action.value() }
  }

  // MARK: Calls of the tests

  /// Until no operation is pending.
  func settle() async { await virtualLoop.run(until: .quiet(limit: virtualLoop.now + .seconds(60))) }

  func advance(by duration: StackDuration) async {
    await virtualLoop.run(until: .instant(virtualLoop.now + duration))
  }

  func setState(_ state: AdapterState) async {
    self.state = state
    soon { [self] in
      for central in centrals { central.events?.central(didUpdateState: state) }
      for peripheral in peripherals { peripheral.events?.peripheral(didUpdateState: state) }
    }
    await settle()
  }
}

/// A state that the test has written.
final class ScriptedState: PreservedState, @unchecked Sendable {
  let left: [UInt8]?
  var source: (() -> [UInt8]?)?
  var changes = 0
  var reason: String?
  var hasEnded = false

  init(left: [UInt8]?) { self.left = left }

  func setChanged() { changes += 1 }
  func setAside(because reason: String) { self.reason = reason }
  func end() { hasEnded = true }
}

final class Lines: LogSink, @unchecked Sendable {
  let minimumLevel = LogLevel.trace
  private let lock = NSLock()
  private var all: [String] = []

  func write(_ level: LogLevel, label: String, _ message: String) { lock.withLock { all.append(message) } }

  var texts: [String] { lock.withLock { all } }
  func contains(_ text: String) -> Bool { texts.contains { $0.contains(text) } }
}

final class ScriptedCentral: CentralRole, @unchecked Sendable {
  private(set) weak var events: (any CentralEvents)?
  private unowned let adapter: ScriptedAdapter
  var scans: [ScanParameters] = []
  var isScanning = false
  var connects: [(peer: PeerIdentifier, options: ConnectionOptions)] = []
  var cancelled: [PeerIdentifier] = []
  var isClosed = false

  init(_ events: any CentralEvents, _ adapter: ScriptedAdapter) {
    self.events = events
    self.adapter = adapter
  }

  func startScan(_ parameters: ScanParameters) {
    scans.append(parameters)
    isScanning = true
  }

  func stopScan() { isScanning = false }

  /// Where the test has defined a link, it is there immediately.
  func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
    connects.append((peer, options))
    guard let link = adapter.links[peer] else { return }
    adapter.soon { [self] in events?.central(didConnect: .of(peer), link: link) }
  }

  func cancelConnection(_ peer: PeerIdentifier) {
    cancelled.append(peer)
    adapter.soon { [self] in events?.central(didDisconnect: peer, reason: .requested) }
  }

  func close() { isClosed = true }

  // MARK: Calls of the tests

  func discover(
    _ peer: PeerIdentifier, _ content: AdvertisementContent = .named("Thing"), rssi: Int8 = -50
  ) async {
    let discovery = DiscoveryEvent(
      peer: peer, address: DeviceAddress(peer.low, kind: .random), name: content.localName, content: content,
      rssi: rssi)
    adapter.soon { [self] in events?.central(didDiscover: discovery) }
    await adapter.settle()
  }

  func tell(_ action: @escaping (any CentralEvents) -> Void) async {
    adapter.soon { [self] in if let events { action(events) } }
    await adapter.settle()
  }
}

extension AdvertisementContent {
  static func named(_ name: String?, services: [BLEUUID] = []) -> AdvertisementContent {
    AdvertisementContent(
      octets: [], localName: name, manufacturerData: nil, serviceData: [], serviceUUIDs: services,
      overflowServiceUUIDs: [], solicitedServiceUUIDs: [], txPowerLevel: nil, isConnectable: true)
  }
}

extension PeerIdentifier {
  static let first = PeerIdentifier(high: 0x1111_1111_1111_4111, low: 0x8111_1111_1111_1111)
  static let second = PeerIdentifier(high: 0x2222_2222_2222_4222, low: 0x8222_2222_2222_2222)

  var uuid: UUID {
    func digits(_ value: UInt64) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    var text = digits(high) + digits(low)
    for offset in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
    return UUID(uuidString: text)!
  }
}

extension KnownPeer {
  static func of(_ peer: PeerIdentifier, name: String? = "Thing") -> KnownPeer {
    KnownPeer(identifier: peer, address: DeviceAddress(peer.low, kind: .random), name: name)
  }
}
