import BLECapture
import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A world of devices")
struct WorldTests {
  /// Scans, connects to each advertiser it finds, and disconnects again.
  private func visitor(on device: Device) -> CentralApp {
    let app = CentralApp(device.options)
    app.onSighting = { [unowned app] sighting in
      guard !app.kept.contains(sighting.peripheral) else { return }
      app.kept.append(sighting.peripheral)
      app.manager.connect(sighting.peripheral)
    }
    app.reactions["connected"] = { [unowned app] in
      for peripheral in app.kept where peripheral.state == .connected {
        app.manager.cancelPeripheralConnection(peripheral)
      }
    }
    app.scanWhenPoweredOn()
    return app
  }

  /// Advertises its device's name.
  private func host(on device: Device) -> PeripheralApp { PeripheralApp(device.name, on: device) }

  private func run(seed: UInt64) async -> [UInt8] {
    let world = World(seed: seed)
    let hosts = (0..<5).map { host(on: world.makeDevice("host \($0)", at: Position(x: Double($0)))) }
    let visitors = (0..<3).map { visitor(on: world.makeDevice("visitor \($0)")) }
    await world.advance(by: .seconds(10))
    #expect(visitors.allSatisfy { $0.kept.count == hosts.count })
    return world.capture
  }

  @Test("the same seed gives the same capture, octet for octet, and another seed another one")
  func determinism() async {
    let first = await run(seed: 7)
    let second = await run(seed: 7)
    let other = await run(seed: 8)
    #expect(first == second)
    #expect(first != other)
    #expect(first.count > 10_000)
    print("capture of seed 7: \(first.count) octets, checksum \(checksum(first))")
  }

  private func checksum(_ octets: [UInt8]) -> UInt64 {
    octets.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  @Test("a capture may be read while the world runs, as when one of several cases fails")
  func lookingWhileRunning() async throws {
    let world = World(seed: 3)
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    let programs = (visitor(on: phone), host(on: sensor))
    let looking = Task.detached {
      var count = 0
      // At least once, whenever it gets a thread.
      while count == 0 || !Task.isCancelled { count = max(count, world.capture.count) }
      return count
    }
    for _ in 0..<40 { await world.advance(by: .milliseconds(250)) }
    looking.cancel()
    let seen = await looking.value
    #expect(seen > 0 && seen <= world.capture.count)
    withExtendedLifetime(programs) {}
  }

  @Test("a capture can be read back")
  func reading() async throws {
    let octets = await run(seed: 9)
    let reader = PcapNGReader(CaptureOctets(octets))
    var count = 0
    while let packet = try reader.next() {
      if case .hci = packet.content { count += 1 }
    }
    #expect(count > 200)
  }

  @Test("a wait that times out reports how long it waited and the seed")
  func waiting() async throws {
    let world = World(seed: 11)
    await #expect(throws: WaitError.self) {
      try await world.wait(within: .seconds(3)) { false }
    }
    #expect(world.now == .seconds(3))
  }

  @Test("a thousand devices that advertise every 100 ms are all found by one scanner")
  func thousand() async throws {
    let world = World(keepsPackets: false)
    let hosts = (0..<1_000).map {
      host(on: world.makeDevice("host \($0)", at: Position(x: Double($0 % 40), y: Double($0 / 40))))
    }
    let listener = CentralApp(world.makeDevice("phone").options)
    listener.scanWhenPoweredOn()
    await world.advance(by: .seconds(10))
    #expect(Set(listener.names).count == 1_000)
    withExtendedLifetime(hosts) {}
  }
}
