import BLECore
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("Throughput and cost")
struct ThroughputTests {
  /// Octets a second that arrive while the controller's buffers are kept full.
  private func rate(
    phy: LEPHYSet, dataLength: UInt16, fromCentral: Bool, interval: UInt16 = 40, eventLength: UInt16 = 0,
    isEncrypted: Bool = false
  ) async throws -> Double {
    try await measured(
      phy: phy, dataLength: dataLength, fromCentral: fromCentral, interval: interval, eventLength: eventLength,
      isEncrypted: isEncrypted
    ).rate
  }

  /// The same, and how many timers a packet takes.
  private func measured(
    phy: LEPHYSet, dataLength: UInt16, fromCentral: Bool, interval: UInt16 = 40, eventLength: UInt16 = 0,
    isEncrypted: Bool = false
  ) async throws -> (rate: Double, timersPerPacket: Double) {
    let pair = try TestPair(dataLength: dataLength)
    let handles = try await pair.connect(interval: interval, timeout: 400, eventLength: eventLength)
    pair.central.send(
      LESetPHY(connectionHandle: handles.central, preference: [], transmitPHYs: phy, receivePHYs: phy, options: 0))
    await pair.run(.seconds(2))
    if isEncrypted {
      pair.peripheral.onPacket = { [unowned peripheral = pair.peripheral] in
        guard !peripheral.keyRequests.isEmpty else { return }
        peripheral.onPacket = nil
        peripheral.send(LELongTermKeyRequestReply(connectionHandle: handles.peripheral, key: EncryptedPair.key))
      }
      pair.central.send(
        LEEnableEncryption(
          connectionHandle: handles.central, randomNumber: 0, diversifier: 0, key: EncryptedPair.key))
      await pair.run(.seconds(1))
      try #require(pair.central.encryptionChanges.map(\.status) == [.success])
    }
    let (sender, receiver) = fromCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
    let handle = fromCentral ? handles.central : handles.peripheral
    let payload = [UInt8](repeating: 0x55, count: Int(dataLength))
    sender.onCompleted = { count in for _ in 0..<count { sender.send(data: payload, to: handle) } }
    for _ in 0..<12 { sender.send(data: payload, to: handle) }
    await pair.run(.seconds(1))
    receiver.forget()
    let before = pair.counter.scheduled
    await pair.run(.seconds(10))
    let octets = receiver.data.reduce(0) { $0 + $1.packet.payload.count }
    return (Double(octets) / 10, Double(pair.counter.scheduled - before) / Double(receiver.data.count))
  }

  @Test("a connection carries what the air times of its packets allow", arguments: [true, false])
  func throughput(fromCentral: Bool) async throws {
    // Packet, 150 us, empty packet, 150 us: the ceiling.
    let cases: [(phy: LEPHYSet, dataLength: UInt16, microseconds: Double)] = [
      (.le2M, 251, 1_392), (.le1M, 251, 2_468), (.le1M, 27, 676),
    ]
    for (phy, dataLength, microseconds) in cases {
      let ceiling = Double(dataLength) / microseconds * 1e6
      let rate = try await rate(phy: phy, dataLength: dataLength, fromCentral: fromCentral)
      #expect(rate <= ceiling && rate > ceiling * 0.9, "\(rate) of \(ceiling) octets a second")
    }
  }

  @Test("an encrypted connection carries four octets a packet less, with no other difference")
  func encryptedThroughput() async throws {
    // The integrity check takes 16 microseconds at LE 2M.
    let ceiling = 251 / 1_408 * 1e6
    let rate = try await rate(phy: .le2M, dataLength: 251, fromCentral: true, isEncrypted: true)
    #expect(rate <= ceiling && rate > ceiling * 0.9, "\(rate) of \(ceiling) octets a second")
  }

  @Test("the length of events limits what a connection carries")
  func eventLength() async throws {
    let rate = try await rate(phy: .le1M, dataLength: 251, fromCentral: true, interval: 40, eventLength: 8)
    // 5 ms of each 50 ms: two packets.
    #expect(rate == 2 * 251 * 20)
  }

  /// What a packet costs in time is measured by `make bench`.
  @Test("of many packets each takes few timers, encrypted or not", arguments: [false, true])
  func cost(isEncrypted: Bool) async throws {
    let timers = try await measured(phy: .le2M, dataLength: 251, fromCentral: true, isEncrypted: isEncrypted)
      .timersPerPacket
    // Twelve packets are sent in an event.
    #expect(timers < 0.25, "\(timers) timers a packet")
  }

  @Test("an idle connection has no timers; a notification has few")
  func idle() async throws {
    let inner = VirtualLoop()
    let loop = CountingLoop(inner)
    let air = Air(loop: loop, seed: 3, propagation: .constant, loss: .none)
    let central = try TestHost(air, loop: loop, 1)
    var handles: [(host: TestHost, handle: ConnectionHandle)] = []
    central.start()
    for number in 10..<20 as Range<UInt64> {
      let host = try TestHost(air, loop: loop, number)
      host.start()
      host.advertise(interval: 0x20)
      central.connect(to: host.address, interval: 24, timeout: 400)
      await inner.run(until: .instant(inner.now + .seconds(1)))
      handles.append((host, try #require(host.connections.first?.event.connectionHandle)))
    }
    await inner.run(until: .instant(inner.now + .seconds(10)))
    let before = loop.scheduled
    await inner.run(until: .instant(inner.now + .seconds(3_600)))
    #expect(loop.scheduled == before)
    for _ in 0..<100 {
      for (host, handle) in handles { host.send(data: [3, 0, 4, 0, 0x1B, 1, 0], to: handle) }
      await inner.run(until: .instant(inner.now + .seconds(1)))
    }
    #expect(central.data.count == 1_000)
    let perNotification = Double(loop.scheduled - before) / 1_000
    #expect(perNotification < 6.5, "\(perNotification) timers a notification")
    // The link still works: silence is noticed in time.
    handles[0].host.controller.silence()
    await inner.run(until: .instant(inner.now + .milliseconds(4_001)))
    #expect(central.disconnections.count == 1)
  }

  @Test("of 100 connections that notify each second a notification takes no more timers than of one")
  func simulatedHour() async throws {
    let inner = VirtualLoop()
    let loop = CountingLoop(inner)
    let air = Air(loop: loop, seed: 3, propagation: .constant, loss: .none)
    let central = try TestHost(air, loop: loop, 1)
    central.start()
    var notifiers: [Notifier] = []
    for number in 10..<110 as Range<UInt64> {
      let host = try TestHost(air, loop: loop, number)
      host.start()
      host.advertise(interval: 0x20)
      central.connect(to: host.address, interval: 24, timeout: 400)
      await inner.run(until: .instant(inner.now + .milliseconds(500)))
      notifiers.append(Notifier(host, try #require(host.connections.first?.event.connectionHandle)))
    }
    let before = loop.scheduled
    for notifier in notifiers { notifier.timerFired(tag: 0) }
    // A tenth of an hour.
    await inner.run(until: .instant(inner.now + .seconds(360)))
    #expect(central.data.count >= 35_900)
    let perNotification = Double(loop.scheduled - before) / Double(central.data.count)
    #expect(perNotification < 6.5, "\(perNotification) timers a notification")
  }

  private final class Notifier: TimerTarget {
    let host: TestHost
    let handle: ConnectionHandle
    init(_ host: TestHost, _ handle: ConnectionHandle) {
      self.host = host
      self.handle = handle
    }
    func timerFired(tag: Int) {
      host.send(data: [3, 0, 4, 0, 0x1B, 1, 0], to: handle)
      host.loop.schedule(after: .seconds(1), .background, self, tag: 0)
    }
  }
}

/// Counts the timers that are scheduled.
///
/// `@unchecked Sendable`: `scheduled` is touched on the loop, and between its runs.
final class CountingLoop: StackLoop, @unchecked Sendable {
  private let inner: VirtualLoop
  private(set) var scheduled = 0

  init(_ inner: VirtualLoop) { self.inner = inner }

  var now: StackInstant { inner.now }
  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) { inner.submit(from: origin, job) }
  func makeOrigin() -> JobOrigin { inner.makeOrigin() }
  func schedule(at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int) -> TimerToken {
    scheduled += 1
    return inner.schedule(at: deadline, kind, target, tag: tag)
  }
  func cancel(_ token: TimerToken) { inner.cancel(token) }
  func deliver(_ delivery: any CallbackDelivery) { inner.deliver(delivery) }
}
