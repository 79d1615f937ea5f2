import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension RuleCase {
  private static func advertising(_ data: [String: Any]) -> Script {
    let data = Advertised(data: data)
    return { bench in
      let app = await bench.publisher()
      app.manager.startAdvertising(data.data)
      await bench.world.advance(by: .seconds(1))
    }
  }

  private static let long = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
  private static let other = CBUUID(string: "87654321-1234-1234-1234-123456789ABC")

  static let publishing = [
    RuleCase(
      70, "manufacturer data in startAdvertising", not: "a name and a service",
      breaks: advertising([
        CBAdvertisementDataLocalNameKey: "lamp", CBAdvertisementDataManufacturerDataKey: Data([1, 2, 3]),
      ]),
      keeps: advertising([
        CBAdvertisementDataLocalNameKey: "lamp", CBAdvertisementDataServiceUUIDsKey: [RuleBench.service],
      ])),
    RuleCase(
      71, "two services of 128 bits", not: "one service of 128 bits",
      breaks: advertising([CBAdvertisementDataServiceUUIDsKey: [long, other]]),
      keeps: advertising([CBAdvertisementDataServiceUUIDsKey: [long]])),
    RuleCase(
      72, "a name of 11 octets beside a service of 128 bits", not: "a name of 10 octets beside it",
      breaks: advertising([
        CBAdvertisementDataLocalNameKey: "bedside-lmp", CBAdvertisementDataServiceUUIDsKey: [long],
      ]),
      keeps: advertising([
        CBAdvertisementDataLocalNameKey: "bed-lamp-1", CBAdvertisementDataServiceUUIDsKey: [long],
      ])),
    RuleCase(
      73, "startAdvertising twice", not: "startAdvertising after stopAdvertising",
      breaks: { bench in
        let app = await bench.publisher()
        for name in ["lamp", "light"] { app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: name]) }
        await bench.world.settle()
      },
      keeps: { bench in
        let app = await bench.publisher()
        app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "lamp"])
        app.manager.stopAdvertising()
        app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "light"])
        await bench.world.settle()
      }),
    RuleCase(
      74, "a Battery service", not: "a service of the vendor's",
      breaks: { bench in
        await bench.publisher().manager.add(CBMutableService("180F"))
        await bench.world.settle()
      },
      keeps: { bench in
        await bench.publisher().manager.add(CBMutableService("FFF0"))
        await bench.world.settle()
      }),
    RuleCase(
      75, "a characteristic that can be written and not be written", not: "one whose permissions fit",
      breaks: { bench in
        await bench.publisher().manager.add(
          CBMutableService("FFF0", [CBMutableCharacteristic("FFF1", [.write], .readable)]))
        await bench.world.settle()
      },
      keeps: { bench in
        await bench.publisher().manager.add(
          CBMutableService("FFF0", [CBMutableCharacteristic("FFF1", [.write], .writeable)]))
        await bench.world.settle()
      }),
    RuleCase(
      76, "updates that continue after false", not: "updates that wait until the manager is ready",
      breaks: { bench in
        let lamp = try await bench.subscribed()
        for value in 0..<100 { lamp.push(Data([UInt8(value)]), "FFF5") }
        await bench.world.settle()
      },
      keeps: { bench in try await bench.pump(100) }),
    RuleCase(
      77, "a refused update that is forgotten", not: "a refused update that is sent again",
      breaks: { bench in
        let lamp = try await bench.subscribed()
        var count = 0
        while lamp.push(Data([1]), "FFF5"), count < 1_000 { count += 1 }
        await bench.world.advance(by: .seconds(10))
      },
      keeps: { bench in
        try await bench.pump(100)
        await bench.world.advance(by: .seconds(10))
      }),
    RuleCase(
      78, "an update of a copy of the characteristic", not: "an update of the characteristic",
      breaks: { bench in
        let app = bench.publish()
        await bench.world.settle()
        app.manager.updateValue(Data([1]), for: CBMutableCharacteristic("FFF5", [.notify]), onSubscribedCentrals: nil)
      },
      keeps: { bench in
        let app = bench.publish()
        await bench.world.settle()
        app.push(Data([1]), "FFF5")
      }),
    RuleCase(
      79, "an update of 38 octets where 37 fit", not: "an update of 37",
      breaks: small { bench in try await bench.subscribed().push(Data(count: 38), "FFF5") },
      keeps: small { bench in try await bench.subscribed().push(Data(count: 37), "FFF5") }),
    RuleCase(
      80, "a PSM of classic Bluetooth", not: "the PSM that the lamp has published",
      breaks: { bench in
        let (_, peripheral, _) = try await bench.met()
        peripheral.openL2CAPChannel(0x1001)
        await bench.world.settle()
      },
      keeps: { bench in _ = try await bench.openChannel() }),
    RuleCase(
      81, "a PSM withdrawn that was not published", not: "one that was",
      breaks: { bench in
        await bench.publisher().manager.unpublishL2CAPChannel(0x85)
        await bench.world.settle()
      },
      keeps: { bench in
        let app = await bench.publisher()
        app.manager.publishL2CAPChannel(withEncryption: false)
        await bench.world.settle()
        app.manager.unpublishL2CAPChannel(try #require(app.multiplexers.first))
        await bench.world.settle()
      }),
    RuleCase(
      82, "a channel that the delegate does not keep", not: "a channel that it keeps",
      breaks: { bench in
        let delegate = BareDelegate()
        bench.kept.append(delegate)
        _ = try await bench.openChannel(delegate)
      },
      keeps: { bench in
        let app = try await bench.openChannel()
        #expect(app.channels.count == 1)
      }),
  ]
}

/// `@unchecked Sendable`: immutable, and so are the values in it.
private struct Advertised: @unchecked Sendable { let data: [String: Any] }

extension RuleBench {
  /// An app on the lamp that has published nothing yet.
  func publisher() async -> PeripheralApp {
    let app = PeripheralApp(lamp.options)
    kept.append(app)
    await world.settle()
    return app
  }

  /// The phone is subscribed to what the lamp can notify.
  fileprivate func subscribed() async throws -> PeripheralApp {
    let (_, peripheral, lamp) = try await met()
    await peripheral.notify(true, try peripheral.characteristic("FFF5"), in: world)
    return lamp
  }

  /// Sends so many values, and waits whenever there is no room.
  fileprivate func pump(_ count: Int) async throws {
    let lamp = try await subscribed()
    let pump = Pump(count) { lamp.push(Data([1]), "FFF5") }
    lamp.reactions["ready"] = { pump.run() }
    pump.run()
    await world.settle()
    #expect(pump.remaining == 0)
  }

  /// Opens a channel to the PSM that the lamp has published.
  fileprivate func openChannel(_ delegate: BareDelegate? = nil) async throws -> CentralApp {
    let (app, peripheral, lamp) = try await met()
    lamp.manager.publishL2CAPChannel(withEncryption: false)
    await world.settle()
    if let delegate { peripheral.delegate = delegate }
    peripheral.openL2CAPChannel(try #require(lamp.multiplexers.first))
    await world.settle()
    return app
  }
}
