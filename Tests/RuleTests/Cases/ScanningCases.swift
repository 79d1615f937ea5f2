import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension RuleCase {
  private static let duplicates = [CBCentralManagerScanOptionAllowDuplicatesKey: true]

  static let scanning = [
    RuleCase(
      20, "a scan without services", not: "a scan for a service",
      breaks: { bench in await bench.app().manager.scanForPeripherals(withServices: nil) },
      keeps: { bench in await bench.app().manager.scanForPeripherals(withServices: [RuleBench.service]) }),
    RuleCase(
      21, "a scan without services that goes into the background", not: "a scan for a service that does",
      breaks: { bench in
        await bench.app().manager.scanForPeripherals(withServices: nil)
        await bench.world.advance(by: .seconds(1))
        bench.phone.enterBackground()
        await bench.world.advance(by: .seconds(1))
      },
      keeps: { bench in
        await bench.app().manager.scanForPeripherals(withServices: [RuleBench.service])
        await bench.world.advance(by: .seconds(1))
        bench.phone.enterBackground()
        await bench.world.advance(by: .seconds(1))
      }),
    RuleCase(
      22, "duplicates in the background", not: "duplicates in the foreground",
      breaks: { bench in
        let app = await bench.app()
        bench.phone.enterBackground()
        app.manager.scanForPeripherals(withServices: [RuleBench.service], options: duplicates)
        await bench.world.advance(by: .seconds(1))
      },
      keeps: { bench in
        await bench.app().manager.scanForPeripherals(withServices: [RuleBench.service], options: duplicates)
        await bench.world.advance(by: .seconds(1))
      }),
    RuleCase(
      23, "a scan that outlives the connection", not: "a scan that ends with it",
      breaks: { bench in
        bench.publish()
        let app = await bench.app()
        let peripheral = try await bench.found(app)
        app.manager.scanForPeripherals(withServices: [RuleBench.service])
        try await app.connect(to: peripheral, in: bench.world)
        await bench.world.advance(by: .seconds(31))
      },
      keeps: { bench in
        bench.publish()
        let app = await bench.app()
        let peripheral = try await bench.found(app)
        app.manager.scanForPeripherals(withServices: [RuleBench.service])
        try await app.connect(to: peripheral, in: bench.world)
        app.manager.stopScan()
        await bench.world.advance(by: .seconds(31))
      }),
    RuleCase(
      24, "an identifier of another phone", not: "an identifier of this phone",
      breaks: { bench in
        bench.publish()
        let other = CentralApp(bench.world.makeDevice("other phone").options)
        bench.kept.append(other)
        await bench.world.settle()
        let identifier = try await bench.found(other).identifier
        #expect(await bench.app().manager.retrievePeripherals(withIdentifiers: [identifier]).isEmpty)
      },
      keeps: { bench in
        bench.publish()
        let app = await bench.app()
        let identifier = try await bench.found(app).identifier
        #expect(app.manager.retrievePeripherals(withIdentifiers: [identifier]).count == 1)
      }),
  ]

  static let connecting = [
    RuleCase(
      30, "a first connection to a lamp without power, without a timer", not: "one that is cancelled after 30 s",
      breaks: { bench in
        bench.publish()
        let app = await bench.app()
        let peripheral = try await bench.found(app)
        bench.lamp.cutPower()
        app.manager.connect(peripheral)
        await bench.world.advance(by: .seconds(61))
      },
      keeps: { bench in
        bench.publish()
        let app = await bench.app()
        let peripheral = try await bench.found(app)
        bench.lamp.cutPower()
        app.manager.connect(peripheral)
        await bench.world.advance(by: .seconds(30))
        app.manager.cancelPeripheralConnection(peripheral)
        await bench.world.advance(by: .seconds(31))
      }),
    RuleCase(
      31, "a start delay with automatic reconnection", not: "automatic reconnection alone",
      breaks: { bench in
        bench.publish()
        let app = await bench.app()
        let options: [String: Any] = [
          CBConnectPeripheralOptionStartDelayKey: 1, CBConnectPeripheralOptionEnableAutoReconnect: true,
        ]
        app.manager.connect(try await bench.found(app), options: options)
        await bench.world.settle()
      },
      keeps: { bench in
        bench.publish()
        let app = await bench.app()
        let options = [CBConnectPeripheralOptionEnableAutoReconnect: true]
        app.manager.connect(try await bench.found(app), options: options)
        await bench.world.settle()
      }),
    RuleCase(
      32, "nine connections", not: "eight",
      breaks: { bench in try await bench.connect(9) },
      keeps: { bench in try await bench.connect(8) }),
    RuleCase(
      33, "a discovery before the connection", not: "a discovery after it",
      breaks: { bench in
        bench.publish()
        try await bench.found(bench.app()).discoverServices([RuleBench.service], in: bench.world)
      },
      keeps: { bench in
        bench.publish()
        try await bench.connected(bench.app()).discoverServices([RuleBench.service], in: bench.world)
      }),
  ]
}

extension RuleBench {
  /// Connects the phone to so many lamps.
  fileprivate func connect(_ count: Int) async throws {
    let app = await app()
    app.scanWhenPoweredOn(for: [Self.service])
    for number in 0..<count {
      let device = world.makeDevice("lamp \(number)")
      kept.append(PeripheralApp("lamp \(number)", on: device, services: [], advertises: [Self.service]))
    }
    try await world.wait(within: .seconds(20)) { Set(app.sightings.map(\.peripheral)).count == count }
    app.manager.stopScan()
    app.kept = Array(Set(app.sightings.map(\.peripheral)))
    for peripheral in app.kept { app.manager.connect(peripheral) }
    try await world.wait(within: .seconds(30)) { app.kept.allSatisfy { $0.state == .connected } }
  }
}
