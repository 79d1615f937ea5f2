import BLEAdapter
import BLECore
import BLEHost
import Testing

@testable import BLEBlueZ

@Suite("Scanning through BlueZ's daemon")
struct ScanTests {
  private static let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"

  @Test("I12.2 a scan is the daemon's discovery of LE devices, and ends with it")
  func discovery() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    await fixture.run { $0.startScan(ScanParameters()) }
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
    let filter = try await daemon.run { $0.arguments["SetDiscoveryFilter \(ScriptedDaemon.adapter)"]?.first?.first }
    #expect(filter == .options(["Transport": .string("le"), "DuplicateData": .boolean(false)]))
    // A device that the daemon remembers is not one that is received.
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("found") })
    try await daemon.run { $0.change(["RSSI": .int16(-40), "Name": .string("Thing")]) }
    await fixture.recorder.wait(for: "found Thing -40")
    await fixture.run { $0.stopScan() }
    await daemon.wait(for: "StopDiscovery", at: ScriptedDaemon.adapter)
  }

  @Test("I12.2 a device is reported once, again with new content, and each time where duplicates are allowed")
  func duplicates() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    await fixture.run { $0.startScan(ScanParameters()) }
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
    for rssi: Int16 in [-40, -41, -42] { try await daemon.run { $0.change(["RSSI": .int16(rssi)]) } }
    try await daemon.run { $0.change(["RSSI": .int16(-43), "Name": .string("Thing")]) }
    await fixture.recorder.wait(for: "found Thing -43")
    #expect(fixture.recorder.lines.filter { $0.hasPrefix("found") } == ["found - -40", "found Thing -43"])
    await fixture.run { $0.startScan(ScanParameters(allowsDuplicates: true)) }
    await daemon.wait(for: "SetDiscoveryFilter", at: ScriptedDaemon.adapter, count: 2)
    // Devices received at the moment are reported at the start.
    await fixture.recorder.wait(for: "found Thing -43", count: 2)
    for rssi: Int16 in [-50, -50, -51] { try await daemon.run { $0.change(["RSSI": .int16(rssi)]) } }
    await fixture.recorder.wait(for: "found Thing -51")
    #expect(fixture.recorder.lines.filter { $0 == "found Thing -50" }.count == 2)
    #expect(try await daemon.run { $0.count("StartDiscovery", at: ScriptedDaemon.adapter) } == 1)
  }

  @Test("I12.2 requested services, advertised or solicited, and RSSI beyond the range of an octet")
  func services() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    let wanted = try #require(BLEUUID(Self.heartRate))
    await fixture.run { $0.startScan(ScanParameters(services: [wanted], solicitedServices: [BLEUUID(0x180F)])) }
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
    try await daemon.run { world in
      world.addDevice(
        at: ScriptedDaemon.adapter + "/dev_1", address: "C0:00:00:00:00:01",
        ["RSSI": .int16(-30), "Name": .string("Other"), "UUIDs": .texts(["180A"])])
      world.addDevice(
        at: ScriptedDaemon.adapter + "/dev_2", address: "C0:00:00:00:00:02",
        ["RSSI": .int16(-999), "Name": .string("Heart"), "UUIDs": .texts([Self.heartRate])])
      world.addDevice(
        at: ScriptedDaemon.adapter + "/dev_3", address: "C0:00:00:00:00:03",
        [
          "RSSI": .int16(30), "Name": .string("Seeker"),
          "AdvertisingData": .dictionary([.octet(0x14): .variant(.octets([0x0F, 0x18]))], key: "y", value: "v"),
        ])
    }
    await fixture.recorder.wait(for: "found Seeker 30")
    #expect(fixture.recorder.lines.filter { $0.hasPrefix("found") } == ["found Heart -128", "found Seeker 30"])
  }

  @Test("I12.2 a daemon that refuses to scan is asked again as long as a scan is requested")
  func refused() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("SetDiscoveryFilter", at: ScriptedDaemon.adapter) { request, _ in
        request.refuse(BusError("org.bluez.Error.NotSupported", ""))
      }
      world.script("StartDiscovery", at: ScriptedDaemon.adapter) { request, world in
        if world.count("StartDiscovery", at: ScriptedDaemon.adapter) < 3 {
          request.refuse(BusError("org.bluez.Error.InProgress", "Operation already in progress"))
        } else {
          request.answer()
        }
      }
    }
    await fixture.run { $0.startScan(ScanParameters()) }
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter, count: 3)
    try await daemon.run { $0.change(["RSSI": .int16(-40)]) }
    await fixture.recorder.wait(for: "found - -40")
  }

  @Test("I12.5 a discovery that stops receiving is restarted, logs that, and loses nothing")
  func silentSearch() async throws {
    // However slow this test is, reports count together; and the restart happens once.
    var rule = ScanWatch.Rule()
    rule.interval = .milliseconds(50)
    rule.formerLooks = 100_000
    rule.firstPause = .seconds(3_600)
    let log = LinesLog()
    let (fixture, daemon) = try await BlueZFixture.withDevice(log: Logger(label: "", sink: log), scanRule: rule) {
      world in
      world.script("StopDiscovery", at: ScriptedDaemon.adapter) { request, world in
        // As the daemon does for the devices that it has found.
        world.set(ScriptedDaemon.device, BlueZName.device, [:], invalidated: ["RSSI"])
        request.answer()
      }
    }
    await fixture.run { $0.startScan(ScanParameters()) }
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
    try await daemon.run { world in
      // Received once each, as where the daemon filters duplicates: this is no reason to expect more.
      for number in 10..<50 {
        world.addDevice(
          at: ScriptedDaemon.adapter + "/dev_\(number)", address: "C0:00:00:00:00:\(number)", ["RSSI": .int16(-40)])
      }
      for number in 0..<30 { world.change(["RSSI": .int16(number % 2 == 0 ? -40 : -41), "Name": .string("Thing")]) }
    }
    // The first one was not a repetition.
    await fixture.recorder.wait(for: "found Thing -40")
    try await daemon.run { $0.change(["RSSI": .int16(-50)]) }
    await daemon.wait(for: "StopDiscovery", at: ScriptedDaemon.adapter)
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter, count: 2)
    #expect(await fixture.counters.restartedScans == 1)
    #expect(log.lines.contains { $0.hasPrefix("the daemon's discovery is restarted: nothing was heard for ") })
    #expect(log.lines.contains { $0.contains(" after 30 repeated advertisements ") })
    try await daemon.run { $0.change(["RSSI": .int16(-42)]) }
    try await daemon.run { $0.change(["RSSI": .int16(-43), "Name": .string("Other")]) }
    await fixture.recorder.wait(for: "found Other -43")
    #expect(fixture.recorder.lines.filter { $0.hasPrefix("found Thing") } == ["found Thing -40"])
    await fixture.run { $0.stopScan() }
    await daemon.wait(for: "StopDiscovery", at: ScriptedDaemon.adapter, count: 2)
    #expect(try await daemon.run { $0.count("StartDiscovery", at: ScriptedDaemon.adapter) } == 2)
  }

  @Test("I12.2 a device has the same identifier in two processes, and knownPeers finds it")
  func identifiers() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { $0.change(["RSSI": .int16(-40)]) }
    await fixture.run { $0.startScan(ScanParameters()) }
    await fixture.recorder.wait(for: "found - -40")
    let identifier = try fixture.peer.identifier
    let recorder = fixture.recorder
    #expect(await fixture.run { _ in recorder.discoveries.map(\.peer) } == [identifier])
    #expect(fixture.stack.knownPeers([identifier]).map(\.address.description) == [ScriptedDaemon.address])
    let other = await BlueZFixture(on: fixture.bus)
    #expect(try other.peer.identifier == identifier)
    _ = daemon
  }
}
