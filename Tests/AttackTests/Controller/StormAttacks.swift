import BLECore
import BLEHCI
import BLETestKit
import BLEWire
import CoreBluetooth
import Measurements
import TestSupport
import Testing

/// Events that come ten thousand times. Each test measures the memory of a process of its own, where no other test allocates.
@Suite("H7 storms", .enabled(if: Allocations.areKnown, "a sanitizer has an allocator of its own"))
struct StormAttacks {
  @Test("H7 10,000 connections that end immediately, or during an operation, leave tables and memory as they were")
  func connections() async throws {
    await #expect(processExitsWith: .success) {
      let storm = try await Storm.start()
      try await storm.cycles(2_000)
      let growth = try await Allocations.leftBehind(byEachOf: 10_000) { try await storm.cycles($0) }
      // Up to 25: the testing library keeps backtraces of errors that were thrown, and clears them out now and then.
      #expect(growth.octets < 50, "\(growth)")
      try await storm.isOver()
    }
  }

  @Test("H7 1,000 connections over the air, ended as soon as they are made, leave the shelf as it was")
  func overTheAir() async throws {
    await #expect(processExitsWith: .success) {
      let world = World(seed: 1, keepsPackets: false)
      let device = world.makeDevice("victim")
      let shelf = Shelf.start(device.options)
      shelf.keepsRecord = false
      shelf.onWrite = { _, _ in Issue.record("a write that was prepared only") }
      let attacker = HostileDevice(world, address: HostileDevice.address(1))
      let address = device.address
      attacker.linkChanged = { attacker, isUp in
        guard isUp else { return attacker.connect(to: address) }
        attacker.forgetWhatCame()
        switch attacker.connectionCount % 4 {
        case 0: break
        case 1: attacker.sendAttributePDU([0x12, 0x15, 0x00, 0x01, 0x00])
        case 2: attacker.sendAttributePDU([0x16, 0x14, 0x00, 0x00, 0x00, 0x61])
        default: attacker.sendCommand([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00])
        }
        attacker.disconnect()
      }
      try await world.wait(within: .seconds(5)) { shelf.manager.isAdvertising }
      attacker.connect(to: address)
      try await world.wait(within: .seconds(1_000)) { attacker.connectionCount > 300 }
      let growth = try await Allocations.leftBehind(byEachOf: 1_000) { goal in
        try await world.wait(within: .seconds(10_000)) { attacker.connectionCount > 300 + goal }
      }
      #expect(growth.octets < 100, "\(growth)")
      attacker.linkChanged = { _, _ in }
      try await world.wait(within: .seconds(60)) { !attacker.isConnected }
      #expect(shelf.centrals.isEmpty)
      attacker.connect(to: address)
      try await world.wait(within: .seconds(10)) { attacker.isConnected }
      #expect(await attacker.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer)
    }
  }

  @Test("H2 100,000 advertisements that are begun and never ended take no more room than 64 of them")
  func endlessParts() async throws {
    await #expect(processExitsWith: .success) {
      let host = BetrayedHost(World(seed: 1, keepsPackets: false))
      let program = CentralApp(host.options, seeking: "nobody", discovering: .descriptors)
      await host.world.advance(by: .seconds(1))
      let before = Allocations.live
      let filling = [UInt8](repeating: 1, count: 229)
      for round in 0..<1_000 {
        await host.perform { chip in
          for number in 0..<100 {
            chip.inject(
              LEExtendedAdvertisingReportEvent(reports: [
                .init(
                  type: [.connectable, .incomplete],
                  address: HCIAddress(DeviceAddress(0xC000_0000_0000 | UInt64(round * 100 + number), kind: .random)),
                  setIdentifier: UInt8(number % 16), rssi: -40, data: filling[...])
              ]))
          }
        }
      }
      let after = Allocations.live
      #expect(after < before + 64 * 1_650 * 2, "\(before) octets, then \(after)")
      #expect(program.told == ["state 5"])
    }
  }
}

/// A shelf whose controller reports connection after connection.
private struct Storm {
  let host: BetrayedHost
  let shelf: PeripheralApp

  static func start() async throws -> Storm {
    let host = BetrayedHost(World(seed: 1, keepsPackets: false))
    let shelf = Shelf.start(host.options)
    shelf.keepsRecord = false
    try await host.world.wait(within: .seconds(5)) { shelf.manager.isAdvertising }
    return Storm(host: host, shelf: shelf)
  }

  /// Data begun on a link before it ends, as ACL payloads.
  private static let beginnings: [[UInt8]] = [
    [],
    // Half a frame; a write; a subscription; a prepared write; a request; a pairing; a channel; half a header.
    [0x20, 0x00, 0x04, 0x00, 0x12], [4, 0, 4, 0, 0x52, 0x14, 0, 0x61], [5, 0, 4, 0, 0x12, 0x15, 0, 1, 0],
    [6, 0, 4, 0, 0x16, 0x14, 0, 0, 0, 0x61], [3, 0, 4, 0, 0x0A, 0x14, 0],
    [7, 0, 6, 0, 0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00],
    [14, 0, 5, 0, 0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 0, 1, 0x40, 0, 1, 0], [0x01],
  ]

  /// Up to four links at a time, of sixteen peers, as central or as peripheral.
  func cycles(_ count: Int) async throws {
    for start in stride(from: 0, to: count, by: 20) {
      await host.perform { chip in
        for number in start..<min(count, start + 20) {
          let handle = ConnectionHandle(UInt16(0x0E00 + number % 4))
          chip.injectDisconnection(handle)
          chip.injectConnection(handle, from: UInt64(number % 16))
          let octets = Self.beginnings[number % Self.beginnings.count]
          if !octets.isEmpty {
            chip.inject(
              HCIPacket(
                HCIACLPacket(connectionHandle: handle, boundary: .firstFlushable, payload: octets[...])))
          }
        }
      }
      await host.world.advance(by: .milliseconds(5))
    }
    await host.perform { chip in
      for number in UInt16(0)..<4 { chip.injectDisconnection(ConnectionHandle(0x0E00 + number)) }
    }
    await host.world.advance(by: .seconds(1))
  }

  /// Nothing of them is left, and a central over the air is served.
  func isOver() async throws {
    #expect(host.stack.linkCount == 0 && host.chipCount == 1)
    #expect(shelf.centrals.isEmpty)
    #expect(shelf.manager.state == .poweredOn)
    let central = HostileDevice(host.world, address: HostileDevice.address(1))
    await host.world.advance(by: .milliseconds(100))
    try await central.link(to: host.address)
    #expect(await central.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer)
  }
}
