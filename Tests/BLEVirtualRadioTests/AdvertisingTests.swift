import BLECore
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("Advertising and scanning")
struct AdvertisingTests {
  @Test("discovery latency is a distribution over the advertising interval and the random delay")
  func discoveryLatency() async throws {
    var latencies: [Double] = []
    for seed in 1...200 as ClosedRange<UInt64> {
      let pair = try TestPair(seed: seed)
      pair.peripheral.advertise(interval: 0xA0)
      await pair.run(.seconds(1))
      let begin = pair.loop.now
      pair.central.scan()
      await pair.run(.seconds(2))
      let first = try #require(pair.central.reports.first)
      latencies.append((first.at - begin).seconds)
    }
    let mean = latencies.reduce(0, +) / Double(latencies.count)
    #expect(mean > 0.035 && mean < 0.085, "mean \(mean)")
    #expect(latencies.min().map { $0 < 0.02 } == true)
    #expect(latencies.max().map { $0 > 0.08 && $0 < 0.25 } == true, "\(latencies.max() ?? 0)")
    #expect(Set(latencies).count > 150)
  }

  @Test("a scanner that listens a tenth of the time receives about a tenth of the events")
  func scanDuty() async throws {
    let pair = try TestPair()
    pair.peripheral.advertise(interval: 0x20)
    pair.central.scan(interval: 0x640, window: 0xA0)
    await pair.run(.seconds(60))
    let expected = 60 / 0.025 * 0.1
    let count = Double(pair.central.reports.count)
    #expect(abs(count - expected) < expected * 0.25, "heard \(count), expected \(expected)")
  }

  @Test("events come at the interval and a random delay of 0 to 10 ms")
  func advertisingInterval() async throws {
    let pair = try TestPair()
    pair.peripheral.advertise(interval: 0xA0)
    pair.central.scan()
    await pair.run(.seconds(20))
    let times = pair.central.reports.map(\.at)
    let gaps = zip(times.dropFirst(), times).map { ($0 - $1).seconds * 1000 }
    let single = gaps.filter { $0 < 150 }
    #expect(single.count > 100)
    #expect(single.allSatisfy { $0 >= 100 && $0 <= 110.01 })
    #expect(single.contains { $0 < 102 } && single.contains { $0 > 108 })
  }

  @Test("an active scanner gets the scan response, a passive one does not")
  func scanResponses() async throws {
    for type in [LEScanType.active, .passive] {
      let pair = try TestPair()
      pair.peripheral.advertise(scanData: [3, 9, 0x41, 0x42])
      pair.central.scan(type: type, filtersDuplicates: true)
      await pair.run(.seconds(2))
      let reports = pair.central.reports.map(\.report)
      #expect(reports.map(\.type) == (type == .active ? [.connectable, .scanResponse] : [.connectable]))
      #expect(reports[0].address == HCIAddress(pair.peripheral.address))
      #expect(Array(reports[0].data) == [2, 1, 6])
      if type == .active { #expect(Array(reports[1].data) == [3, 9, 0x41, 0x42]) }
    }
  }

  @Test("filter policies: the accept list selects the advertisers that are reported and the scanners that are answered")
  func acceptList() async throws {
    let pair = try TestPair()
    let third = try TestHost(pair.air, loop: pair.loop, 3)
    third.start()
    third.advertise()
    pair.peripheral.advertise(scanData: [1, 2], filterPolicy: .scanFromListOnly)
    pair.central.send(LEAddDeviceToFilterAcceptList(address: HCIAddress(pair.peripheral.address)))
    pair.central.scan(type: .active, filterPolicy: .listOnly)
    await pair.run(.seconds(2))
    let reports = pair.central.reports.map(\.report)
    #expect(!reports.isEmpty)
    #expect(reports.allSatisfy { $0.address == HCIAddress(pair.peripheral.address) && $0.type == .connectable })
    pair.central.send(LEClearFilterAcceptList())
    await pair.run(.milliseconds(1))
    #expect(pair.central.status(of: LEClearFilterAcceptList.self) == .commandDisallowed)
  }

  @Test("RSSI falls with distance by the path loss exponent, and nothing is received out of range")
  func signalByDistance() async throws {
    let propagation = Propagation(
      signal: .pathLoss(exponent: 2, referenceLoss: 40, shadowing: 0, jitter: 0), range: 50)
    let pair = try TestPair(propagation: propagation)
    pair.peripheral.advertise(interval: 0x20)
    pair.central.scan()
    for (distance, expected) in [(1.0, -40), (10.0, -60), (40.0, -72)] as [(Double, Int8)] {
      pair.peripheral.controller.move(to: Position(x: distance))
      pair.central.forget()
      await pair.run(.seconds(1))
      let signals = Set(pair.central.reports.map(\.report.rssi))
      #expect(signals == [expected])
    }
    pair.peripheral.controller.setTransmitPower(8)
    pair.central.forget()
    await pair.run(.seconds(1))
    #expect(Set(pair.central.reports.map(\.report.rssi)) == [-64])
    pair.peripheral.controller.move(to: Position(x: 51))
    pair.central.forget()
    await pair.run(.seconds(1))
    #expect(pair.central.reports.isEmpty)
    pair.peripheral.controller.move(to: .origin)
    pair.peripheral.controller.silence()
    await pair.run(.seconds(1))
    #expect(pair.central.reports.isEmpty)
    pair.peripheral.controller.comeBack()
    await pair.run(.seconds(1))
    #expect(!pair.central.reports.isEmpty)
  }

  @Test("1,000 advertisers at 100 ms: one scanner finds them all; without a scanner there are no timers")
  func thousandAdvertisers() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 7, propagation: .constant, loss: .none)
    var hosts: [TestHost] = []
    for number in 1...1_000 as ClosedRange<UInt64> {
      let host = try TestHost(air, loop: loop, number)
      host.start()
      host.advertise(interval: 0xA0)
      hosts.append(host)
    }
    let scanner = try TestHost(air, loop: loop, 5_000)
    scanner.start()
    // An hour without a scanner costs almost nothing.
    await loop.run(until: .instant(.zero + .seconds(3_600)))
    scanner.scan(filtersDuplicates: true)
    await loop.run(until: .instant(loop.now + .seconds(2)))
    #expect(Set(scanner.reports.map(\.report.address)).count == 1_000)
    #expect(scanner.reports.count == 1_000)
  }

  @Test("extended advertising carries long data in fragments, and legacy scanners do not receive it")
  func extendedAdvertising() async throws {
    let pair = try TestPair()
    let handle = LEAdvertisingHandle(rawValue: 1)
    let host = pair.peripheral
    host.send(
      LESetExtendedAdvertisingParameters(
        advertisingHandle: handle, properties: [], primaryIntervalMinimum: AdvertisingInterval(rawValue: 0x40),
        primaryIntervalMaximum: AdvertisingInterval(rawValue: 0x40), primaryChannels: .all, ownAddressType: .random,
        peerAddress: .none, filterPolicy: .all, transmitPower: 0, primaryPHY: .le1M, secondaryMaximumSkip: 0,
        secondaryPHY: .le2M, setIdentifier: 5, reportsScanRequests: false))
    host.send(LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: host.address))
    let data = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    for (operation, range) in [
      (LEDataOperation.firstFragment, 0..<250), (.lastFragment, 250..<500),
    ] {
      host.send(
        LESetExtendedAdvertisingData(
          advertisingHandle: handle, operation: operation, fragmentPreference: .mayFragment, data: data[range]))
    }
    host.send(
      LESetExtendedAdvertisingEnable(
        isEnabled: true,
        sets: [.init(advertisingHandle: handle, duration: HCICentiseconds(rawValue: 0), maximumEvents: 3)]))
    let scanner = pair.central
    scanner.send(
      LESetExtendedScanParameters(
        ownAddressType: .random, filterPolicy: .all, phys: .le1M,
        entries: [
          .init(type: .passive, interval: ScanInterval(rawValue: 0x30), window: ScanInterval(rawValue: 0x30))
        ]))
    scanner.send(
      LESetExtendedScanEnable(
        isEnabled: true, duplicates: .filter, duration: HCICentiseconds(rawValue: 0), period: 0))
    let legacy = try TestHost(pair.air, loop: pair.loop, 9)
    legacy.start()
    legacy.scan()
    await pair.run(.seconds(1))
    var collected: [UInt8] = []
    for case .leExtendedAdvertisingReport(let event) in scanner.events.map(\.event) {
      for report in event.reports {
        collected += report.data
        #expect(report.setIdentifier == 5 && report.secondaryPHY == .le2M)
        #expect(report.type.contains(.incomplete) == (collected.count < 500))
      }
    }
    #expect(collected == data)
    #expect(legacy.reports.isEmpty)
    let ended = host.events.contains {
      if case .leAdvertisingSetTerminated(let event) = $0.event {
        event.status == .limitReached && event.completedEvents == 3
      } else {
        false
      }
    }
    #expect(ended)
    #expect(host.statuses.allSatisfy { $0.status.isSuccess }, "\(host.statuses)")
  }
}
