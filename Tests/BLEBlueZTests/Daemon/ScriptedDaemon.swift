import BLECore
import BLEHCI
import Dispatch
import Testing

@testable import BLEBlueZ

/// A scripted Bluetooth daemon: it has the name of BlueZ's on the test's own bus, and objects that answer as the test says.
final class ScriptedDaemon: Sendable {
  static let adapter = "/org/bluez/hci0"
  static let device = adapter + "/dev_C0_12_34_56_78_9A"
  static let address = "C0:12:34:56:78:9A"

  let peer: BusPeer
  private let world: LoopBound<DaemonWorld>

  /// - Parameter fill: adds the first objects, before any client can see them.
  init(on bus: PrivateBus, _ fill: @escaping @Sendable (DaemonWorld) -> Void = { $0.addAdapter() }) async throws {
    peer = try BusPeer(on: bus, "daemon")
    world = try await peer.run { bus in
      let world = DaemonWorld(bus: bus)
      fill(world)
      return LoopBound(world)
    }
    try await peer.own(BlueZName.service)
  }

  /// Released on the loop, which may be executing a request of a stack that ends.
  deinit { peer.loop.queue.async { [world] in withExtendedLifetime(world) {} } }

  /// Runs `body` on the daemon's loop.
  @discardableResult
  func run<Result: Sendable>(_ body: @escaping @Sendable (DaemonWorld) -> Result) async throws -> Result {
    let world = world
    return try await peer.run { _ in body(world.value) }
  }

  /// A test that waits longer than this fails: it is a guard, and no measurement.
  private static let limit = StackDuration.seconds(60)

  /// Waits until the daemon was called this way: "Connect" of the object, `count` times.
  func wait(
    for member: String, at path: String, count: Int = 1, _ location: SourceLocation = #_sourceLocation
  ) async {
    let (world, loop) = (world, peer.loop)
    let isThere = await withCheckedContinuation { continuation in
      loop.queue.async {
        let waiter = world.value.wait(for: member, at: path, count: count) { continuation.resume(returning: $0) }
        loop.schedule(after: Self.limit, .background) { waiter.end(false) }
      }
    }
    if !isThere { Issue.record("\(member) of \(path) was not called \(count) times", sourceLocation: location) }
  }

  /// Its process has ended.
  func die() async throws { _ = try await peer.run { $0.close() } }
}

/// The daemon's objects. On its loop.
final class DaemonWorld {
  /// An object's answer to a method; without one it does what the daemon does in the normal case.
  typealias Script = (BusRequest, DaemonWorld) -> Void

  let bus: MessageBus
  private var objects: [String: DaemonObject] = [:]
  private var registrations: [String: BusRegistration] = [:]
  private var scripts: [String: Script] = [:]
  private(set) var calls: [String] = []
  private var waiters: [Waiter] = []
  /// The arguments of the calls, by the same lines.
  private(set) var arguments: [String: [[BusValue]]] = [:]
  /// Requests that are left unanswered.
  var held: [BusRequest] = []
  /// Signals that wait until a device's properties are asked for: the daemon sends those that wait before each reply.
  var late: (() -> Void)?

  init(bus: MessageBus) {
    self.bus = bus
    export(DaemonObject(path: "/", world: self))
  }

  func script(_ member: String, at path: String, _ script: Script?) { scripts["\(member) \(path)"] = script }

  func count(_ member: String, at path: String) -> Int { calls.filter { $0 == "\(member) \(path)" }.count }

  /// Waiters for a call, each notified once.
  final class Waiter {
    let line: String
    let count: Int
    private var done: ((Bool) -> Void)?

    init(line: String, count: Int, _ done: @escaping (Bool) -> Void) {
      self.line = line
      self.count = count
      self.done = done
    }

    func end(_ isThere: Bool) {
      done?(isThere)
      done = nil
    }
  }

  func wait(for member: String, at path: String, count: Int, _ done: @escaping (Bool) -> Void) -> Waiter {
    let waiter = Waiter(line: "\(member) \(path)", count: count, done)
    if self.count(member, at: path) >= count { waiter.end(true) } else { waiters.append(waiter) }
    return waiter
  }

  // MARK: Objects

  private func export(_ object: DaemonObject) {
    objects[object.path] = object
    do { registrations[object.path] = try bus.export(object, at: object.path) } catch { Issue.record("\(error)") }
  }

  /// Adds an object, and announces it.
  func add(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
    let object = DaemonObject(path: path, world: self)
    object.values[interface] = properties
    export(object)
    emit("InterfacesAdded", of: BlueZName.objectManager, at: "/", [.objectPath(path), object.shown])
  }

  func remove(_ path: String) {
    guard let object = objects.removeValue(forKey: path) else { return }
    // Those below it as well, as the daemon does.
    for other in objects.keys.sorted() where other.hasPrefix(path + "/") { remove(other) }
    emit(
      "InterfacesRemoved", of: BlueZName.objectManager, at: "/",
      [.objectPath(path), .texts(Array(object.values.keys))])
    registrations[path] = nil
  }

  /// Changes properties without a signal.
  func put(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
    for (name, value) in properties { objects[path]?.values[interface, default: [:]][name] = value }
  }

  func set(_ path: String, _ interface: String, _ properties: [String: BusValue], invalidated: [String] = []) {
    put(path, interface, properties)
    for name in invalidated { objects[path]?.values[interface]?[name] = nil }
    emit(
      "PropertiesChanged", of: BlueZName.properties, at: path,
      [.string(interface), .options(properties), .texts(invalidated)])
  }

  /// All objects with their properties, by path.
  var shownObjects: [BusValue: BusValue] {
    var all: [BusValue: BusValue] = [:]
    for object in objects.values where !object.values.isEmpty { all[.objectPath(object.path)] = object.shown }
    return all
  }

  func value(_ path: String, _ interface: String, _ property: String) -> BusValue? {
    objects[path]?.values[interface]?[property]
  }

  func emit(_ member: String, of interface: String, at path: String, _ arguments: [BusValue]) {
    bus.emit(member, of: interface, at: path, arguments)
  }

  // MARK: The objects of bluetoothd

  func addAdapter(
    _ path: String = ScriptedDaemon.adapter, isPowered: Bool = true, address: String = "00:11:22:33:44:55"
  ) {
    add(path, BlueZName.adapter, ["Address": .string(address), "Powered": .boolean(isPowered)])
  }

  func addDevice(
    at path: String = ScriptedDaemon.device, address: String = ScriptedDaemon.address,
    _ properties: [String: BusValue] = [:]
  ) {
    let own: [String: BusValue] = [
      "Address": .string(address), "AddressType": .string("random"), "Connected": .boolean(false),
      "ServicesResolved": .boolean(false), "Adapter": .objectPath(ScriptedDaemon.adapter),
    ]
    add(path, BlueZName.device, own.merging(properties) { $1 })
  }

  func change(_ properties: [String: BusValue], of path: String = ScriptedDaemon.device) {
    set(path, BlueZName.device, properties)
  }

  func addService(
    _ number: String, uuid: String, of device: String = ScriptedDaemon.device, isPrimary: Bool = true,
    includes: [String] = []
  ) {
    add(
      "\(device)/service\(number)", BlueZName.gattService,
      [
        "UUID": .string(uuid), "Device": .objectPath(device), "Primary": .boolean(isPrimary),
        "Includes": .array(of: "o", includes.map { .objectPath("\(device)/service\($0)") }),
      ])
  }

  /// With a client configuration where it has one, directly behind the value.
  func addCharacteristic(
    _ service: String, _ number: String, uuid: String, flags: [String], value: [UInt8] = [],
    of device: String = ScriptedDaemon.device, _ more: [String: BusValue] = [:]
  ) {
    let path = "\(device)/service\(service)/char\(number)"
    let own: [String: BusValue] = [
      "UUID": .string(uuid), "Flags": .texts(flags), "Value": .octets(value),
      "Service": .objectPath("\(device)/service\(service)"),
    ]
    add(path, BlueZName.gattCharacteristic, own.merging(more) { $1 })
    if flags.contains("notify") || flags.contains("indicate"), let declaration = UInt16(number, radix: 16) {
      addDescriptor(path, declaration + 2, uuid: "00002902-0000-1000-8000-00805f9b34fb")
    }
  }

  func addDescriptor(_ characteristic: String, _ handle: UInt16, uuid: String, value: [UInt8] = []) {
    let number = String(Int(handle) + 0x10000, radix: 16).dropFirst()
    add(
      "\(characteristic)/desc\(number)", BlueZName.gattDescriptor, ["UUID": .string(uuid), "Value": .octets(value)])
  }

  // MARK: Calls

  fileprivate func handle(_ request: BusRequest) {
    let line = "\(request.member) \(request.path)"
    calls.append(line)
    arguments[line, default: []].append(request.arguments)
    if let script = scripts[line] { script(request, self) } else { answer(request) }
    let number = calls.filter { $0 == line }.count
    let ready = waiters.filter { $0.line == line && $0.count <= number }
    waiters.removeAll { $0.line == line && $0.count <= number }
    for waiter in ready { waiter.end(true) }
  }

  /// Does what the daemon does in the normal case.
  func answer(_ request: BusRequest) {
    let path = request.path
    switch (request.interface, request.member) {
    case (BlueZName.objectManager, _):
      request.answer([.dictionary(shownObjects, key: "o", value: "a{sa{sv}}")])
    case (BlueZName.device, "Connect"):
      set(path, BlueZName.device, ["Connected": .boolean(true)])
      set(path, BlueZName.device, ["ServicesResolved": .boolean(true)])
      request.answer()
    case (BlueZName.device, "Disconnect"):
      set(path, BlueZName.device, ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
      request.answer()
    case (let interface, "ReadValue"):
      let value = value(path, interface, "Value") ?? .octets([])
      // Every listener gets a read value like a notification.
      set(path, interface, ["Value": value])
      request.answer([value])
    case (let interface, "WriteValue"):
      if let value = request.arguments.first { objects[path]?.values[interface]?["Value"] = value }
      request.answer()
    default: request.answer()
    }
  }
}

/// One object of the daemon's, with its properties and the methods of its interfaces.
private final class DaemonObject: ExportedObject {
  let path: String
  private unowned let world: DaemonWorld
  var values: [String: [String: BusValue]] = [:]

  init(path: String, world: DaemonWorld) {
    self.path = path
    self.world = world
  }

  var interfaces: [String] { path == "/" ? [BlueZName.objectManager] : Array(values.keys) }
  func properties(of interface: String) -> [String: BusValue] {
    let late = world.late
    world.late = nil
    late?()
    return values[interface] ?? [:]
  }

  var shown: BusValue {
    var shown: [BusValue: BusValue] = [:]
    for (interface, properties) in values { shown[.string(interface)] = .options(properties) }
    return .dictionary(shown, key: "s", value: "a{sv}")
  }

  func handle(_ request: BusRequest) { world.handle(request) }
}
