import BLECore
import BLEWire
import Glibc
import Testing

@testable import BLEVirtualRadio

@Suite("Crowds")
struct CrowdTests {
  @Test(
    "I14.5 300 advertisers: a scanner finds nearly all of them within seconds; without a scanner they have no timers")
  func threeHundred() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 7)
    let crowd = try air.makeCrowd(300)
    await loop.run(until: .instant(.zero + .seconds(3_600)))
    #expect(crowd.eventCount == 0 && crowd.count == 300)
    let scanner = try TestHost(air, loop: loop, 5_000)
    scanner.start()
    scanner.scan(type: .active, filtersDuplicates: true)
    await loop.run(until: .instant(loop.now + .seconds(30)))
    let heard = Set(scanner.reports.map(\.report.address)).count
    print("300 advertisers, \(crowd.eventRate) events a second: \(heard) addresses heard in 30 s")
    #expect(heard >= 285 && heard <= 330)
    #expect(scanner.reports.contains { $0.report.type == .scanResponse })
    #expect(scanner.reports.allSatisfy { $0.report.data.count <= 31 })
    crowd.leave()
    scanner.forget()
    await loop.run(until: .instant(loop.now + .seconds(5)))
    #expect(scanner.reports.isEmpty && crowd.count == 0)
  }

  @Test("I14.5 the cost of an advertisement does not grow with listeners and advertisers that are not near")
  func cost() async throws {
    var costs: [Double] = []
    for extra in [0, 300] {
      let loop = VirtualLoop()
      let air = Air(loop: loop, seed: 7)
      let crowd = try air.makeCrowd(50)
      let near = try TestHost(air, loop: loop, 1)
      near.start()
      near.scan()
      for number in 0..<UInt64(extra) {
        // Each kilometre one, and as many advertisers there.
        let host = try TestHost(
          air, loop: loop, 100 + number, position: Position(x: 1_000 * Double(number + 1)))
        host.start()
        host.scan()
      }
      if extra > 0 { _ = try air.makeCrowd(extra, around: Position(y: 5_000)) }
      await loop.run(until: .instant(loop.now + .seconds(10)))
      #expect(crowd.eventCount > 500)
      costs.append(Double(crowd.hearingCount) / Double(crowd.eventCount))
    }
    #expect(costs == [1, 1])
  }

  @Test("I14.5 addresses rotate after a quarter of an hour, but for devices that keep one")
  func rotation() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 11)
    let crowd = try air.makeCrowd(100)
    let scanner = try TestHost(air, loop: loop, 5_000)
    scanner.start()
    scanner.scan(filtersDuplicates: true)
    await loop.run(until: .instant(loop.now + .seconds(20)))
    let first = Set(scanner.reports.map(\.report.address))
    await loop.run(until: .instant(loop.now + .seconds(900)))
    scanner.send(LESetScanEnable(isEnabled: false, filtersDuplicates: false))
    scanner.forget()
    scanner.scan(filtersDuplicates: true)
    await loop.run(until: .instant(loop.now + .seconds(20)))
    let second = Set(scanner.reports.map(\.report.address))
    let kept = first.intersection(second)
    #expect(kept.allSatisfy { $0.address.randomKind == .static })
    #expect(first.subtracting(kept).allSatisfy { $0.address.randomKind == .resolvablePrivate })
    #expect(kept.count > 5 && kept.count < 40, "\(kept.count)")
    withExtendedLifetime(crowd) {}
  }

  /// The share of one host's advertisements that arrive among `others` more, all at the same RSSI.
  private func share(among others: Int, interval: UInt32) async throws -> (share: Double, expected: Double) {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: UInt64(others), propagation: .constant, loss: .none)
    air.collides = true
    var hosts: [TestHost] = []
    for number in 0...UInt64(others) {
      let host = try TestHost(air, loop: loop, 10 + number)
      host.start()
      host.advertise(interval: interval)
      hosts.append(host)
    }
    let scanner = try TestHost(air, loop: loop, 1)
    scanner.start()
    scanner.scan()
    await loop.run(until: .instant(loop.now + .seconds(10)))
    let period = Double(interval) * 0.000625 + 0.005
    let sent = 10 / period * Double(others + 1)
    // Nine octets of payload and ten around them, at 1 Mbit/s; a packet is in danger for its own duration and that of the other.
    let load = Double(others) / period * 2 * 19 * 8e-6
    return (Double(scanner.reports.count) / sent, exp(-load))
  }

  @Test(
    "I14.5 packets are lost by load as in Aloha: exp(-2G)",
    arguments: [(0, 0xA0), (50, 0xA0), (200, 0xA0), (200, 0x20)])
  func aloha(others: Int, interval: UInt32) async throws {
    let (share, expected) = try await share(among: others, interval: interval)
    print("\(others) others: \(share) arrive, \(expected) by theory")
    // Part of the events has the end of a scan window in it.
    #expect(abs(share - expected) < 0.03)
  }

  @Test("I14.5 a near advertiser is heard through a crowd farther away")
  func capture() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 3)
    let crowd = try air.makeCrowd(2_000, around: Position(x: 40), reach: 10)
    let near = try TestHost(air, loop: loop, 1, position: Position(x: 0.5))
    let far = try TestHost(air, loop: loop, 2, position: Position(x: 40))
    let scanner = try TestHost(air, loop: loop, 3)
    for host in [near, far, scanner] { host.start() }
    near.advertise(interval: 0xA0)
    far.advertise(interval: 0xA0)
    scanner.scan()
    await loop.run(until: .instant(loop.now + .seconds(20)))
    func count(_ host: TestHost) -> Int {
      scanner.reports.count { $0.report.address == HCIAddress(host.address) }
    }
    print("of 190: near \(count(near)), in the crowd \(count(far))")
    #expect(count(near) > 170 && count(far) < 80)
    withExtendedLifetime(crowd) {}
  }

  @Test("I14.5 the same seed is the same crowd")
  func determinism() async throws {
    func reports(_ seed: UInt64) async throws -> [LEAdvertisingReportEvent.Report] {
      let loop = VirtualLoop()
      let air = Air(loop: loop, seed: seed)
      let crowd = try air.makeCrowd(100)
      let scanner = try TestHost(air, loop: loop, 1)
      scanner.start()
      scanner.scan()
      await loop.run(until: .instant(loop.now + .seconds(5)))
      withExtendedLifetime(crowd) {}
      return scanner.reports.map(\.report)
    }
    let (first, second, other) = (try await reports(1), try await reports(1), try await reports(2))
    #expect(first == second && first != other && first.count > 300)
  }

  @Test("I14.B mistakes in a crowd are refused, and a connection to a member is never established")
  func mistakes() async throws {
    let pair = try TestPair()
    #expect(throws: AirDescriptionError.self) { try pair.air.makeCrowd(-1) }
    #expect(throws: AirDescriptionError.self) { try pair.air.makeCrowd(100_001) }
    #expect(throws: AirDescriptionError.self) { try pair.air.makeCrowd(3, reach: .nan) }
    #expect(throws: AirDescriptionError.self) { try pair.air.makeCrowd(3, around: Position(x: .infinity)) }
    let crowd = try pair.air.makeCrowd(20)
    pair.central.scan()
    await pair.run(.seconds(5))
    let target = try #require(pair.central.reports.first { $0.report.type == .connectable }?.report.address)
    pair.central.send(LESetScanEnable(isEnabled: false, filtersDuplicates: false))
    pair.central.connect(to: target.address)
    await pair.run(.seconds(10))
    #expect(pair.central.disconnections.map(\.event.reason) == [.failedToEstablish])
    withExtendedLifetime(crowd) {}
  }

  @Test("I14.B a crowd of 100,000 is made, costs nothing without a listener, and leaves")
  func largest() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 1)
    let crowd = try air.makeCrowd(Crowd.limit, reach: 1_000)
    await loop.run(until: .instant(loop.now + .seconds(60)))
    #expect(crowd.eventCount == 0 && crowd.count == 100_000)
    crowd.leave()
    #expect(crowd.count == 0 && air.crowds.isEmpty)
  }
}
