import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension RuleCase {
  static let discovering = [
    RuleCase(
      40, "discoverServices(nil)", not: "discoverServices with a service",
      breaks: { bench in
        bench.publish()
        try await bench.connected(bench.app()).discoverServices(in: bench.world)
      },
      keeps: { bench in
        bench.publish()
        try await bench.connected(bench.app()).discoverServices([RuleBench.service], in: bench.world)
      }),
    RuleCase(
      41, "discoverCharacteristics(nil)", not: "discoverCharacteristics with names",
      breaks: { bench in
        let (_, peripheral, _) = try await bench.met()
        peripheral.discoverCharacteristics(nil, for: try peripheral.service("FFF0"))
        await bench.world.settle()
      },
      keeps: { bench in _ = try await bench.met() }),
    RuleCase(
      42, "a search for Human Interface Device", not: "a search for Battery",
      breaks: { bench in
        bench.publish()
        try await bench.connected(bench.app()).discoverServices([.of("1812")], in: bench.world)
      },
      keeps: { bench in
        bench.publish()
        try await bench.connected(bench.app()).discoverServices([.of("180F")], in: bench.world)
      }),
    RuleCase(
      43, "a characteristic of the last connection", not: "the characteristic, discovered again",
      breaks: { bench in
        let (app, peripheral, _) = try await bench.met()
        let old = try peripheral.characteristic("FFF1")
        await bench.disconnect(app, peripheral)
        try await app.connect(to: peripheral, in: bench.world)
        await peripheral.read(old, in: bench.world)
      },
      keeps: { bench in
        let (app, peripheral, _) = try await bench.met()
        await bench.disconnect(app, peripheral)
        try await app.connect(to: peripheral, in: bench.world)
        try await bench.discover(peripheral)
        await peripheral.read(try peripheral.characteristic("FFF1"), in: bench.world)
      }),
    RuleCase(
      44, "services change without didModifyServices", not: "services change with it",
      breaks: { bench in
        let (_, peripheral, lamp) = try await bench.met()
        let delegate = BareDelegate()
        bench.kept.append(delegate)
        peripheral.delegate = delegate
        lamp.manager.remove(try #require(lamp.published("FFF1")?.service as? CBMutableService))
        await bench.world.advance(by: .seconds(5))
      },
      keeps: { bench in
        let (app, _, lamp) = try await bench.met()
        lamp.manager.remove(try #require(lamp.published("FFF1")?.service as? CBMutableService))
        await bench.world.advance(by: .seconds(5))
        #expect(app.invalidated.count == 1)
      }),
    RuleCase(
      45, "a new firmware with other handles, without an indication", not: "the same firmware again",
      breaks: { bench in
        try await bench.reconnect(afterPublishing: [CBMutableService("FFE0"), RuleBench.makeService()])
      },
      keeps: { bench in try await bench.reconnect(afterPublishing: [RuleBench.makeService()]) }),
  ]
}

extension RuleBench {
  /// The lamp starts again, with these services.
  fileprivate func reconnect(afterPublishing services: [CBMutableService]) async throws {
    let (app, peripheral, _) = try await met()
    await disconnect(app, peripheral)
    lamp.terminateProcess()
    publish(services)
    await world.advance(by: .seconds(5))
    try await app.connect(to: peripheral, in: world)
    await peripheral.discoverServices([Self.service], in: world)
  }
}

/// A delegate that implements nothing but what it must.
final class BareDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate,
  @unchecked Sendable
{
  // It has no state.
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}
