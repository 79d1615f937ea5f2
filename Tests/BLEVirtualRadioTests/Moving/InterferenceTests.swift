import BLECore
import BLEHCI
import BLEWire
import Testing

@testable import BLEVirtualRadio

/// Counts the packets of connections on an air, by channel.
final class DataChannelTap: AirTap {
  private(set) var sent = [Int](repeating: 0, count: 40)
  private(set) var lost = [Int](repeating: 0, count: 40)

  func air(_ air: Air, carried frame: AirFrame) {
    guard frame.channel < 37 else { return }
    sent[Int(frame.channel)] += 1
    if !frame.wasReceived { lost[Int(frame.channel)] += 1 }
  }

  func forget() {
    sent = [Int](repeating: 0, count: 40)
    lost = sent
  }
}

@Suite("Interference")
struct InterferenceTests {
  private func channels(_ interferer: Interferer) -> [Int] {
    (0..<40).filter { interferer.channels >> UInt64($0) & 1 == 1 }
  }

  @Test("I14.5 Wi-Fi on 1, 6 and 11 covers 28 data channels and leaves nine, and the advertising channels, free")
  func wifiChannels() throws {
    #expect(channels(try .wifi(channel: 1, load: 0.5)) == Array(0...8))
    #expect(channels(try .wifi(channel: 6, load: 0.5)) == Array(11...20))
    #expect(channels(try .wifi(channel: 11, load: 0.5)) == Array(24...32))
    let oven = channels(try .microwaveOven())
    #expect(oven == Array(17...32))
  }

  @Test("I14.5 packets are lost on the covered channels only, for the share of the time in which the network sends")
  func lossByChannel() async throws {
    var configuration = ControllerConfiguration()
    configuration.adaptsChannelMap = false
    let pair = try TestPair(configuration: configuration)
    _ = try await pair.connect(interval: 6, timeout: 3_200)
    let tap = DataChannelTap()
    pair.air.tap = tap
    pair.air.setInterference([try .wifi(channel: 6, load: 0.3)])
    await pair.run(.seconds(300))
    var (sent, lost) = (0, 0)
    for channel in 0..<37 {
      if (11...20).contains(channel) {
        sent += tap.sent[channel]
        lost += tap.lost[channel]
      } else {
        #expect(tap.lost[channel] == 0 && tap.sent[channel] > 0, "channel \(channel)")
      }
    }
    // Of the first packets of exchanges a share of 0.3 is lost; answers are sent where that one arrived, in a pause, and meet a burst
    // that has begun since, in some 0.13 of the cases: (0.3 + 0.7 * 0.13) / (1 + 0.7).
    let share = Double(lost) / Double(sent)
    print("Wi-Fi at a load of 0.3: \(share) of the packets on its channels are lost")
    #expect(abs(share - 0.23) < 0.02, "\(share)")
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 losses come in bursts: a packet after a lost one on a covered channel is lost more often than others")
  func bursts() throws {
    let interference = Interference([try .wifi(channel: 1, load: 0.2)], seed: 3)
    let station = Station(identity: 1)
    var (pairs, both, single) = (0, 0, 0)
    for number in 0..<20_000 as Range<Int64> {
      // Two packets half a millisecond apart, every 20 ms.
      let time = StackInstant.zero + .milliseconds(20 * number)
      let first = interference.spoils(
        channel: 0, from: time, lasting: .microseconds(80), level: -50, at: station, .constant)
      let second = interference.spoils(
        channel: 0, from: time + .microseconds(500), lasting: .microseconds(80), level: -50, at: station, .constant)
      single += first ? 1 : 0
      pairs += first ? 1 : 0
      both += first && second ? 1 : 0
    }
    let (alone, after) = (Double(single) / 20_000, Double(both) / Double(pairs))
    print("lost: \(alone); after a lost one: \(after)")
    #expect(alone > 0.18 && alone < 0.26 && after > 0.5)
  }

  @Test("I14.5 the central leaves out bad channels, data then passes without loss, and they are tried again")
  func adaptation() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect(interval: 6, timeout: 3_200)
    let tap = DataChannelTap()
    pair.air.tap = tap
    pair.air.setInterference([1, 6, 11].map { .wifi(checked: $0, 0.5) })
    await pair.run(.seconds(30))
    func map() async throws -> UInt64 {
      pair.central.forget()
      pair.central.send(LEReadChannelMap(connectionHandle: handles.central))
      await pair.run(.milliseconds(20))
      for case .commandComplete(let event) in pair.central.events.map(\.event)
      where event.opcode == LEReadChannelMap.opcode {
        // Status and handle, then the map.
        return event.returnParameters.dropFirst(3).reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      return 0
    }
    let free: UInt64 = [9, 10, 21, 22, 23, 33, 34, 35, 36].reduce(0) { $0 | 1 << $1 }
    #expect(try await map() == free)
    tap.forget()
    await pair.run(.seconds(10))
    #expect(tap.sent.reduce(0, +) > 2_000 && tap.lost.reduce(0, +) == 0)
    pair.air.setInterference([.wifi(checked: 13, 0)])
    await pair.run(.seconds(90))
    #expect(try await map() == LEChannelMap.all.rawValue)
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 an interferer far away spoils nothing, and a wall between helps")
  func distance() async throws {
    for (place, wall, isLossy) in [(2.0, false, true), (60, false, false), (6, true, false)] as [(Double, Bool, Bool)] {
      var configuration = ControllerConfiguration()
      configuration.adaptsChannelMap = false
      var propagation = Propagation(signal: .pathLoss(exponent: 2.5, referenceLoss: 40, shadowing: 0, jitter: 0))
      if wall {
        propagation.plan = try FloorPlan(walls: [
          Wall(from: Position(x: 4, y: -50), to: Position(x: 4, y: 50), attenuation: 30)
        ])
      }
      let pair = try TestPair(propagation: propagation, configuration: configuration)
      pair.peripheral.controller.move(to: Position(x: 1))
      _ = try await pair.connect(interval: 6, timeout: 3_200)
      let tap = DataChannelTap()
      pair.air.tap = tap
      pair.air.setInterference([try .wifi(channel: 6, load: 0.5, at: Position(x: place))])
      await pair.run(.seconds(20))
      #expect((tap.lost.reduce(0, +) > 50) == isLossy, "at \(place) m: \(tap.lost.reduce(0, +))")
      withExtendedLifetime(tap) {}
    }
  }

  @Test("I14.5 a microwave oven sends in one half of each period of mains")
  func oven() throws {
    let interference = Interference([try .microwaveOven()], seed: 5)
    let hits = (0..<20_000 as Range<Int64>).map {
      interference.spoils(
        channel: 24, from: .zero + .microseconds(100 * $0), lasting: .microseconds(80), level: -30,
        at: Station(identity: 1), .constant)
    }
    let share = Double(hits.count { $0 }) / Double(hits.count)
    #expect(abs(share - 0.454) < 0.01, "\(share)")
    // One change in each direction within 20 ms.
    #expect(zip(hits, hits.dropFirst()).count { $0 != $1 } == 200)
  }

  @Test("I14.5 the state of bursts after any number of steps is right, forwards and backwards")
  func chain() {
    let chance = SeededEntropy(seed: 9)
    var chain = TwoStateChain(share: 0.25, stay: 4, chance)
    var (on, changes) = (0, 0)
    for _ in 0..<200_000 {
      let before = chain.isOn
      chain.pass(1, chance)
      on += chain.isOn ? 1 : 0
      changes += before != chain.isOn ? 1 : 0
    }
    #expect(abs(Double(on) / 200_000 - 0.25) < 0.01)
    // Of the time that it is on it leaves each fourth step, and it returns as often.
    #expect(abs(Double(changes) / 200_000 - 2 * 0.25 / 4) < 0.01)
    for (share, isOn) in [(0.0, false), (1.0, true), (.nan, false), (-3, false), (7, true)] {
      var fixed = TwoStateChain(share: share, stay: .nan, chance)
      for steps in [1, -1, Int64.max, Int64.min] {
        fixed.pass(steps, chance)
        #expect(fixed.isOn == isOn)
      }
    }
  }

  @Test("I14.B mistakes in an interferer are refused")
  func mistakes() {
    #expect(throws: AirDescriptionError.self) { try Interferer.wifi(channel: 0, load: 0.5) }
    #expect(throws: AirDescriptionError.self) { try Interferer.wifi(channel: 14, load: 0.5) }
    #expect(throws: AirDescriptionError.self) { try Interferer.wifi(channel: 1, load: -0.1) }
    #expect(throws: AirDescriptionError.self) { try Interferer.wifi(channel: 1, load: .nan) }
    #expect(throws: AirDescriptionError.self) { try Interferer.microwaveOven(at: Position(x: .nan)) }
  }
}
