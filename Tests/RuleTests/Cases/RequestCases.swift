import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension RuleCase {
  /// The phone reads FFF1 of a lamp whose app answers so.
  private static func reading(
    _ answer: @escaping @Sendable (CBPeripheralManager, CBATTRequest, RuleBench) -> Void
  ) -> Script {
    { bench in
      let (_, peripheral, lamp) = try await bench.met()
      lamp.onRead = { [unowned bench] in answer($0, $1, bench) }
      await peripheral.read(try peripheral.characteristic("FFF1"), in: bench.world)
    }
  }

  /// The phone writes 60 octets to FFF1, in several requests, to a lamp whose app answers so.
  private static func writing(_ answer: @escaping @Sendable (CBPeripheralManager, [CBATTRequest]) -> Void) -> Script {
    small { bench in
      let (_, peripheral, lamp) = try await bench.met()
      lamp.onWrite = { answer($0, $1) }
      await peripheral.write(Data(count: 60), to: try peripheral.characteristic("FFF1"), in: bench.world)
      #expect(lamp.batches.last?.count ?? 0 > 1)
    }
  }

  static let requests = [
    RuleCase(
      90, "a read that is never answered", not: "a read that is answered after 29 s",
      breaks: { bench in
        let (_, peripheral, lamp) = try await bench.met()
        lamp.answersRequests = false
        peripheral.readValue(for: try peripheral.characteristic("FFF1"))
        await bench.world.advance(by: .seconds(40))
      },
      keeps: { bench in
        let (_, peripheral, lamp) = try await bench.met()
        lamp.answersRequests = false
        peripheral.readValue(for: try peripheral.characteristic("FFF1"))
        await bench.world.advance(by: .seconds(29))
        lamp.answerWaiting()
        await bench.world.advance(by: .seconds(11))
      }),
    RuleCase(
      91, "two answers to a read", not: "one answer",
      breaks: reading { manager, request, _ in
        for _ in 0..<2 { manager.respond(to: request, withResult: .success) }
      },
      keeps: reading { manager, request, _ in manager.respond(to: request, withResult: .success) }),
    RuleCase(
      92, "an answer to each request of a long write", not: "an answer to the first",
      breaks: writing { manager, requests in
        for request in requests { manager.respond(to: request, withResult: .success) }
      },
      keeps: writing { manager, requests in manager.respond(to: requests[0], withResult: .success) }),
    RuleCase(
      93, "an answer by another manager", not: "an answer by the manager that was asked",
      breaks: { bench in
        let other = await bench.publisher()
        let (_, peripheral, lamp) = try await bench.met()
        lamp.onRead = { manager, request in
          other.manager.respond(to: request, withResult: .success)
          manager.respond(to: request, withResult: .success)
        }
        await peripheral.read(try peripheral.characteristic("FFF1"), in: bench.world)
      },
      keeps: reading { manager, request, _ in manager.respond(to: request, withResult: .success) }),
    RuleCase(
      94, "the whole value from each offset", not: "the value from the offset on",
      breaks: small(
        reading { manager, request, _ in
          request.value = Data(count: 100)
          manager.respond(to: request, withResult: .success)
        }),
      keeps: small(
        reading { manager, request, _ in
          request.value = Data(count: 100).dropFirst(request.offset)
          manager.respond(to: request, withResult: .success)
        })),
    RuleCase(
      95, "a delegate without didReceiveRead", not: "a delegate with it",
      breaks: { bench in
        let delegate = BareDelegate()
        let queue = DispatchQueue(label: "bare")
        let manager = CBPeripheralManager(delegate: delegate, queue: queue, options: bench.lamp.options)
        bench.kept += [delegate, manager]
        await bench.world.settle()
        manager.add(RuleBench.makeService())
        manager.startAdvertising([
          CBAdvertisementDataLocalNameKey: "lamp", CBAdvertisementDataServiceUUIDsKey: [RuleBench.service],
        ])
        let app = await bench.app()
        let peripheral = try await bench.connected(app)
        try await bench.discover(peripheral)
        await peripheral.read(try peripheral.characteristic("FFF1"), in: bench.world)
      },
      keeps: { bench in
        let (_, peripheral, _) = try await bench.met()
        await peripheral.read(try peripheral.characteristic("FFF1"), in: bench.world)
      }),
  ]
}
