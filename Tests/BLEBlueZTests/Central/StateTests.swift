import BLEAdapter
import BLECore
import BLETransports
import Testing

@testable import BLEBlueZ

@Suite("The state of an adapter of BlueZ's")
struct StateTests {
  @Test("I12.2 without a bus the adapter is unsupported, and the log names possible causes")
  func noBus() async throws {
    let bus = try PrivateBus()
    bus.kill()
    let log = LinesLog()
    let fixture = await BlueZFixture(on: bus, log: Logger(label: "bluez", sink: log))
    await fixture.recorder.wait(for: "state unsupported")
    #expect(log.lines.contains { $0.contains("message bus") })
  }

  @Test("I12.2 without a daemon it is unsupported, and works once there is one")
  func noDaemon() async throws {
    let bus = try PrivateBus()
    let log = LinesLog()
    let fixture = await BlueZFixture(on: bus, log: Logger(label: "bluez", sink: log))
    await fixture.recorder.wait(for: "state unsupported")
    #expect(log.lines.contains { $0.contains("systemctl enable --now bluetooth") })
    let daemon = try await ScriptedDaemon(on: bus)
    await fixture.recorder.wait(for: "state poweredOn")
    #expect(fixture.recorder.lines == ["state unsupported", "state poweredOn"])
    _ = daemon
  }

  @Test(
    "I12.2 an adapter that is off reports what switched it off, and the command to type",
    arguments: [
      (
        RadioSwitch(name: "hci0", isHardBlocked: false, isSoftBlocked: true),
        "hci0: Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth"
      ),
      (
        RadioSwitch(name: "laptop", isHardBlocked: true, isSoftBlocked: false),
        "hci0: a switch of the machine has Bluetooth off (hard block of rfkill): find the switch"
      ),
      (
        RadioSwitch(name: "hci0", isHardBlocked: false, isSoftBlocked: false),
        "hci0 is switched off: bluetoothctl power on"
      ),
    ])
  func whyOff(_ item: RadioSwitch, _ line: String) async throws {
    let bus = try PrivateBus()
    let log = LinesLog()
    let daemon = try await ScriptedDaemon(on: bus) { $0.addAdapter(isPowered: false) }
    let fixture = await BlueZFixture(on: bus, log: Logger(label: "bluez", sink: log), switches: [item])
    await fixture.recorder.wait(for: "state poweredOff")
    #expect(log.lines.contains(line), "\(log.lines)")
    _ = daemon
  }

  @Test("I12.2 it follows the power of the adapter, and the adapter itself")
  func power() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus) { $0.addAdapter(isPowered: false) }
    let fixture = await BlueZFixture(on: bus)
    await fixture.recorder.wait(for: "state poweredOff")
    try await daemon.run { $0.set(ScriptedDaemon.adapter, BlueZName.adapter, ["Powered": .boolean(true)]) }
    await fixture.recorder.wait(for: "state poweredOn")
    #expect(fixture.stack.state == .poweredOn)
    try await daemon.run { $0.set(ScriptedDaemon.adapter, BlueZName.adapter, ["Powered": .string("no")]) }
    try await daemon.run { $0.remove(ScriptedDaemon.adapter) }
    await fixture.recorder.wait(for: "state poweredOff", count: 2)
    try await daemon.run { $0.addAdapter() }
    await fixture.recorder.wait(for: "state poweredOn", count: 2)
    #expect(
      fixture.recorder.lines == [
        "state poweredOff", "state poweredOn", "state resetting", "state poweredOff", "state poweredOn",
      ])
    #expect(await fixture.counters.resets == 1)
    // As bluetoothd reports an adapter that is unplugged: it is off, and then removed.
    for number in 2...3 {
      try await daemon.run { $0.set(ScriptedDaemon.adapter, BlueZName.adapter, ["Powered": .boolean(false)]) }
      await fixture.recorder.wait(for: "state poweredOff", count: number + 1)
      #expect(await fixture.counters.resets == number - 1)
      try await daemon.run { $0.remove(ScriptedDaemon.adapter) }
      try await daemon.run { $0.addAdapter() }
      await fixture.recorder.wait(for: "state poweredOn", count: number + 1)
      #expect(await fixture.counters.resets == number)
    }
  }

  @Test("I12.5 an adapter that is unplugged during use is waited for, also when the daemon is started meanwhile")
  func pulledOut() async throws {
    let (fixture, first) = try await BlueZFixture.withDevice()
    var daemon = first
    for round in 1...3 {
      try await fixture.connect()
      await fixture.recorder.wait(for: "connected \(ScriptedDaemon.address)", count: round)
      try await daemon.run { $0.remove(ScriptedDaemon.adapter) }
      await fixture.recorder.wait(for: "state poweredOff", count: round)
      #expect(fixture.stack.connectedPeers(withServices: []).isEmpty)
      if round == 2 {
        try await daemon.die()
        await fixture.recorder.wait(for: "state resetting", count: round + 1)
        daemon = try await ScriptedDaemon(on: fixture.bus) { _ in }
      }
      try await daemon.run { world in
        world.addAdapter()
        world.addDevice()
      }
      await fixture.recorder.wait(for: "state poweredOn", count: round + 1)
    }
    #expect(!fixture.recorder.lines.contains("state unsupported"))
  }

  @Test(
    "I12.2 a named adapter is used and no other; without a name the first that is switched on",
    arguments: [
      (nil, "/org/bluez/hci1"), ("hci2", "/org/bluez/hci2"), ("00:11:22:33:44:60", "/org/bluez/hci0"),
    ] as [(String?, String)])
  func choice(selector: String?, path: String) async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus) { world in
      for number in 0...2 {
        world.addAdapter("/org/bluez/hci\(number)", isPowered: number > 0, address: "00:11:22:33:44:6\(number)")
      }
    }
    let fixture = await BlueZFixture(on: bus, selector: selector)
    await fixture.recorder.wait(for: path.hasSuffix("0") ? "state poweredOff" : "state poweredOn")
    let stack = fixture.stack
    #expect(await fixture.run { _ in stack.adapterPath } == path)
    _ = daemon
  }

  @Test("I12.2 an adapter that the daemon does not have is unsupported, and the log lists those that it has")
  func missing() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus)
    let log = LinesLog()
    let fixture = await BlueZFixture(on: bus, selector: "hci7", log: Logger(label: "bluez", sink: log))
    await fixture.recorder.wait(for: "state unsupported")
    #expect(log.lines.contains("the Bluetooth daemon has no adapter hci7: it has hci0"))
    _ = daemon
  }

  @Test("I12.2 a user whom the daemon refuses is unauthorized")
  func denied() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus) { world in
      world.script("GetManagedObjects", at: "/") { request, _ in
        request.refuse(BusError(BusError.accessDenied, "Rejected send message"))
      }
    }
    let log = LinesLog()
    let fixture = await BlueZFixture(on: bus, log: Logger(label: "bluez", sink: log))
    await fixture.recorder.wait(for: "state unauthorized")
    #expect(log.lines.contains { $0.contains("group bluetooth") })
    _ = daemon
  }

  @Test("I12.2 a daemon that is killed and restarted is resetting in between, each time")
  func restart() async throws {
    let (fixture, first) = try await BlueZFixture.withDevice()
    var daemon = first
    for round in 1...5 {
      try await fixture.connect()
      await fixture.recorder.wait(for: "connected \(ScriptedDaemon.address)", count: round)
      await fixture.run { $0.startScan(ScanParameters()) }
      try await daemon.die()
      await fixture.recorder.wait(for: "state resetting", count: round)
      #expect(fixture.stack.connectedPeers(withServices: []).isEmpty)
      // The new one has no adapter at first, like the real one.
      daemon = try await ScriptedDaemon(on: fixture.bus) { _ in }
      try await daemon.run { world in
        world.addAdapter()
        world.addDevice()
      }
      await fixture.recorder.wait(for: "state poweredOn", count: round + 1)
    }
    #expect(await fixture.counters == AdapterCounters(resets: 5, lostLinks: [.poweredOff: 5]))
    let states = fixture.recorder.lines.filter { $0.hasPrefix("state") }
    #expect(
      states == ["state poweredOn"] + Array(repeating: ["state resetting", "state poweredOn"], count: 5).joined())
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("failed") })
  }

  @Test(
    "I12.2 an invalid list of objects, an error answer or an invalid adapter name is no adapter",
    arguments: 0..<4)
  func hostileList(kind: Int) async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus) { world in
      world.script("GetManagedObjects", at: "/") { request, _ in
        switch kind {
        case 0: request.answer([.string("nothing")])
        case 1: request.answer([])
        case 2: request.refuse(BusError("org.bluez.Error.Failed", ""))
        default:
          request.answer([
            .dictionary(
              [
                .objectPath("/org/bluez/hci0"): .dictionary(
                  [.string(BlueZName.adapter): .octets([1])], key: "s", value: "ay")
              ],
              key: "o", value: "a{say}")
          ])
        }
      }
    }
    let fixture = await BlueZFixture(on: bus)
    await fixture.recorder.wait(for: "state unsupported")
    _ = daemon
  }
}
