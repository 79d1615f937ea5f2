import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension RuleCase {
  /// Does something with the characteristic of a lamp that was met.
  private static func with(
    _ uuid: String, _ act: @escaping @Sendable (CBPeripheral, CBCharacteristic, RuleBench) async throws -> Void
  ) -> Script {
    { bench in
      let (_, peripheral, _) = try await bench.met()
      try await act(peripheral, try peripheral.characteristic(uuid), bench)
      await bench.world.settle()
    }
  }

  private static func writing(
    _ uuid: String, _ type: CBCharacteristicWriteType, _ count: @escaping @Sendable (CBPeripheral) -> Int
  ) -> Script {
    with(uuid) { peripheral, characteristic, _ in
      peripheral.writeValue(Data(count: count(peripheral)), for: characteristic, type: type)
    }
  }

  /// What one packet carries.
  private static func room(_ peripheral: CBPeripheral) -> Int {
    peripheral.maximumWriteValueLength(for: .withoutResponse)
  }

  static let values = [
    RuleCase(
      50, "a read of what can only be written", not: "a read of what can be read",
      breaks: with("FFF4") { peripheral, characteristic, _ in peripheral.readValue(for: characteristic) },
      keeps: with("FFF2") { peripheral, characteristic, _ in peripheral.readValue(for: characteristic) }),
    RuleCase(
      51, "a write to what can only be read", not: "a write to what can be written",
      breaks: writing("FFF2", .withResponse) { _ in 1 }, keeps: writing("FFF4", .withResponse) { _ in 1 }),
    RuleCase(
      52, "a write without response to what needs one", not: "a write without response where it is offered",
      breaks: writing("FFF4", .withoutResponse) { _ in 1 }, keeps: writing("FFF3", .withoutResponse) { _ in 1 }),
    RuleCase(
      53, "a write of 513 octets", not: "a write of 512",
      breaks: writing("FFF4", .withResponse) { _ in 513 }, keeps: writing("FFF4", .withResponse) { _ in 512 }),
    RuleCase(
      54, "a write without response that is an octet too long", not: "one that just fits",
      breaks: small(writing("FFF3", .withoutResponse) { room($0) + 1 }),
      keeps: small(writing("FFF3", .withoutResponse) { room($0) })),
    RuleCase(
      55, "a write with response that is an octet longer than a packet", not: "one that just fits",
      breaks: small(writing("FFF4", .withResponse) { room($0) + 1 }),
      keeps: small(writing("FFF4", .withResponse) { room($0) })),
    RuleCase(
      56, "a hundred writes without response at once", not: "writes until there is no room, and more when there is",
      breaks: with("FFF3") { peripheral, characteristic, _ in
        for _ in 0..<100 { peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse) }
      },
      keeps: { bench in
        let (app, peripheral, _) = try await bench.met()
        let characteristic = try peripheral.characteristic("FFF3")
        let pump = Pump(100) {
          guard peripheral.canSendWriteWithoutResponse else { return false }
          peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
          return true
        }
        app.reactions["ready"] = { pump.run() }
        pump.run()
        await bench.world.settle()
        #expect(pump.remaining == 0)
      }),
    RuleCase(
      57, "a subscription to what can only be read", not: "a subscription to what can notify",
      breaks: with("FFF2") { peripheral, characteristic, _ in peripheral.setNotifyValue(true, for: characteristic) },
      keeps: with("FFF5") { peripheral, characteristic, _ in peripheral.setNotifyValue(true, for: characteristic) }),
    RuleCase(
      58, "ten reads of what can notify, every five seconds", not: "the same, every ten seconds",
      breaks: with("FFF1") { peripheral, characteristic, bench in
        for _ in 0..<10 {
          peripheral.readValue(for: characteristic)
          await bench.world.advance(by: .seconds(5))
        }
      },
      keeps: with("FFF1") { peripheral, characteristic, bench in
        for _ in 0..<10 {
          peripheral.readValue(for: characteristic)
          await bench.world.advance(by: .seconds(10))
        }
      }),
    RuleCase(
      59, "the RSSI asked for five times in two seconds", not: "the RSSI asked for every two seconds",
      breaks: with("FFF1") { peripheral, _, bench in
        for _ in 0..<5 {
          peripheral.readRSSI()
          await bench.world.advance(by: .milliseconds(500))
        }
      },
      keeps: with("FFF1") { peripheral, _, bench in
        for _ in 0..<5 {
          peripheral.readRSSI()
          await bench.world.advance(by: .seconds(2))
        }
      }),
    RuleCase(
      60, "twenty writes without response, unasked", not: "twenty, asked before each",
      breaks: with("FFF3") { peripheral, characteristic, _ in
        for _ in 0..<20 { peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse) }
      },
      keeps: with("FFF3") { peripheral, characteristic, _ in
        for _ in 0..<20 where peripheral.canSendWriteWithoutResponse {
          peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        }
      }),
  ]

  /// The phone's packets are short.
  static func small(_ script: @escaping Script) -> Script {
    { bench in
      bench.phone.setMaximumTransmissionUnit(40)
      try await script(bench)
    }
  }
}

/// Sends so many values as far as there is room, each time that it is run.
///
/// `@unchecked Sendable`: it is run on one queue, or while the world stands still.
final class Pump: @unchecked Sendable {
  private(set) var remaining: Int
  private let send: () -> Bool

  init(_ count: Int, send: @escaping () -> Bool) {
    remaining = count
    self.send = send
  }

  func run() { while remaining > 0, send() { remaining -= 1 } }
}
