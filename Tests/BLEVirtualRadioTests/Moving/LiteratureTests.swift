import BLECore
import BLEWire
import Glibc
import Measurements
import Testing

@testable import BLEVirtualRadio

/// The figures of `Docs/radio.md` beside published ones.
@Suite("The radio beside the literature")
struct LiteratureTests {
  /// The RSSI of one radio by another at a distance, without jitter.
  private func level(_ propagation: Propagation, at place: Position) async throws -> Double {
    let pair = try TestPair(propagation: propagation)
    pair.peripheral.controller.move(to: place)
    pair.peripheral.advertise(interval: 0x20)
    pair.central.scan()
    await pair.run(.seconds(1))
    return Double(try #require(pair.central.reports.first).report.rssi)
  }

  /// The loss by a slab in dB, with the reflections at both faces (ITU-R P.2040-3, 2.2): permittivity `a`, conductivity `c · f^d`.
  private func slab(_ a: Double, _ c: Double, _ d: Double, metres: Double) -> Double {
    let gigahertz = 2.44
    let conductivity = c * pow(gigahertz, d)
    let inside = 1_636 * conductivity / a.squareRoot() * metres
    let reflection = pow((a.squareRoot() - 1) / (a.squareRoot() + 1), 2)
    // A thin pane: the waves that are reflected inside add up. In a thick wall they are absorbed.
    guard metres < 0.02 else { return inside - 20 * log10(1 - reflection) }
    let phase = 2 * Double.pi * a.squareRoot() * metres * gigahertz * 1e9 / 299_792_458
    return inside + 10 * log10(1 + 4 * reflection / pow(1 - reflection, 2) * pow(sin(phase), 2))
  }

  /// The loss by one wall, from the RSSI behind it.
  private func loss(_ material: WallMaterial) async throws -> Double {
    var propagation = Propagation(signal: .pathLoss(exponent: 2, referenceLoss: 40, shadowing: 0, jitter: 0))
    var sum = 0.0
    // RSSI is whole dBm: ten walls show tenths.
    let free = try await level(propagation, at: Position(x: 1))
    let count = material == .concrete ? 5 : 10
    propagation.plan = FloorPlan(
      checked: (1...count).map {
        Wall(from: Position(x: 0.05 * Double($0), y: -1), to: Position(x: 0.05 * Double($0), y: 1), material)
      })
    propagation.signal = .pathLoss(exponent: 2, referenceLoss: 40, shadowing: 0, jitter: 0)
    let pair = try TestPair(propagation: propagation)
    pair.peripheral.controller.move(to: Position(x: 1))
    pair.peripheral.advertise(interval: 0x20)
    pair.central.scan()
    await pair.run(.seconds(1))
    sum = free - Double(try #require(pair.central.reports.first).report.rssi)
    return sum / Double(count)
  }

  /// At which level 30.8 % of the packets are lost, which is a bit error rate of 0.1 % with 37 octets (Core, Vol 6 Part A 4).
  private func threshold(_ curve: SignalLoss) -> Double {
    var (low, high) = (curve.everythingLostAt, curve.nothingLostAt)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if curve.rate(at: middle) > 0.308 { low = middle } else { high = middle }
    }
    return low
  }

  /// The mean time from the beginning of a scan to the first advertisement of one host, in milliseconds, and its share that arrives.
  private func discovery(among others: Int) async throws -> (milliseconds: Double, share: Double) {
    var (sum, reports) = (0.0, 0)
    let runs = 200
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 77, propagation: .constant, loss: .none)
    air.collides = true
    for number in 0...UInt64(others) {
      let host = try TestHost(air, loop: loop, 10 + number)
      host.start()
      host.advertise(interval: 0xA0)
    }
    let target = HCIAddress(TestHost.address(10))
    let scanner = try TestHost(air, loop: loop, 1)
    // Another that listens, so that the advertisers run before the scan begins.
    let listener = try TestHost(air, loop: loop, 2)
    scanner.start()
    listener.start()
    listener.scan()
    for run in 0..<runs {
      await loop.run(until: .instant(loop.now + .microseconds(37_000 + 911 * Int64(run % 97))))
      scanner.forget()
      let begin = loop.now
      scanner.scan(interval: 0x4000, window: 0x4000)
      await loop.run(until: .instant(loop.now + .milliseconds(1_200)))
      let first = try #require(scanner.reports.first { $0.report.address == target })
      sum += (first.at - begin).seconds * 1_000
      reports += scanner.reports.count
      scanner.send(LESetScanEnable(isEnabled: false, filtersDuplicates: false))
    }
    return (sum / Double(runs), Double(reports) / (Double(runs) * 1.2 / 0.105 * Double(others + 1)))
  }

  private func share(of channel: UInt8, _ interferer: Interferer) -> Double {
    let interference = Interference([interferer], seed: 1)
    let count = 100_000
    let hits = (0..<count).count {
      interference.spoils(
        channel: channel, from: .zero + .microseconds(1_700 * Int64($0)), lasting: .microseconds(1), level: -50,
        at: Station(identity: 1), .constant)
    }
    return Double(hits) / Double(count) * 100
  }

  @Test("I14.5 what Docs/radio.md says of the radio beside published figures is what it does")
  func figures() async throws {
    let table = try DocumentedFigures(page: "radio.md", below: "### The air beside published figures")
    let free = Propagation(signal: .pathLoss(exponent: 2, referenceLoss: 40, shadowing: 0, jitter: 0))
    let (alone, crowded) = (try await discovery(among: 0), try await discovery(among: 200))
    let covered = [1, 6, 11].map { Interferer.wifi(checked: $0, 0.5).channels }.reduce(0, |)
    let measured: [String: Double] = [
      "free-space": -(try await level(free, at: Position(x: 1))),
      "plasterboard": try await loss(.plasterboard),
      "glass": try await loss(.glass),
      "brick": try await loss(.brick),
      "concrete": try await loss(.concrete),
      "sensitivity": threshold(SignalLoss(nothingLostAt: -88, everythingLostAt: -98)),
      "co-channel": threshold(Interference.rejection),
      "aloha": crowded.share * 100,
      "discovery-1": alone.milliseconds,
      "discovery-201": crowded.milliseconds,
      "wifi-channels": Double((covered & LEChannelMap.all.rawValue).nonzeroBitCount),
      "wifi-load": share(of: 3, .wifi(checked: 1, 0.2)),
      "oven": share(of: 24, .microwaveOven(checked: nil)),
    ]
    #expect(LossModel.sensitivity == .bySignal(SignalLoss(nothingLostAt: -88, everythingLostAt: -98)))
    #expect(Set(table.rows.keys) == Set(measured.keys))
    for (name, value) in measured.sorted(by: { $0.key < $1.key }) {
      print("\(name): \(value)")
      #expect(table.rows[name]?.fits(value) == true, "\(name): \(value)")
    }
  }

  @Test("I14.5 the published figures that a formula gives are what it gives")
  func formulas() throws {
    let table = try DocumentedFigures(page: "radio.md", below: "### The air beside published figures")
    let load: Double = 200 / 0.105 * 2 * 19 * 8e-6
    // The mean of what is left of an interval of 100 ms and a uniform 0 to 10 ms, at a random instant, with the packet's time.
    let rest: Double = (105.0 * 105.0 + 100.0 / 12.0) / 210.0 + 0.152
    let friis: Double = 20 * log10(4 * Double.pi * 2.44e9 / 299_792_458)
    let arriving: Double = exp(-load)
    let crowded: Double = rest + (1 / arriving - 1) * 105
    let computed: [String: Double] = [
      "free-space": friis, "glass": slab(6.31, 0.0036, 1.3394, metres: 0.006),
      "brick": slab(3.91, 0.0238, 0.16, metres: 0.24), "concrete": slab(5.24, 0.0462, 0.7822, metres: 0.2),
      "aloha": arriving * 100, "discovery-1": rest, "discovery-201": crowded,
    ]
    for (name, value) in computed {
      let published = try #require(table.rows[name]?.published)
      #expect(abs(value - published) <= 0.05 + 0.005 * published, "\(name): \(value)")
    }
  }
}
