import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Recorded RSSI")
struct RSSITraceTests {
  @Test("I14.5 a trace is read from text with headings, remarks, further columns and three separators")
  func reading() throws {
    let trace = try RSSITrace(csv: "time,rssi\r\n# at the door\r\n10.0,-40\r\n10.5;-52.5;x,y\r\n\r\n 11 \t -60 \r\n")
    #expect(trace.samples == [.init(.zero, -40), .init(.milliseconds(500), -52.5), .init(.seconds(1), -60)])
    #expect(trace.duration == .milliseconds(1_500))
    #expect(try RSSITrace(every: .milliseconds(250), [-40, -50]).samples.last == .init(.milliseconds(250), -50))
  }

  @Test("I14.B mistakes in a trace are refused with line, column and what is expected")
  func mistakes() {
    for (text, expected) in [
      ("", "trace: no sample; expected at least one"),
      ("time,rssi\n", "trace: no sample; expected at least one"),
      ("0,-40\n1,-5x\n", "line 2, column 3: \"-5x\"; expected an RSSI in dBm"),
      ("0,-40\n1\n", "line 2, column 2: the end of the line; expected a comma and the RSSI in dBm"),
      ("0,-40\n\n,-50", "line 3, column 1: \"\"; expected a time in seconds"),
      ("0,-40\nx,-50", "line 2, column 1: \"x\"; expected a time in seconds"),
      ("0,-40\n1,nan", "line 2, column 3: \"nan\"; expected an RSSI in dBm"),
      ("0,-40\n1,0x10", "line 2, column 3: \"0x10\"; expected an RSSI in dBm"),
      ("0,-40\n1,21", "line 2, column 3: an RSSI of 21.0; expected -127 to 20 dBm"),
      ("0,-40\n1,-1e300", "line 2, column 3: an RSSI of -1e+300; expected -127 to 20 dBm"),
      ("0,-40\n1e12,-50", "line 2, column 1: \"1e12\"; expected a time in seconds"),
      ("5,-40\n5,-50", "line 2, column 1: the time 5.0 seconds; expected a time after 5.0 seconds"),
      ("0,-40\n\u{1}\u{2},-50", "line 2, column 1: \"??\"; expected a time in seconds"),
    ] {
      let error = #expect(throws: AirDescriptionError.self, "\(text)") { try RSSITrace(csv: text) }
      #expect(error?.description == expected)
    }
    let long = "0,-40\n1,-50" + String(repeating: " ", count: 2_000)
    #expect(throws: AirDescriptionError.self) { try RSSITrace(csv: long) }
    #expect(throws: AirDescriptionError.self) { try RSSITrace([]) }
    #expect(throws: AirDescriptionError.self) { try RSSITrace([.init(.zero, .nan)]) }
    #expect(throws: AirDescriptionError.self) { try RSSITrace([.init(.seconds(1), -40), .init(.zero, -40)]) }
    #expect(throws: AirDescriptionError.self) { try RSSITrace(every: .zero, [-40]) }
  }

  @Test("I14.B 20,000 mutilated texts are each a trace or a mistake with a place")
  func mutilated() {
    let chance = SeededEntropy(seed: 5)
    let good = Array("time;rssi\n0.5,-40\n1.25;-52.5,x\n# no\n2e0\t-60\n".utf8)
    var (traces, mistakes) = (0, 0)
    for _ in 0..<20_000 {
      var octets = good
      for _ in 0...chance.uniform(0..<4) {
        let place = Int(chance.uniform(0..<UInt64(octets.count)))
        switch chance.uniform(0..<3) {
        case 0: octets[place] = UInt8(truncatingIfNeeded: chance.next())
        case 1: octets.remove(at: place)
        default: octets.insert(contentsOf: octets[..<place].suffix(7), at: place)
        }
      }
      do {
        let trace = try RSSITrace(csv: String(decoding: octets, as: UTF8.self))
        #expect(!trace.samples.isEmpty && trace.duration > .zero)
        traces += 1
      } catch {
        #expect(error.place.hasPrefix("line ") || error.place == "trace", "\(error)")
        mistakes += 1
      }
    }
    #expect(traces > 1_000 && mistakes > 1_000)
  }

  /// The RSSI of the lamp in each of some seconds.
  private func levels(_ scene: MovingScene, seconds: Int) async -> [Int?] {
    var levels: [Int?] = []
    for _ in 0..<seconds { levels.append(await scene.signals(for: .seconds(1)).last) }
    return levels
  }

  @Test("I14.5 a trace is what is received, and then repeats, holds, or gives way to distance")
  func following() async throws {
    let world = World(seed: 3)
    let scene = MovingScene(world, apart: 1)
    scene.central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(2))
    let trace = try RSSITrace(every: .seconds(2), [-50, -70, -60])
    scene.phone.follow(trace, to: scene.lamp, then: .repeats)
    #expect(await levels(scene, seconds: 12) == [-50, -50, -70, -70, -60, -60, -50, -50, -70, -70, -60, -60])
    scene.lamp.follow(trace, to: scene.phone, then: .holds)
    #expect(await levels(scene, seconds: 8) == [-50, -50, -70, -70, -60, -60, -60, -60])
    scene.phone.follow(trace, to: scene.lamp)
    let ended = await levels(scene, seconds: 8).map { $0 ?? 0 }
    #expect(ended.prefix(6) == [-50, -50, -70, -70, -60, -60] && ended.suffix(2).allSatisfy { abs($0 + 40) < 8 })
    scene.phone.follow(try RSSITrace(every: .seconds(1), [-80]), to: scene.lamp, then: .repeats)
    #expect(await levels(scene, seconds: 3) == [-80, -80, -80])
    scene.lamp.stopFollowing(to: scene.phone)
    #expect(await levels(scene, seconds: 2).allSatisfy { abs(($0 ?? 0) + 40) < 8 })
  }

  @Test("I14.5 a link ends where a recorded signal is too weak for its supervision time-out")
  func loss() async throws {
    let scene = MovingScene(World(seed: 3), apart: 1)
    try await scene.connect()
    scene.phone.follow(try RSSITrace(every: .seconds(10), [-60, -100]), to: scene.lamp, then: .repeats)
    await scene.world.advance(by: .seconds(9))
    #expect(scene.central.peripheral?.state == .connected)
    await scene.world.advance(by: .seconds(9))
    #expect(scene.central.peripheral?.state == .disconnected)
    await scene.world.advance(by: .seconds(3))
    scene.central.connect()
    try await scene.world.wait(within: .seconds(8)) { scene.central.peripheral?.state == .connected }
  }
}
