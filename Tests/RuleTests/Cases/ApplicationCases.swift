import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension RuleCase {
  private static func identifier(_ text: String) -> [String: Any] {
    [CBCentralManagerOptionRestoreIdentifierKey: text]
  }

  /// The process ends while it scans, and the next one makes these managers.
  private static func relaunch(_ identifiers: [String?]) -> Script {
    { bench in
      await bench.app(identifier("app")).manager.scanForPeripherals(withServices: [RuleBench.service])
      await bench.world.advance(by: .seconds(1))
      bench.phone.terminateProcess()
      for text in identifiers { _ = await bench.app(text.map { identifier($0) } ?? [:]) }
    }
  }

  /// The lamp notifies, or is read, while the app of the phone or of the lamp is in the background.
  private static func event(inBackgroundOf role: String, _ modes: Set<String>) -> Script {
    { bench in
      bench.judge(.init(usageDescription: "finds the lamp", backgroundModes: modes))
      let publisher = bench.publish()
      let app = await bench.app(role == "central" ? identifier("app") : [:])
      let peripheral = try await bench.connected(app)
      try await bench.discover(peripheral)
      let characteristic = try peripheral.characteristic("FFF1")
      await peripheral.notify(true, characteristic, in: bench.world)
      if role == "central" { bench.phone.enterBackground() } else { bench.lamp.enterBackground() }
      await bench.world.advance(by: .seconds(1))
      if role == "central" {
        publisher.push(Data([1]), "FFF1")
        await bench.world.settle()
      } else {
        await peripheral.read(characteristic, in: bench.world)
      }
    }
  }

  static let application = [
    RuleCase(
      100, "a command 11 s after the app went into the background", not: "one after 9 s",
      breaks: { bench in
        let app = await bench.app()
        bench.phone.enterBackground()
        await bench.world.advance(by: .seconds(11))
        app.manager.stopScan()
      },
      keeps: { bench in
        let app = await bench.app()
        bench.phone.enterBackground()
        await bench.world.advance(by: .seconds(9))
        app.manager.stopScan()
      }),
    RuleCase(
      101, "a notification in the background without bluetooth-central", not: "one with it",
      breaks: event(inBackgroundOf: "central", []), keeps: event(inBackgroundOf: "central", ["bluetooth-central"])),
    RuleCase(
      102, "a read in the background without bluetooth-peripheral", not: "one with it",
      breaks: event(inBackgroundOf: "peripheral", []),
      keeps: event(inBackgroundOf: "peripheral", ["bluetooth-peripheral"])),
    RuleCase(
      103, "a name that is advertised when the app goes into the background", not: "a service alone",
      breaks: { bench in
        bench.publish()
        await bench.world.settle()
        bench.lamp.enterBackground()
        await bench.world.settle()
      },
      keeps: { bench in
        await bench.publisher().manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [RuleBench.service]])
        await bench.world.settle()
        bench.lamp.enterBackground()
        await bench.world.settle()
      }),
    RuleCase(
      104, "bluetooth-central, and no restore identifier", not: "bluetooth-central with one",
      breaks: { bench in
        bench.judge(.init(usageDescription: "finds the lamp", backgroundModes: ["bluetooth-central"]))
        _ = await bench.app()
      },
      keeps: { bench in
        bench.judge(.init(usageDescription: "finds the lamp", backgroundModes: ["bluetooth-central"]))
        _ = await bench.app(identifier("app"))
      }),
    RuleCase(
      110, "another identifier in the next launch", not: "the same identifier in the next launch",
      breaks: relaunch(["other"]), keeps: relaunch(["app"])),
    RuleCase(
      111, "no identifier in the next launch", not: "the same identifier, and a manager without one",
      breaks: relaunch([nil]), keeps: relaunch(["app", nil])),
    RuleCase(
      112, "a restored manager whose delegate has no willRestoreState", not: "one that has it",
      breaks: { bench in
        try await relaunch([])(bench)
        let delegate = BareDelegate()
        let manager = CBCentralManager(
          delegate: delegate, queue: DispatchQueue(label: "bare"),
          options: bench.phone.options.merging(identifier("app")) { $1 })
        bench.kept += [delegate, manager]
        await bench.world.settle()
      },
      keeps: relaunch(["app"])),
    RuleCase(
      113, "an identifier without a delegate", not: "an identifier with one",
      breaks: { bench in
        bench.kept.append(
          CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "bare"),
            options: bench.phone.options.merging(identifier("app")) { $1 }))
        await bench.world.settle()
      },
      keeps: { bench in _ = await bench.app(identifier("app")) }),
    RuleCase(
      114, "one identifier for two managers", not: "one for each",
      breaks: { bench in for _ in 0..<2 { _ = await bench.app(identifier("app")) } },
      keeps: { bench in for number in 0..<2 { _ = await bench.app(identifier("app \(number)")) } }),
  ]

  /// A device that requests these connection parameters: units of 1.25 ms, of events, and of 10 ms.
  private static func requesting(_ shortest: UInt8, _ longest: UInt8, _ latency: UInt8, _ timeout: UInt16) -> Script {
    { bench in
      let (lock, _) = try await bench.scripted(await bench.app())
      let (high, low) = (UInt8(timeout >> 8), UInt8(truncatingIfNeeded: timeout))
      lock.send([0x12, 1, 8, 0, shortest, 0, longest, 0, latency, 0, low, high], onChannel: 0x0005)
      await bench.world.advance(by: .seconds(2))
    }
  }

  static let accessories = [
    RuleCase(
      120, "a request for an interval of 7.5 ms", not: "a request for 15 to 30 ms",
      breaks: requesting(6, 24, 0, 500), keeps: requesting(12, 24, 0, 500)),
    RuleCase(
      121, "a Security Request as soon as it is connected", not: "one after a refused request",
      breaks: { bench in
        let (lock, _) = try await bench.scripted(await bench.app())
        lock.send([0x0B, 0x01], onChannel: 0x0006)
        await bench.world.advance(by: .seconds(1))
      },
      keeps: { bench in
        let (lock, peripheral) = try await bench.scripted(await bench.app())
        lock.answer { [0x01, $0[0], 0x01, 0x00, 0x05] }
        peripheral.discoverServices([RuleBench.service])
        await bench.world.advance(by: .seconds(1))
        lock.send([0x0B, 0x01], onChannel: 0x0006)
        await bench.world.advance(by: .seconds(1))
      }),
  ]
}
