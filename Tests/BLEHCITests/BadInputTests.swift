import BLECore
import BLEHCI
import BLEWire
import Testing

@Suite("Hostile controllers")
struct BadInputTests {
  private static let answers: Set<HCIEventCode> = [
    CommandCompleteEvent.code, CommandStatusEvent.code, HardwareErrorEvent.code, DataBufferOverflowEvent.code,
    NumberOfCompletedPacketsEvent.code,
  ]

  /// Each example of each event, as octets.
  private static let events: [(code: HCIEventCode, octets: [UInt8])] = HCIRegistry.events.flatMap { event in
    let code = HCIEventCode(rawValue: UInt16(truncatingIfNeeded: event.code ?? 0))
    return event.examples().map { parameters in
      let body = (code.subevent.map { [$0] } ?? []) + parameters
      return (code, [code.event, UInt8(body.count)] + body)
    }
  }

  @Test("H1: truncated or extended events, or with a wrong length, are dropped and counted, and the next one works")
  func lengths() async {
    let bench = await HostBench.started()
    var expected = 0
    func refuse(_ octets: [UInt8]) {
      bench.chip.inject(HCIPacket(kind: .event, octets: octets))
      expected += 1
    }
    for (_, octets) in Self.events {
      for count in 0..<octets.count { refuse(Array(octets.prefix(count))) }
      refuse(octets + [0])
      for length: UInt8 in [0, 255] where length != octets[1] {
        var changed = octets
        changed[1] = length
        refuse(changed)
      }
      #expect(bench.controller.counters.malformedEvents == expected)
      let heard = bench.heard.events.count
      bench.chip.inject(LEScanTimeoutEvent())
      #expect(bench.heard.events.count == heard + 1)
    }
    #expect(bench.controller.features != nil)
  }

  @Test("H1: truncated parameters behind an agreeing length do no harm", arguments: [0x4831, 0x4832] as [UInt64])
  func agreeingLengths(_ seed: UInt64) async {
    let entropy = SeededEntropy(seed: seed)
    let bench = await HostBench.started()
    for (code, octets) in Self.events where !Self.answers.contains(code) {
      for count in 2..<octets.count {
        var cut = Array(octets.prefix(count))
        cut[1] = UInt8(count - 2)
        bench.chip.inject(HCIPacket(kind: .event, octets: cut))
        let at = 2 + Int(entropy.uniform(0..<UInt64(octets.count - 2)))
        var changed = octets
        changed[at] = UInt8(truncatingIfNeeded: entropy.next())
        bench.chip.inject(HCIPacket(kind: .event, octets: changed))
      }
    }
    #expect(bench.controller.features != nil, "seed \(seed)")
  }

  @Test("H2: any number of reports with a short body is dropped and counted")
  func reports() async {
    let bench = await HostBench.started()
    for subevent: UInt8 in [0x02, 0x0B, 0x0D] {
      for count in UInt8(1)...255 {
        let before = bench.controller.counters.malformedEvents
        bench.chip.inject(HCIPacket(kind: .event, octets: [0x3E, 5, subevent, count, 0, 0, 0]))
        #expect(bench.controller.counters.malformedEvents == before + 1)
      }
    }
    #expect(bench.heard.events.isEmpty)
  }

  @Test("random packets of every kind neither crash nor hang the host, which is ready again in the end")
  func random() async {
    let seed: UInt64 = 20_26
    let entropy = SeededEntropy(seed: seed)
    let bench = await HostBench.started()
    for round in 0..<20_000 {
      var octets = entropy.octets(Int(entropy.uniform(0..<40)))
      let kind = HCIPacketKind.allCases[Int(entropy.uniform(0..<5))]
      if kind == .event, octets.count >= 3, entropy.uniform(0..<2) == 0 {
        octets[0] = entropy.uniform(0..<2) == 0 ? HCIEventCode.metaEvent : UInt8(entropy.uniform(0..<0x60))
        octets[1] = UInt8(octets.count - 2)
      }
      if kind == .aclData, octets.count >= 4 { octets[2] = UInt8(octets.count - 4) }
      bench.chip.inject(HCIPacket(kind: kind, octets: octets))
      if round % 50 == 0 { await bench.advance(.seconds(15)) }
    }
    await bench.settle()
    if bench.controller.features == nil {
      bench.controller.start()
      await bench.settle()
    }
    #expect(bench.controller.features != nil, "seed \(seed)")
  }

  @Test("a hardware error resets the controller, and its links end")
  func hardwareError() async throws {
    let bench = await HostBench.started()
    let link = try #require(bench.connect(1)).link
    bench.chip.inject(HardwareErrorEvent(hardwareCode: 0x42))
    #expect(bench.heard.failures == [.hardwareError(code: 0x42)])
    #expect(!link.isOpen)
    await bench.settle()
    #expect(bench.controller.features != nil)
  }

  @Test("I14.7 a hardware error during the start-up, after the reset, begins it again")
  func hardwareErrorDuringStartUp() async throws {
    let bench = HostBench { chip, _ in chip.silent = [LEReadBufferSize.opcode] }
    bench.controller.start()
    await bench.advance(.milliseconds(100))
    #expect(bench.controller.state == .starting)
    bench.chip.inject(HardwareErrorEvent(hardwareCode: 0x42))
    #expect(bench.heard.failures.first == .hardwareError(code: 0x42))
  }

  @Test("packets before the controller is ready are ignored")
  func staleEvents() async {
    let bench = HostBench { chip, _ in chip.silent = [HCIReset.opcode] }
    bench.controller.start()
    bench.chip.connect(1)
    bench.chip.inject(LEAdvertisingReportEvent.examples[1])
    bench.chip.inject(HardwareErrorEvent(hardwareCode: 1))
    bench.chip.complete(200, of: 1)
    #expect(bench.heard.events.isEmpty)
    #expect(bench.controller.counters.ignoredEvents == 4)
    #expect(bench.controller.state == .starting)
  }
}
