import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

@Suite("Subscriptions to several devices, when the daemon, the adapter or a link ends and comes back")
struct ReturnTests {
  /// A device with a characteristic that is read and one that notifies, which the daemon shows once it is connected.
  private struct Device {
    let address: String
    var path: String { ScriptedDaemon.adapter + "/dev_" + String(address.map { $0 == ":" ? "_" : $0 }) }
    var characteristic: String { path + "/service000a/char000d" }

    func add(to world: DaemonWorld) {
      world.addDevice(at: path, address: address)
      world.script("Connect", at: path) { request, world in
        world.change(["Connected": .boolean(true)], of: path)
        world.addService("000a", uuid: "180D", of: path)
        world.addCharacteristic("000a", "000b", uuid: "2A38", flags: ["read"], of: path)
        world.addCharacteristic("000a", "000d", uuid: "2A37", flags: ["notify"], of: path)
        world.change(["ServicesResolved": .boolean(true)], of: path)
        request.answer()
      }
    }

    /// The link ends, with which the daemon removes the attributes of a device to which there is no bond.
    func disconnect(from world: DaemonWorld) {
      world.change(["Connected": .boolean(false), "ServicesResolved": .boolean(false)], of: path)
      world.remove(path + "/service000a")
    }
  }

  private static let devices = (0..<3).map { Device(address: "C0:00:00:00:00:0\($0)") }
  private static let measurement = RemoteCharacteristic(
    uuid: BLEUUID(0x2A37), declaration: AttributeHandle(0x000D), value: AttributeHandle(0x000E),
    end: AttributeHandle(0x000F),
    properties: 0x10)

  private static func furnish(_ world: DaemonWorld) {
    world.addAdapter()
    for device in devices { device.add(to: world) }
  }

  private static func connect(_ devices: some Sequence<Device>, _ fixture: BlueZFixture, time: Int) async throws {
    for device in devices { try await fixture.connect(to: device.address) }
    for device in devices { await fixture.recorder.wait(for: "connected \(device.address)", count: time) }
    for device in devices {
      try await fixture.result(on: device.address) { $0.setNotify(true, for: measurement, $1) }.get()
    }
  }

  /// Each device notifies once, and each value is received once.
  private static func exchange(_ fixture: BlueZFixture, _ daemon: ScriptedDaemon, number: UInt8) async throws {
    try await daemon.run { world in
      for (index, device) in devices.enumerated() {
        world.set(device.characteristic, BlueZName.gattCharacteristic, ["Value": .octets([number, UInt8(index)])])
      }
    }
    for index in devices.indices {
      let line = "value 0x000E \([number, UInt8(index)].hexadecimal)"
      await fixture.recorder.wait(for: line)
      #expect(fixture.recorder.lines.filter { $0 == line }.count == 1)
    }
  }

  @Test("I12.5 values of all devices arrive after the daemon was restarted")
  func restarted() async throws {
    let bus = try PrivateBus()
    var daemon = try await ScriptedDaemon(on: bus, Self.furnish)
    let fixture = await BlueZFixture(on: bus)
    for round in 1...3 {
      await fixture.recorder.wait(for: "state poweredOn", count: round)
      try await Self.connect(Self.devices, fixture, time: round)
      try await Self.exchange(fixture, daemon, number: UInt8(round))
      try await daemon.die()
      await fixture.recorder.wait(for: "state resetting", count: round)
      daemon = try await ScriptedDaemon(on: bus, Self.furnish)
    }
  }

  @Test("I12.5 values of all devices arrive after the adapter was removed and has come back")
  func removed() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus, Self.furnish)
    let fixture = await BlueZFixture(on: bus)
    for round in 1...3 {
      await fixture.recorder.wait(for: "state poweredOn", count: round)
      try await Self.connect(Self.devices, fixture, time: round)
      try await Self.exchange(fixture, daemon, number: UInt8(round))
      try await daemon.run { world in
        world.set(ScriptedDaemon.adapter, BlueZName.adapter, ["Powered": .boolean(false)])
        world.remove(ScriptedDaemon.adapter)
        Self.furnish(world)
      }
    }
  }

  @Test("I12.5 values of all devices arrive after the link to one of them has ended and was made again")
  func linkedAgain() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus, Self.furnish)
    let fixture = await BlueZFixture(on: bus)
    await fixture.recorder.wait(for: "state poweredOn")
    try await Self.connect(Self.devices, fixture, time: 1)
    for (index, device) in Self.devices.enumerated() {
      try await Self.exchange(fixture, daemon, number: UInt8(index))
      try await daemon.run { device.disconnect(from: $0) }
      await fixture.recorder.wait(for: "disconnected closedByPeer", count: index + 1)
      try await Self.connect([device], fixture, time: 2)
    }
    try await Self.exchange(fixture, daemon, number: 0xFF)
  }

  @Test(
    "I12.5 the refusal of a subscription that arrives after its link has ended does not end the one on the next link")
  func lateRefusal() async throws {
    let bus = try PrivateBus()
    let device = Self.devices[0]
    let daemon = try await ScriptedDaemon(on: bus) { world in
      Self.furnish(world)
      world.script("StartNotify", at: device.characteristic) { request, world in world.held.append(request) }
    }
    let fixture = await BlueZFixture(on: bus)
    await fixture.recorder.wait(for: "state poweredOn")
    try await fixture.connect(to: device.address)
    await fixture.recorder.wait(for: "connected \(device.address)")
    let peer = try fixture.peer(at: device.address).identifier
    await fixture.run { _ in
      fixture.recorder.links[peer]?.setNotify(true, for: Self.measurement) { _ in }
    }
    await daemon.wait(for: "StartNotify", at: device.characteristic)
    // Requested inside the callback, so that the next link is wanted before the former one is forgotten.
    await fixture.run { central in
      fixture.recorder.reaction = { line in
        if line.hasPrefix("disconnected") { central.connect(peer, options: ConnectionOptions()) }
      }
    }
    try await daemon.run { world in
      world.script("StartNotify", at: device.characteristic, nil)
      device.disconnect(from: world)
    }
    await fixture.recorder.wait(for: "connected \(device.address)", count: 2)
    await fixture.run { _ in fixture.recorder.reaction = nil }
    try await fixture.result(on: device.address) { $0.setNotify(true, for: Self.measurement, $1) }.get()
    try await daemon.run { world in
      for request in world.held { request.refuse(BusError("org.bluez.Error.Failed", "Not connected")) }
      world.set(device.characteristic, BlueZName.gattCharacteristic, ["Value": .octets([7])])
    }
    await fixture.recorder.wait(for: "value 0x000E 07")
  }
}
