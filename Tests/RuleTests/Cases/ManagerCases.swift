import BLETestKit
import CoreBluetooth
import Dispatch
import TestSupport

extension RuleCase {
  static let managers = [
    RuleCase(
      1, "stopScan() right after the manager is made", not: "stopScan() after poweredOn",
      breaks: { bench in
        let app = CentralApp(bench.phone.options)
        bench.kept.append(app)
        app.manager.stopScan()
        await bench.world.settle()
      },
      keeps: { bench in await bench.app().manager.stopScan() }),
    RuleCase(
      2, "an Info.plist without a usage description", not: "an Info.plist with one",
      breaks: { bench in
        bench.judge(.init(usageDescription: nil))
        _ = await bench.app()
      },
      keeps: { bench in
        bench.judge(.init(usageDescription: "finds the lamp"))
        _ = await bench.app()
      }),
    RuleCase(
      3, "a peripheral that is not kept while it is being connected", not: "a peripheral that is kept",
      breaks: { bench in
        bench.publish()
        let app = await bench.app()
        try await bench.connectAndForget(app)
        await bench.world.advance(by: .seconds(2))
      },
      keeps: { bench in
        bench.publish()
        let app = await bench.app()
        app.kept.append(try await bench.found(app))
        app.manager.connect(app.kept[0])
        await bench.world.advance(by: .seconds(2))
      }),
    RuleCase(
      4, "a manager in a local variable", not: "a manager that is released after its first state",
      breaks: { bench in
        bench.makeAndForget()
        await bench.world.settle()
      },
      keeps: { bench in
        let app = CentralApp(bench.phone.options)
        await bench.world.settle()
        withExtendedLifetime(app) {}
      }),
    RuleCase(
      5, "a delegate that is set after the first state", not: "a delegate that the initializer is given",
      breaks: { bench in
        let queue = DispatchQueue(label: "late")
        let manager = CBCentralManager(delegate: nil, queue: queue, options: bench.phone.options)
        bench.kept.append(manager)
        await bench.world.settle()
      },
      keeps: { bench in _ = await bench.app() }),
    RuleCase(
      6, "a delegate that is taken away before the answer", not: "a delegate that stays",
      breaks: { bench in
        let (_, peripheral, _) = try await bench.met()
        peripheral.readValue(for: try peripheral.characteristic("FFF1"))
        peripheral.delegate = nil
        await bench.world.settle()
      },
      keeps: { bench in
        let (_, peripheral, _) = try await bench.met()
        await peripheral.read(try peripheral.characteristic("FFF1"), in: bench.world)
      }),
    RuleCase(
      7, "a discovery before the delegate is set", not: "a discovery afterwards",
      breaks: { bench in
        bench.publish()
        let peripheral = try await bench.connected(await bench.app())
        peripheral.delegate = nil
        await peripheral.discoverServices([RuleBench.service], in: bench.world)
      },
      keeps: { bench in
        bench.publish()
        let peripheral = try await bench.connected(await bench.app())
        await peripheral.discoverServices([RuleBench.service], in: bench.world)
      }),
    RuleCase(
      8, "a delegate method that waits for another thread", not: "a delegate method that returns",
      breaks: { bench in
        let world = bench.world
        let release = DispatchSemaphore(value: 0)
        let app = CentralApp(bench.phone.options)
        bench.kept.append(app)
        app.reactions["state"] = { release.wait() }
        async let over: Void = world.settle()
        while !world.logLines.contains(where: { $0.text.contains("have not returned") }) { await Task.yield() }
        release.signal()
        await over
      },
      keeps: { bench in _ = await bench.app() }),
    RuleCase(
      9, "a peripheral from before a reset", not: "the same peripheral, retrieved again",
      breaks: { bench in
        bench.publish()
        let app = await bench.app()
        let peripheral = try await bench.found(app)
        bench.phone.resetController()
        await bench.world.advance(by: .seconds(3))
        app.manager.connect(peripheral)
        await bench.world.settle()
      },
      keeps: { bench in
        bench.publish()
        let app = await bench.app()
        let identifier = try await bench.found(app).identifier
        bench.phone.resetController()
        await bench.world.advance(by: .seconds(3))
        app.kept = app.manager.retrievePeripherals(withIdentifiers: [identifier])
        app.kept.forEach { app.manager.connect($0) }
        await bench.world.advance(by: .seconds(3))
      }),
    RuleCase(
      10, "a peripheral that another manager has found", not: "a peripheral of the manager's own",
      breaks: { bench in
        bench.publish()
        let peripheral = try await bench.found(await bench.app())
        await bench.app().manager.connect(peripheral)
        await bench.world.settle()
      },
      keeps: { bench in
        bench.publish()
        _ = try await bench.connected(await bench.app())
      }),
    RuleCase(
      11, "connection events for five services", not: "connection events for four",
      breaks: { bench in await bench.app().manager.registerForConnectionEvents(options: [.serviceUUIDs: uuids(5)]) },
      keeps: { bench in await bench.app().manager.registerForConnectionEvents(options: [.serviceUUIDs: uuids(4)]) }),
  ]

  private static func uuids(_ count: Int) -> [CBUUID] { (0..<count).map { CBUUID(string: "FFF\($0)") } }
}

extension RuleBench {
  /// Connects the lamp without keeping it.
  fileprivate func connectAndForget(_ app: CentralApp) async throws {
    app.manager.connect(try await found(app))
    app.forget()
  }

  fileprivate func makeAndForget() { _ = CentralApp(phone.options) }
}
