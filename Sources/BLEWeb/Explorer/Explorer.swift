import BLECore
import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// What all browsers see: the devices that were heard, the sessions with some of them, and what happens.
///
/// Changes are published as events; the state can be read at any time. Both have the members of `ble --json`.
actor Explorer {
  let central: Central
  nonisolated let surroundings: ExplorerSurroundings
  nonisolated let hub: EventHub
  nonisolated let dialogue: PairingDialogue
  nonisolated let serving: Serving
  nonisolated let chat: ChatRoom
  nonisolated let metrics = Metrics()
  private(set) var state = CBManagerState.unknown
  private(set) var isScanning = false
  var heard: [UUID: HeardDevice] = [:]
  private(set) var history = AdvertisementHistory()
  /// Of all devices that were heard.
  private(set) var advertisements = 0
  /// The devices that changed since they were last published.
  private var changed: Set<UUID> = []
  var opened: [UUID: OpenDevice] = [:]
  /// The open devices that have a device file.
  var vendors: [UUID: VendorDevice] = [:]
  nonisolated let files = DeviceFileShelf()
  nonisolated let workshop = CloneWorkshop()
  private var scan: (list: DeviceList, task: Task<Void, Never>)?
  private var tasks: [Task<Void, Never>] = []

  /// The most devices in the table; then the one that was heard longest ago is replaced.
  private static let capacity = 10_000
  /// How often changes of the table are published.
  private static let publication = Duration.milliseconds(250)
  private static let heartbeat = Duration.seconds(15)
  /// The most devices in one event.
  private static let mostInEvent = 200
  /// The most devices with a session.
  private static let mostOpened = 32

  init(central: Central, surroundings: ExplorerSurroundings, isReadOnly: Bool = false) {
    self.central = central
    self.surroundings = surroundings
    hub = EventHub(packetCount: { [packets = surroundings.packets] in packets?.count ?? 0 })
    dialogue = PairingDialogue(hub: hub, isReadOnly: isReadOnly)
    serving = Serving(hub: hub, surroundings: surroundings, clock: central.clock)
    chat = ChatRoom(hub: hub, options: surroundings.peripheralOptions, clock: central.clock)
  }

  /// Follows the state of Bluetooth; returns at once.
  func start() {
    guard tasks.isEmpty else { return }
    surroundings.radio?.observeFaults { [hub] device, fault in
      hub.publish("fault", ["device": .string(device), "fault": .string(fault)])
    }
    tasks.append(
      Task { [weak self, states = central.states()] in
        for await state in states { await self?.take(state) }
      })
    publishSoon()
    beat()
  }

  func stop() async {
    for task in tasks { task.cancel() }
    tasks = []
    pending?.cancel()
    nextBeat?.cancel()
    setScanning(false)
    let left = opened
    opened = [:]
    for vendor in vendors.values { await vendor.end() }
    vendors = [:]
    for device in left.values { await device.close() }
    await serving.stop()
    await chat.leave()
    hub.end()
  }

  private func take(_ new: CBManagerState) {
    state = new
    hub.publish("state", status)
  }

  /// The state of the whole.
  var status: JSONValue {
    [
      "adapter": .string(surroundings.adapter), "state": .string(state.word), "scanning": .bool(isScanning),
      "devices": .integer(heard.count), "radio": .bool(surroundings.radio != nil),
      "packets": .bool(surroundings.packets != nil), "fleet": .bool(surroundings.fleet != nil),
      "time_ms": .integer(central.clock.now.milliseconds),
    ]
  }

  func setScanning(_ on: Bool) {
    guard on != isScanning else { return }
    isScanning = on
    if on {
      let list = central.list(rules: DeviceListRules(capacity: Self.capacity))
      let changes = list.changes()
      scan = (
        list,
        Task { [weak self] in
          for await change in changes { await self?.take(change) }
        }
      )
    } else {
      scan?.list.stop()
      scan?.task.cancel()
      scan = nil
    }
    hub.publish("state", status)
  }

  private func take(_ change: DeviceListChange) async {
    switch change {
    case .appeared(let device, _), .changed(let device, _), .stale(let device, _), .returned(let device, _):
      let discovery = device.discovery
      advertisements += max(0, device.advertisements - (heard[discovery.identifier]?.count ?? 0))
      let sighting = Sighting(discovery, address: surroundings.address(discovery.identifier))
      if heard[discovery.identifier]?.hear(sighting, at: discovery.lastSeen, count: device.advertisements) == nil {
        heard[discovery.identifier] = HeardDevice(sighting, at: discovery.lastSeen, count: device.advertisements)
      }
      heard[discovery.identifier]?.isStale = device.isStale
      history.record(sighting, at: discovery.lastSeen, count: device.advertisements)
      changed.insert(discovery.identifier)
      publishSoon()
      if heard.count > Self.capacity { await forgetMissing() }
    case .removed(let device, _):
      heard[device.id] = nil
      history.forget(device.id)
      changed.remove(device.id)
      hub.publish("removed", ["identifier": .string(device.id.uuidString)])
    }
  }

  /// Removes what the list has removed: changes that come too fast are lost, and with them removals.
  private func forgetMissing() async {
    guard let list = scan?.list else { return }
    let kept = Set(await list.devices.map(\.id))
    for identifier in heard.keys where !kept.contains(identifier) {
      heard[identifier] = nil
      history.forget(identifier)
      changed.remove(identifier)
      hub.publish("removed", ["identifier": .string(identifier.uuidString)])
    }
  }

  /// Publishes after a moment what has changed until then. By the machine's clock: that of a simulated air may stand still.
  private func publishSoon() {
    guard pending == nil, !tasks.isEmpty else { return }
    pending = pulse.schedule(after: Self.publication, on: .global()) { [weak self] in
      Task { await self?.publish() }
    }
  }

  private let pulse = SystemSessionClock()
  private var pending: (any SessionTimer)?
  private var nextBeat: (any SessionTimer)?

  /// Again and again: a client that has gone is noticed where something is sent to it.
  private func beat() {
    hub.beat()
    guard !tasks.isEmpty else { return }
    nextBeat = pulse.schedule(after: Self.heartbeat, on: .global()) { [weak self] in
      Task { await self?.beat() }
    }
  }

  private func publish() {
    pending = nil
    if !changed.isEmpty {
      let devices = changed.compactMap { heard[$0]?.json }
      changed = []
      // An event with thousands of devices would be too long for a client to wait for.
      for start in stride(from: 0, to: devices.count, by: Self.mostInEvent) {
        let part = Array(devices[start..<min(start + Self.mostInEvent, devices.count)])
        hub.publish("devices", ["devices": .array(part)])
      }
    }
    guard let fleet = surroundings.fleet else { return }
    if let changes = fleet.changes() { hub.publish("fleet", changes) }
    // In a fleet devices also leave a room because time has passed.
    publishSoon()
  }

  /// The device's session, made where there is none.
  func open(_ identifier: UUID) throws(SessionError) -> OpenDevice {
    if let device = opened[identifier] { return device }
    guard opened.count < Self.mostOpened else {
      throw SessionError(.invalid, "\(Self.mostOpened) devices are open: close one first")
    }
    let device = OpenDevice(
      central.session(with: .device(identifier)), identifier, name: heard[identifier]?.sighting.name, hub: hub,
      metrics: metrics)
    opened[identifier] = device
    return device
  }

  func device(_ identifier: UUID) throws(SessionError) -> OpenDevice {
    guard let device = opened[identifier] else {
      throw SessionError(.notConnected, "the device is not open: connect it first")
    }
    return device
  }

  func close(_ identifier: UUID) async {
    guard let device = opened.removeValue(forKey: identifier) else { return }
    await vendors.removeValue(forKey: identifier)?.end()
    await device.close()
    hub.publish("closed", ["identifier": .string(identifier.uuidString)])
  }
}

extension CBManagerState {
  /// Apple's name of the case.
  var word: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "poweredOff"
    case .poweredOn: "poweredOn"
    @unknown default: "unknown"
    }
  }
}
