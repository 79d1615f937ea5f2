import BLECore
import BLEFaults
import BLEWire
import Testing

/// The machine that decides which packet a fault strikes, without a radio.
@Suite("The engine of faults")
struct FaultEngineTests {
  private let value = FaultAttribute(characteristic: BLEUUID(0x2A37))
  private func packet(
    _ octets: [UInt8], _ sender: FaultSender = .device, link: UInt64 = 1, number: UInt64 = 1,
    channel: ChannelIdentifier = .attributeProtocol
  ) -> FaultPacket {
    FaultPacket(
      link: link, number: number, sender: sender, channel: channel, octets: octets,
      attribute: channel == .attributeProtocol ? value : nil)
  }

  private func engine(_ faults: [String], seed: UInt64 = 1) throws -> FaultEngine {
    var engine = FaultEngine(
      faults: try faults.map { try Fault(text: $0) }, chance: SeededEntropy(seed: seed), now: .zero)
    _ = engine.linkOpened(1, now: .zero)
    _ = engine.linkOpened(2, now: .zero)
    return engine
  }

  /// The octets that are passed on.
  private func passed(_ outputs: [FaultOutput]) -> [String] {
    outputs.compactMap { if case .pass(let packet) = $0 { packet.octets.hexadecimal } else { nil } }
  }

  private func strikes(_ outputs: [FaultOutput]) -> Int {
    outputs.count { if case .strike = $0 { true } else { false } }
  }

  private func at(_ milliseconds: Int64) -> StackInstant { .zero + .milliseconds(milliseconds) }

  @Test(
    "I14.2 an occurrence strikes when it says, counted on all links together",
    arguments: [
      ("nth 2", [2]), ("every", [1, 2, 3, 4, 5, 6]), ("starting_with 4", [4, 5, 6]), ("first 3", [1, 2, 3]), ("", [1]),
    ])
  func occurrences(occurrence: String, expected: [Int]) throws {
    var engine = try engine(["notification 2A37 \(occurrence) drop"])
    let struck = (1...6).filter {
      strikes(engine.take(packet([0x1B, 3, 0, 1], link: UInt64($0 % 2 + 1)), now: .zero)) > 0
    }
    #expect(struck == expected)
  }

  @Test("I14.2 a probability is drawn from the seed, and is met")
  func chance() throws {
    var results: [[Bool]] = []
    for seed: UInt64 in [1, 1, 2] {
      var engine = try engine(["notification any chance 0.25 drop"], seed: seed)
      results.append((0..<4_000).map { _ in strikes(engine.take(packet([0x1B, 3, 0, 1]), now: .zero)) > 0 })
    }
    #expect(results[0] == results[1] && results[0] != results[2])
    #expect((900...1_100).contains(results[0].count { $0 }))
  }

  @Test("I14.2 a request that is answered with an error does not pass, and the error goes back")
  func error() throws {
    var engine = try engine(["read 2A37 error 0x0E"])
    let outputs = engine.take(packet([0x0A, 3, 0], .peer, number: 7), now: .zero)
    #expect(outputs.contains(.drop(number: 7)))
    #expect(passed(outputs) == ["010a03000e"])
    guard case .pass(let answer) = outputs.last(where: { if case .pass = $0 { true } else { false } }) else { return }
    #expect(answer.sender == .device && answer.link == 1)
  }

  @Test(
    "I14.2 what changes octets of a read changes the value in its answer",
    arguments: [
      ("cut_to 1", "0b01"), ("lengthen_by 2", "0b01020000"), ("flip 1 0x80", "0b0182"), ("replace 13", "13"),
      ("repeat 2", "0b0102 0b0102 0b0102"), ("flip 9 0x01", "0b0102"),
    ])
  func answers(action: String, expected: String) throws {
    var engine = try engine(["read any \(action)"])
    #expect(passed(engine.take(packet([0x0A, 3, 0], .peer), now: .zero)) == ["0a0300"])
    // Neither a packet of the other side nor a notification is the answer.
    #expect(passed(engine.take(packet([0x0B, 9], .peer), now: .zero)) == ["0b09"])
    #expect(passed(engine.take(packet([0x1B, 3, 0, 9]), now: .zero)) == ["1b030009"])
    #expect(passed(engine.take(packet([0x0B, 1, 2]), now: .zero)).joined(separator: " ") == expected)
    #expect(passed(engine.take(packet([0x0B, 1, 2]), now: .zero)) == ["0b0102"])
  }

  @Test("I14.2 a late packet passes at its time, and what comes after it does not wait")
  func delay() throws {
    var engine = try engine(["notification any delay 2"])
    #expect(
      engine.take(packet([0x1B, 3, 0, 1]), now: .zero).allSatisfy { if case .strike = $0 { true } else { false } })
    #expect(passed(engine.take(packet([0x1B, 3, 0, 2]), now: at(1_000))) == ["1b030002"])
    #expect(engine.deadline == at(2_000) && engine.holdsPackets)
    #expect(passed(engine.advance(to: at(1_999))) == [])
    #expect(passed(engine.advance(to: at(2_000))) == ["1b030001"])
    #expect(engine.deadline == nil && !engine.holdsPackets)
  }

  @Test("I14.2 a full queue keeps the order of what the device sends, and lets the peer's packets pass")
  func fullQueue() throws {
    var engine = try engine(["notification any fill_queue 2"])
    for count: UInt8 in 1...3 { #expect(passed(engine.take(packet([0x1B, 3, 0, count]), now: .zero)) == []) }
    #expect(passed(engine.take(packet([0x0A, 3, 0], .peer), now: .zero)) == ["0a0300"])
    #expect(passed(engine.take(packet([0x1B, 3, 0, 9], link: 2), now: .zero)) == ["1b030009"])
    // One that comes at the instant of the end does not overtake.
    #expect(
      passed(engine.take(packet([0x1B, 3, 0, 4]), now: at(2_000))) == ["1b030001", "1b030002", "1b030003", "1b030004"])
  }

  @Test("I14.2 a packet changes places with the next, or comes after a second")
  func swap() throws {
    var engine = try engine(["notification any swap_with_next"])
    #expect(passed(engine.take(packet([0x1B, 3, 0, 1]), now: .zero)) == [])
    #expect(passed(engine.take(packet([0x1B, 3, 0, 2], link: 2), now: .zero)) == ["1b030002"])
    #expect(passed(engine.take(packet([0x1B, 3, 0, 3]), now: .zero)) == ["1b030003", "1b030001"])
    engine = try self.engine(["notification any swap_with_next"])
    _ = engine.take(packet([0x1B, 3, 0, 1]), now: .zero)
    #expect(engine.deadline == at(1_000))
    #expect(passed(engine.advance(to: at(1_000))) == ["1b030001"])
  }

  @Test("I14.2 each packet that is taken is passed on or dropped exactly once, also when its link ends")
  func numbers() throws {
    let actions = Fault.known.filter { $0.trigger.event.isPacket || !$0.action.needsPacket }
    for seed in 0..<300 as Range<UInt64> {
      let chance = SeededEntropy(seed: seed)
      let faults = (0..<3).map { _ in
        Fault.drawn(actions[Int(chance.uniform(0..<UInt64(actions.count)))].action.kind, by: chance)
      }
      var engine = FaultEngine(faults: faults, chance: chance.fork(1), now: .zero)
      var outputs = engine.linkOpened(1, now: .zero)
      let payloads: [[UInt8]] = [
        [0x0A, 3, 0], [0x0B, 1], [0x12, 3, 0, 1], [0x13], [0x1B, 3, 0, 1], [0x1D, 3, 0, 1], [0x1E], [0x02, 0, 2],
        [0x03, 0, 2], [0x10, 1, 0, 255, 255, 0, 40], [0x52, 3, 0, 1], [], [0xFF],
      ]
      var now = StackInstant.zero
      for number in 1...60 as ClosedRange<UInt64> {
        now = now + .milliseconds(Int64(chance.uniform(0..<700)))
        let sender: FaultSender = chance.uniform(0..<2) == 0 ? .device : .peer
        outputs += engine.take(
          packet(payloads[Int(chance.uniform(0..<UInt64(payloads.count)))], sender, number: number), now: now)
      }
      outputs += engine.linkClosed(1)
      var seen: [UInt64: Int] = [:]
      for output in outputs {
        switch output {
        case .pass(let packet) where packet.number != 0: seen[packet.number, default: 0] += 1
        case .drop(let number) where number != 0: seen[number, default: 0] += 1
        default: break
        }
      }
      #expect(seen.count == 60 && seen.values.allSatisfy { $0 == 1 }, "seed \(seed): \(faults)")
      #expect(!engine.holdsPackets)
    }
  }

  @Test("I14.2 times strike once, those of a connection once for each link, and a cause at once")
  func times() throws {
    var engine = FaultEngine(
      faults: [try Fault(text: "time 3 restart"), try Fault(text: "connection_time 1 every silence 2")],
      chance: SeededEntropy(seed: 1), now: .zero)
    #expect(engine.deadline == at(3_000))
    _ = engine.linkOpened(1, now: at(1_500))
    #expect(engine.deadline == at(2_500))
    #expect(strikes(engine.advance(to: at(2_500))) == 1)
    _ = engine.linkOpened(2, now: at(2_600))
    #expect(engine.linkClosed(2) == [])
    #expect(engine.advance(to: at(4_000)).contains(.perform(.restart, link: nil)))
    #expect(engine.deadline == nil)
    let caused = engine.cause(try Fault(text: "time 9 disconnect 0x13"), now: at(5_000))
    #expect(caused.contains(.perform(.disconnect(.remoteUserTerminated), link: 1)))
    #expect(engine.cause(try Fault(text: "read any no_answer"), now: at(5_000)) == [])
    #expect(strikes(engine.take(packet([0x0A, 3, 0], .peer), now: at(5_001))) == 1)
    #expect(strikes(engine.take(packet([0x0A, 3, 0], .peer), now: at(5_002))) == 0)
  }
}
