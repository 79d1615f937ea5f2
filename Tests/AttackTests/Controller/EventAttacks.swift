import BLECore
import BLETestKit
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Events whose lengths contradict their contents, while a program uses a good link.
@Suite("H1 and H2 events", .keepsCapture)
struct EventAttacks {
  /// A program that is connected to an honest shelf and subscribed to it, over a hostile controller.
  private struct Scene {
    let world = World()
    let host: BetrayedHost
    let program: CentralApp
    let shelf: PeripheralApp

    static func start(_ configuration: ControllerConfiguration = ControllerConfiguration()) async throws -> Scene {
      let scene = Scene(configuration)
      let program = scene.program
      try await scene.world.wait(within: .seconds(20)) { program.isDone }
      program.notify(true, "FF32")
      await scene.world.advance(by: .seconds(1))
      #expect(program.isWalkSound && program.told.last == "notifying FF32 true")
      return scene
    }

    private init(_ configuration: ControllerConfiguration) {
      host = BetrayedHost(world, configuration: configuration)
      shelf = Shelf.start(world.makeDevice("honest").options)
      program = CentralApp(host.options, seeking: "Shelf", discovering: .descriptors)
    }

    /// Whether a value still arrives over the link, with all the events that this takes.
    func works() async -> Bool {
      program.forget()
      shelf.update("works")
      program.read("FF31")
      await world.advance(by: .milliseconds(200))
      return program.told == [
        "value FF32 " + Array("works".utf8).hexadecimal, "value FF31 " + Array("shelf".utf8).hexadecimal,
      ]
    }
  }

  /// Each example of each event and subevent, as octets.
  private static let events: [(name: String, octets: [UInt8], decodes: @Sendable ([UInt8]) -> Bool)] =
    HCIRegistry.events.flatMap { event in
      let code = HCIEventCode(rawValue: UInt16(truncatingIfNeeded: event.code ?? 0))
      return event.examples().map { parameters in
        let body = (code.subevent.map { [$0] } ?? []) + parameters
        let roundTrip = event.roundTrip
        let decodes: @Sendable ([UInt8]) -> Bool = { (try? roundTrip($0)) != nil }
        return (event.name, [code.event, UInt8(body.count)] + body, decodes)
      }
    }

  @Test(
    "H1 each event and subevent, truncated, extended, or with length 0 or 255, is dropped and counted; later ones work"
  )
  func lengths() async throws {
    let scene = try await Scene.start()
    for (name, octets, _) in Self.events {
      let before = scene.host.log.warnings
      var refused = (0..<octets.count).map { Array(octets.prefix($0)) } + [octets + [0], octets + octets]
      for length: UInt8 in [0, 255] where length != octets[1] {
        refused.append([octets[0], length] + octets.dropFirst(2))
      }
      await scene.host.perform { chip in for event in refused { chip.inject(event: event) } }
      #expect(scene.host.log.warnings == before + refused.count, "\(name)")
      #expect(await scene.works(), "\(name)")
    }
    #expect(scene.host.chipCount == 1)
    #expect(scene.program.manager.state == .poweredOn)
  }

  @Test("H1 the same with an agreeing length: a body too short or too long for its event is dropped and counted")
  func agreeingLengths() async throws {
    let scene = try await Scene.start()
    var count = 0
    for (name, octets, decodes) in Self.events {
      let start = octets[0] == HCIEventCode.metaEvent ? 3 : 2
      let before = scene.host.log.warnings
      var refused: [[UInt8]] = []
      for length in start...octets.count + 3 where length != octets.count {
        let changed = Array((octets + [0, 0, 0]).prefix(length))
        // Variants that are valid events are not part of this test.
        if decodes(Array(changed.dropFirst(start))) { continue }
        refused.append([changed[0], UInt8(length - 2)] + changed.dropFirst(2))
      }
      await scene.host.perform { [refused] chip in for event in refused { chip.inject(event: event) } }
      #expect(scene.host.log.warnings == before + refused.count, "\(name)")
      #expect(await scene.works(), "\(name)")
      count += refused.count
    }
    #expect(count > 500)
    // Undeclared events, whatever they contain, have no effect on the host.
    await scene.host.perform { chip in
      for code in UInt8.min...UInt8.max where !HCIRegistry.events.contains(where: { ($0.code ?? 0) & 0xFF == code }) {
        chip.inject(event: [code, 3, 1, 2, 3])
      }
      for subevent in UInt8(0x40)...255 { chip.inject(event: [0x3E, 2, subevent, 7]) }
    }
    #expect(await scene.works())
    #expect(scene.host.chipCount == 1)
  }

  // MARK: Advertising reports

  private static func part(
    _ type: LEExtendedReportType, _ data: [UInt8], from address: UInt64 = 5, set: UInt8 = 1
  ) -> HCIPacket {
    HCIPacket(
      LEExtendedAdvertisingReportEvent(reports: [
        .init(
          type: type, address: HCIAddress(DeviceAddress(0xC000_0000_0000 | address, kind: .random)),
          secondaryPHY: .le2M,
          setIdentifier: set, rssi: -40, data: data[...])
      ]))
  }

  private static let hello: [UInt8] = [6, 0x09] + Array("Hello".utf8)

  private static func watch() async -> (BetrayedHost, CentralApp) {
    let host = BetrayedHost()
    let watcher = CentralApp(host.options)
    watcher.scanWhenPoweredOn(allowingDuplicates: true)
    await host.world.advance(by: .seconds(1))
    return (host, watcher)
  }

  @Test("H2 0 to 255 reports in a body too short for them are dropped and counted, in each of the three events")
  func reportCounts() async {
    let (host, watcher) = await Self.watch()
    for subevent: UInt8 in [0x02, 0x0B, 0x0D] {
      // No body, one report without its end, and zeros up to the length of an event.
      for body in [0, 9, 23, 253] {
        let before = host.log.warnings
        let counts = UInt8(1)...255
        let tooMany = counts.filter { body < Int($0) * 10 }
        await host.perform { chip in
          for count in tooMany {
            chip.inject(event: [0x3E, UInt8(body + 2), subevent, count] + [UInt8](repeating: 0, count: body))
          }
        }
        #expect(host.log.warnings == before + tooMany.count, "\(subevent): \(body) octets")
      }
      await host.perform { $0.inject(event: [0x3E, 2, subevent, 0]) }
    }
    #expect(watcher.sightings.isEmpty)
    await host.perform { $0.inject(Self.part(.connectable, Self.hello)) }
    #expect(watcher.sightings.map(\.name) == ["Hello"])
  }

  @Test("H2 data with a length beyond its body, or short of it, is dropped and counted")
  func dataLengths() async {
    let (host, watcher) = await Self.watch()
    let legacy = LEAdvertisingReportEvent(reports: [
      .init(
        type: .connectable, address: HCIAddress(DeviceAddress(0xC000_0000_0007, kind: .random)), data: Self.hello[...],
        rssi: -50)
    ])
    for (packet, place) in [(HCIPacket(legacy), 12), (Self.part(.connectable, Self.hello), 27)] {
      #expect(packet.octets[place] == 7)
      let before = host.log.warnings
      await host.perform { chip in
        for length in UInt8.min...UInt8.max where length != 7 {
          var octets = packet.octets
          octets[place] = length
          chip.inject(event: octets)
        }
      }
      #expect(host.log.warnings == before + 255)
      #expect(watcher.sightings.isEmpty)
      await host.perform { $0.inject(packet) }
      #expect(watcher.sightings.map(\.name) == ["Hello"])
      watcher.forget()
    }
    // A structure in the data that is longer than the data is the advertiser's fault: the rest is reported.
    for length in UInt8(7)...255 {
      watcher.forget()
      await host.perform {
        $0.inject(Self.part(.connectable, [3, 0x09, 0x48, 0x69, length, 0x08, 0x41], from: 0x100 + UInt64(length)))
      }
      #expect(watcher.sightings.map(\.name) == ["Hi"])
    }
  }

  @Test(
    "H2 parts without a last part are bounded in length and number, and others are received between them"
  )
  func endlessParts() async {
    let (host, watcher) = await Self.watch()
    let filling = [UInt8](repeating: 0, count: 229)
    // One advertiser without a last part.
    await host.perform { chip in
      for _ in 0..<2_000 { chip.inject(Self.part([.connectable, .incomplete], filling)) }
    }
    await host.perform { $0.inject(Self.part(.connectable, Self.hello)) }
    // That was the last part: the whole is too long for an advertisement, and is not reported.
    #expect(watcher.sightings.isEmpty)
    await host.perform { $0.inject(Self.part(.connectable, Self.hello)) }
    #expect(watcher.sightings.map(\.name) == ["Hello"])
    watcher.forget()
    // Four thousand advertisers that begin and never end, and an honest one in parts between them.
    for round in 0..<100 {
      await host.perform { chip in
        chip.inject(Self.part([.connectable, .incomplete], Array(Self.hello.prefix(3)), from: 6))
        for number in 0..<40 {
          chip.inject(
            Self.part([.connectable, .incomplete], filling, from: UInt64(0x1000 + 40 * round + number), set: 2))
        }
        chip.inject(Self.part(.connectable, Array(Self.hello.dropFirst(3)), from: 6))
      }
    }
    #expect(watcher.sightings.map(\.name) == [String?](repeating: "Hello", count: 100))
  }
}
