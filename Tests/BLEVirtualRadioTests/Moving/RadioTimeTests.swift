import BLECore
import BLEHCI
import BLEWire
import Testing

@testable import BLEVirtualRadio

/// Records when each link and each advertiser was on the air.
final class OccupationTap: AirTap {
  struct Span {
    let start: StackInstant
    let end: StackInstant
    /// The access address of a link; 0 for advertising.
    let link: UInt32
  }

  private(set) var spans: [Span] = []

  func air(_ air: Air, carried frame: AirFrame) {
    // What a peer sends while the radio of this device is elsewhere is nothing of this device.
    guard frame.wasReceived else { return }
    let isAdvertising = frame.accessAddress == AdvertisingChannelPDU.accessAddress
    spans.append(
      Span(
        start: frame.time, end: frame.time + AirTime.packet(frame.octets.count - 2, frame.phy),
        link: isAdvertising ? 0 : frame.accessAddress))
  }

  /// The number of packets that were on the air while one of another activity was.
  var overlaps: Int {
    let sorted = spans.sorted { $0.start < $1.start }
    var count = 0
    for index in sorted.indices {
      for other in sorted[(index + 1)...].prefix(while: { $0.start < sorted[index].end })
      where other.link != sorted[index].link { count += 1 }
    }
    return count
  }
}

@Suite("One radio's time")
struct RadioTimeTests {
  /// A central with links to some peripherals, all of which stream to it as fast as they can.
  private struct Star {
    let loop = VirtualLoop()
    let air: Air
    let central: TestHost
    var peripherals: [TestHost] = []
    var handles: [(central: ConnectionHandle, peripheral: ConnectionHandle)] = []

    init(seed: UInt64 = 1, sharing: Bool, peripherals count: Int, interval: UInt16 = 24, timeout: UInt16 = 400)
      async throws
    {
      air = Air(loop: loop, seed: seed, propagation: .constant, loss: .none)
      var configuration = ControllerConfiguration()
      configuration.sharesRadioTime = sharing
      central = try TestHost(air, loop: loop, 1, configuration: configuration)
      central.start()
      for number in 0..<UInt64(count) {
        let host = try TestHost(air, loop: loop, 10 + number)
        host.start()
        host.advertise(interval: 0x20)
        central.connect(to: host.address, interval: interval, timeout: timeout)
        await loop.run(until: .instant(loop.now + .seconds(2)))
        let (mine, theirs) = (try #require(central.connections.last), try #require(host.connections.last))
        handles.append((mine.event.connectionHandle, theirs.event.connectionHandle))
        peripherals.append(host)
      }
      central.forget()
    }

    func run(_ duration: StackDuration) async { await loop.run(until: .instant(loop.now + duration)) }

    func stream() {
      for (host, handle) in zip(peripherals, handles) {
        ConnectionTests.stream(1_000_000, from: host, handle.peripheral)
      }
    }

    /// The octets that the central has received of each.
    var received: [Int] {
      handles.map { handle in
        central.data.filter { $0.packet.connectionHandle == handle.central }.reduce(0) { $0 + $1.packet.payload.count }
      }
    }
  }

  @Test(
    "I14.5 while one link of a device is on the air no other is; without shared time they are",
    arguments: [true, false])
  func links(sharing: Bool) async throws {
    let star = try await Star(sharing: sharing, peripherals: 3)
    let tap = OccupationTap()
    star.air.tap = tap
    star.stream()
    await star.run(.seconds(3))
    let received = star.received
    print("shared: \(sharing): octets of three links in 3 s: \(received), overlaps: \(tap.overlaps)")
    #expect((tap.overlaps == 0) == sharing)
    // Turns are fair: the least gets at least two thirds of what the most gets.
    #expect(try #require(received.min()) * 3 > (try #require(received.max())) * 2)
    #expect(try #require(received.min()) > 20_000)
    let sum = received.reduce(0, +)
    #expect(sharing ? sum < 500_000 : sum > 700_000, "\(sum)")
    #expect(star.central.disconnections.isEmpty)
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 a peripheral with two centrals shares its time, too")
  func peripheralRole() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 2, propagation: .constant, loss: .none)
    var configuration = ControllerConfiguration()
    configuration.sharesRadioTime = true
    let peripheral = try TestHost(air, loop: loop, 1, configuration: configuration)
    peripheral.start()
    var centrals: [TestHost] = []
    for number in 0..<2 as Range<UInt64> {
      let central = try TestHost(air, loop: loop, 10 + number)
      central.start()
      peripheral.advertise(interval: 0x20)
      central.connect(to: peripheral.address, interval: 24, timeout: 400)
      await loop.run(until: .instant(loop.now + .seconds(2)))
      centrals.append(central)
    }
    let tap = OccupationTap()
    air.tap = tap
    for central in centrals {
      let handle = try #require(central.connections.last?.event.connectionHandle)
      ConnectionTests.stream(1_000_000, from: central, handle)
    }
    peripheral.forget()
    await loop.run(until: .instant(loop.now + .seconds(3)))
    // What a central sends while the peripheral is elsewhere is not heard; what is answered never overlaps.
    let octets = peripheral.data.reduce(0) { $0 + $1.packet.payload.count }
    print("two centrals to one peripheral: \(octets) octets in 3 s")
    #expect(octets > 100_000 && octets < 400_000)
    #expect(peripheral.disconnections.isEmpty && centrals.allSatisfy { $0.disconnections.isEmpty })
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 scan windows are shortened by links", arguments: [true, false])
  func scanning(sharing: Bool) async throws {
    let star = try await Star(sharing: sharing, peripherals: 1)
    let beacon = try TestHost(star.air, loop: star.loop, 50)
    beacon.start()
    beacon.advertise(interval: 0x20)
    star.central.scan()
    await star.run(.seconds(10))
    let idle = star.central.reports.count
    star.stream()
    await star.run(.seconds(10))
    let busy = star.central.reports.count - idle
    print("shared: \(sharing): \(idle) reports in 10 s beside an idle link, \(busy) beside a busy one")
    #expect(idle > 350)
    #expect(sharing ? busy < idle / 4 : busy > idle * 9 / 10)
  }

  @Test("I14.5 advertising is put off by a busy link, and goes first after it was passed over three times")
  func advertising() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 5, propagation: .constant, loss: .none)
    var configuration = ControllerConfiguration()
    configuration.sharesRadioTime = true
    let device = try TestHost(air, loop: loop, 1, configuration: configuration)
    let central = try TestHost(air, loop: loop, 2)
    let scanner = try TestHost(air, loop: loop, 3)
    for host in [device, central, scanner] { host.start() }
    device.advertise(interval: 0x20)
    central.connect(to: device.address, interval: 24, timeout: 400)
    await loop.run(until: .instant(loop.now + .seconds(2)))
    let handle = try #require(device.connections.last?.event.connectionHandle)
    device.advertise(interval: 0xA0)
    let tap = OccupationTap()
    air.tap = tap
    scanner.scan()
    await loop.run(until: .instant(loop.now + .seconds(10)))
    let idle = scanner.reports.count
    ConnectionTests.stream(1_000_000, from: device, handle)
    await loop.run(until: .instant(loop.now + .seconds(10)))
    let busy = scanner.reports.count - idle
    print("\(idle) advertisements in 10 s beside an idle link, \(busy) beside a busy one; overlaps \(tap.overlaps)")
    #expect(idle > 80 && busy > 40 && busy < idle)
    #expect(tap.overlaps == 0)
    #expect(device.disconnections.isEmpty)
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 too many busy links with a short supervision time-out starve some of them", arguments: [true, false])
  func starvation(sharing: Bool) async throws {
    let star = try await Star(sharing: sharing, peripherals: 16, interval: 6, timeout: 10)
    star.stream()
    await star.run(.seconds(5))
    let reasons = star.central.disconnections.map(\.event.reason)
    print("shared: \(sharing): \(reasons.count) of 16 links lost")
    if sharing {
      #expect(!reasons.isEmpty && reasons.count < 16 && reasons.allSatisfy { $0 == .connectionTimeout })
    } else {
      #expect(reasons.isEmpty)
    }
  }

  @Test("I14.5 two controllers of one device share its radio, and the next one's what the one before had")
  func controllers() async throws {
    let loop = VirtualLoop()
    let air = Air(loop: loop, seed: 6, propagation: .constant, loss: .none)
    let (first, second) = (try TestHost(air, loop: loop, 1), try TestHost(air, loop: loop, 2))
    second.controller.shareRadioTime(with: first.controller)
    for (number, host) in [first, second].enumerated() {
      let peer = try TestHost(air, loop: loop, 10 + UInt64(number))
      for one in [host, peer] { one.start() }
      peer.advertise(interval: 0x20)
      host.connect(to: peer.address, interval: 24, timeout: 400)
      await loop.run(until: .instant(loop.now + .seconds(2)))
      let handle = try #require(peer.connections.last?.event.connectionHandle)
      ConnectionTests.stream(1_000_000, from: peer, handle)
    }
    let tap = OccupationTap()
    air.tap = tap
    await loop.run(until: .instant(loop.now + .seconds(2)))
    #expect(tap.overlaps == 0 && tap.spans.count > 500)
    first.controller.close()
    let third = try TestHost(air, loop: loop, 3)
    third.controller.shareRadioTime(with: first.controller)
    third.start()
    let peer = try TestHost(air, loop: loop, 20)
    peer.start()
    peer.advertise(interval: 0x20)
    third.connect(to: peer.address, interval: 24, timeout: 400)
    await loop.run(until: .instant(loop.now + .seconds(10)))
    #expect(tap.overlaps == 0 && third.connections.count == 1)
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 scanning and connecting at the same time take turns on one radio")
  func listeners() async throws {
    var configuration = ControllerConfiguration()
    configuration.sharesRadioTime = true
    let pair = try TestPair(configuration: configuration)
    let beacon = try TestHost(pair.air, loop: pair.loop, 9)
    beacon.start()
    beacon.advertise(interval: 0x20)
    pair.central.scan(interval: 0x60, window: 0x60)
    await pair.run(.milliseconds(70))
    pair.central.connect(to: TestHost.address(77))
    await pair.run(.seconds(20))
    let both = pair.central.reports.count
    #expect(both > 100)
    pair.central.send(LECreateConnectionCancel())
    pair.peripheral.advertise(interval: 0x20)
    pair.central.connect(to: pair.peripheral.address)
    await pair.run(.seconds(5))
    #expect(pair.central.connections.contains { $0.event.status == .success })
  }

  @Test("I14.5 procedures with an instant succeed on links that get one turn in eight")
  func instants() async throws {
    let star = try await Star(sharing: true, peripherals: 8, timeout: 600)
    star.stream()
    await star.run(.seconds(1))
    for handle in star.handles {
      star.central.send(
        LESetPHY(
          connectionHandle: handle.central, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
    }
    await star.run(.seconds(40))
    let updates = star.central.events.filter { if case .lePHYUpdateComplete = $0.event { true } else { false } }
    #expect(updates.count == 8 && star.central.disconnections.isEmpty)
  }

  @Test("I14.5 a single link rests as before: an hour of it costs no events")
  func rest() async throws {
    var configuration = ControllerConfiguration()
    configuration.sharesRadioTime = true
    let pair = try TestPair(configuration: configuration)
    _ = try await pair.connect()
    let tap = OccupationTap()
    pair.air.tap = tap
    await pair.run(.seconds(3_600))
    #expect(tap.spans.isEmpty && pair.central.disconnections.isEmpty)
    withExtendedLifetime(tap) {}
  }

  @Test("I14.5 an air that was shut down leaves nothing behind: crowd, interferers, links that share a radio")
  func memory() async throws {
    weak var air: Air?
    weak var controller: VirtualController?
    do {
      let star = try await Star(sharing: true, peripherals: 2)
      star.air.setInterference(Interferer.usual)
      _ = try star.air.makeCrowd(20)
      star.stream()
      star.central.scan()
      await star.run(.seconds(1))
      (air, controller) = (star.air, star.central.controller)
      #expect(air != nil && controller != nil)
      star.air.shutDown()
      // The streams' closures hold their hosts.
      for host in star.peripherals { host.onCompleted = nil }
    }
    #expect(air == nil && controller == nil)
  }
}
