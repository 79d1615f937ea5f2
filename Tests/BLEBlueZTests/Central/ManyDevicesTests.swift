import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

@Suite("A daemon with many known devices")
struct ManyDevicesTests {
  @Test("I12.2 a daemon that knows ten thousand devices is used like any other")
  func tenThousand() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus) { world in
      world.addAdapter()
      world.addDevice()
      world.script("GetManagedObjects", at: "/") { request, world in
        var all = world.shownObjects
        for number in 0..<10_000 {
          let digits = String(0x10000 + number, radix: 16, uppercase: true).dropFirst()
          let address = "C1:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))"
          all[.objectPath("\(ScriptedDaemon.adapter)/dev_\(address.split(separator: ":").joined(separator: "_"))")] =
            .dictionary(
              [
                .string(BlueZName.device): .options([
                  "Address": .string(address), "AddressType": .string("random"), "Name": .string("Thing \(number)"),
                  "Alias": .string("Thing \(number)"), "Paired": .boolean(false), "Trusted": .boolean(false),
                  "Connected": .boolean(false), "UUIDs": .texts(["0000180d-0000-1000-8000-00805f9b34fb"]),
                ])
              ], key: "s", value: "a{sv}")
        }
        request.answer([.dictionary(all, key: "o", value: "a{sa{sv}}")])
      }
    }
    let fixture = await BlueZFixture(on: bus)
    await fixture.recorder.wait(for: "state poweredOn")
    let stack = fixture.stack
    #expect(await fixture.run { _ in stack.mirror.devices.count } == 10_001)
    await fixture.run { $0.startScan(ScanParameters()) }
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
    try await daemon.run { $0.change(["RSSI": .int16(-40)]) }
    await fixture.recorder.wait(for: "found - -40")
    try await fixture.connected()
  }

  @Test("I12.2 the daemon is killed at fifty moments of a link's life, and each time everything is restored")
  func deaths() async throws {
    let random = SeededEntropy(seed: 0xB1E5)
    let bus = try PrivateBus()
    var daemon = try await ScriptedDaemon(on: bus, Self.furnish)
    let fixture = await BlueZFixture(on: bus)
    await fixture.recorder.wait(for: "state poweredOn")
    for round in 1...50 {
      try await fixture.connect()
      await fixture.run { $0.startScan(ScanParameters(allowsDuplicates: true)) }
      let moments = [
        ("SetDiscoveryFilter", ScriptedDaemon.adapter), ("StartDiscovery", ScriptedDaemon.adapter),
        ("Connect", ScriptedDaemon.device),
      ]
      let moment = moments[Int(random.next() % 3)]
      await daemon.wait(for: moment.0, at: moment.1)
      try await daemon.die()
      await fixture.recorder.wait(for: "state resetting", count: round)
      daemon = try await ScriptedDaemon(on: bus, Self.furnish)
      await fixture.recorder.wait(for: "state poweredOn", count: round + 1)
    }
    let ups = fixture.recorder.lines.filter { $0.hasPrefix("connected") }.count
    try await fixture.connect()
    await fixture.recorder.wait(for: "connected \(ScriptedDaemon.address)", count: ups + 1)
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("failed") || $0.hasPrefix("disconnected") })
  }

  private static func furnish(_ world: DaemonWorld) {
    world.addAdapter()
    world.addDevice()
  }
}
