import BLESession
import BLETestKit
import CoreBluetooth
import Measurements
import Testing

/// More than ten thousand losses and reconnections, in a process of its own, where no other test allocates memory.
@Suite("A2: endurance") struct EnduranceTests {
  @Test("R2.10 10,000 losses and reconnections: subscriptions restored, nothing doubled or lost silently, memory flat")
  func cycles() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let run = await EnduranceRun(seed: 20)
      try await run.play(until: 2_000)
      let growth = try await Allocations.leftBehind(byEachOf: 10_000) { try await run.play(until: 2_000 + $0) }
      try await run.end()
      print("12,000 cycles: \(run.received.value) values, \(run.dropped) dropped by a slow listener,", terminator: " ")
      print("\(run.world.now) of the world's time; after the 2,000th \(growth)")
      #expect(growth.octets < 20, "\(growth)")
    }
    print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "")
  }
}

/// A device that numbers its values, on a radio that loses packets, and a session that listens to it in two places.
///
/// `@unchecked Sendable`: used by one test, in order.
private final class EnduranceRun: @unchecked Sendable {
  let world: World
  let received = Locked(0)
  var dropped: Int { slow.droppedCount }

  private let other: Device
  private let device: NumberingDevice
  private let session: DeviceSession
  private let state = Locked(SessionState.idle)
  private let losses = Locked(0)
  private let slow: Notifications
  private var tasks: [WorldTask<Void>] = []
  private let slowCount = Locked(0)
  private var chance: SeededChance
  private var cycle = 0

  init(seed: UInt64) async {
    world = World(seed: seed, keepsPackets: false)
    chance = SeededChance(state: seed)
    let phone = world.makeDevice("phone")
    other = world.makeDevice("other")
    device = NumberingDevice(options: other.options, clock: world.clock)
    let central = Central(options: phone.options, clock: world.clock)
    await world.settle()
    world.setLoss(.independent(rate: 0.15), between: phone, and: other)
    session = central.session(
      with: .first(.names(["numbers"])),
      configuration: SessionConfiguration(
        policy: ReconnectPolicy(backOff: .init(first: .milliseconds(50))), services: [CBUUID(string: "FFD0")]))
    let (state, losses, device) = (state, losses, device)
    await session.observe { event in
      switch event.event {
      case .state(let now): state.value = now
      case .disconnected(.lost): losses.change { $0 += 1 }
      case .ready: #expect(device.subscriptions == NumberingDevice.lines.count)
      default: break
      }
    }
    slow = session.notifications(from: NumberingDevice.lines[0], buffering: .newest(4))
    listen()
  }

  private func listen() {
    let (session, received, clock) = (session, received, world.clock)
    for (number, path) in NumberingDevice.lines.enumerated() {
      let values = session.notifications(from: path, buffering: .all)
      tasks.append(
        world.start {
          var last: (epoch: UInt32, index: UInt32)?
          for await value in values {
            let next = try #require(NumberingDevice.parse(value))
            // Within one subscription no value is missing; a gap means the end of one, which is reported.
            let isRight =
              last.map { last in
                next.epoch == last.epoch ? next.index == last.index + 1 : next.epoch > last.epoch && next.index == 0
              } ?? (next.index == 0)
            #expect(isRight, "\(next) after \(String(describing: last))")
            last = next
            if number == 0 { received.change { $0 += 1 } }
          }
        })
    }
    let (slow, slowCount) = (slow, slowCount)
    tasks.append(
      world.start {
        let queue = DispatchQueue(label: "slow")
        for await _ in slow {
          slowCount.change { $0 += 1 }
          await withCheckedContinuation { continuation in
            _ = clock.schedule(after: .milliseconds(400), on: queue) { continuation.resume() }
          }
        }
      })
  }

  /// Disconnects the device repeatedly, at random moments, until that has happened `count` times.
  func play(until count: Int) async throws {
    if cycle == 0 { session.keepConnected() }
    let (state, losses) = (state, losses)
    while cycle < count {
      try await world.wait(within: .seconds(50)) { state.value == .ready }
      await world.advance(by: .milliseconds(chance.next(below: 120)))
      let before = losses.value
      // Out of range, or switched off.
      if chance.next(below: 4) == 0 { other.moveAway() } else { other.powerOff() }
      try await world.wait(within: .seconds(50)) { losses.value > before }
      // The device may be back only for a moment, before it is ready.
      if chance.next(below: 5) == 0 {
        comeBack()
        await world.advance(by: .milliseconds(chance.next(below: 300)))
        if state.value != .ready { other.moveAway() }
      }
      comeBack()
      cycle += 1
    }
  }

  private func comeBack() {
    other.comeBack()
    other.powerOn()
  }

  func end() async throws {
    let (session, tasks) = (session, tasks)
    try await world.perform { await session.disconnect() }
    await world.advance(by: .seconds(10))
    tasks.forEach { $0.cancel() }
    try await world.wait(within: .seconds(10)) { tasks.allSatisfy(\.isOver) }
    for task in tasks { try await task.value }
    // A slow listener gets the number of values that it missed.
    #expect(slowCount.value + dropped == received.value && dropped > 0)
    #expect(received.value >= 10_000)
    #expect(losses.value >= 10_000)
  }
}

/// The same numbers for the same seed.
private struct SeededChance {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}

/// Sends values while there is a subscriber: each contains its subscription and its place in it.
///
/// `@unchecked Sendable`: callbacks and timers come on the serial queue, and the test looks while the world is not running.
private final class NumberingDevice: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static let lines = [CharacteristicPath("FFD1", in: "FFD0"), CharacteristicPath("FFD2", in: "FFD0")]

  private let queue = DispatchQueue(label: "numbers")
  private let clock: WorldClock
  private var manager: CBPeripheralManager!
  private let service = CBMutableService(type: CBUUID(string: "FFD0"), primary: true)
  private var epochs: [CBUUID: (epoch: UInt32, index: UInt32)] = [:]
  private var nextEpoch: UInt32 = 0
  private var timer: WorldTimer?
  var subscriptions: Int { queue.sync { epochs.count } }

  init(options: [String: Any], clock: WorldClock) {
    self.clock = clock
    super.init()
    service.characteristics = Self.lines.map { path in
      CBMutableCharacteristic(type: path.characteristic, properties: .notify, value: nil, permissions: .readable)
    }
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  static func parse(_ value: Data) -> (epoch: UInt32, index: UInt32)? {
    guard value.count == 8, let epoch = UInt32(octets: value.prefix(4), order: .bigEndian),
      let index = UInt32(octets: value.suffix(4), order: .bigEndian)
    else { return nil }
    return (epoch, index)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    // No callback reports subscriptions that end with the power.
    epochs = [:]
    guard peripheral.state == .poweredOn else { return }
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "numbers"])
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    epochs[characteristic.uuid] = (nextEpoch, 0)
    nextEpoch += 1
    push()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    epochs[characteristic.uuid] = nil
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { push() }

  /// One value of each line. Where one does not fit it is sent when there is room: no further values while the link is dead.
  private func push() {
    timer?.cancel()
    for case let line as CBMutableCharacteristic in service.characteristics ?? [] {
      guard let now = epochs[line.uuid] else { continue }
      let value = now.epoch.octets(order: .bigEndian) + now.index.octets(order: .bigEndian)
      guard manager.updateValue(value, for: line, onSubscribedCentrals: nil) else { return timer = nil }
      epochs[line.uuid] = (now.epoch, now.index + 1)
    }
    timer = epochs.isEmpty ? nil : clock.schedule(after: .milliseconds(30), on: queue) { [weak self] in self?.push() }
  }
}
