import BLETestKit
import CoreBluetooth

/// Octets through an L2CAP channel between two programs in one process, as fast as its streams take them; an operation is 1,000 of them.
struct ChannelOctets: Work {
  private static let octetsOfOperation = 1_000

  private let world: World
  private let programs: ChannelPrograms

  init() async throws {
    let world = World(seed: 1, keepsPackets: false)
    let programs = ChannelPrograms(in: world)
    (self.world, self.programs) = (world, programs)
    try await world.wait(within: .seconds(30)) { programs.isOpen }
    // What the link still negotiates is no part of what is measured.
    await world.advance(by: .seconds(3))
  }

  func run(_ operations: Int) async throws -> Done {
    let programs = programs
    let goal = programs.received.value + operations * Self.octetsOfOperation
    programs.send(operations * Self.octetsOfOperation)
    try await world.wait(within: Pair.limit) { programs.received.value >= goal }
    return Done(operations: operations)
  }
}

/// A number that several threads change.
///
/// `@unchecked Sendable`: guarded by the lock.
final class SharedNumber: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  var value: Int { lock.withLock { number } }
  func add(_ more: Int) { lock.withLock { number += more } }

  /// Takes at most `limit` away, and returns how much that was.
  func take(_ limit: Int) -> Int {
    lock.withLock {
      let taken = min(limit, number)
      number -= taken
      return taken
    }
  }
}

/// A peripheral that publishes a channel and reads what comes, and a central that opens it and writes. Both streams are scheduled on one run
/// loop, which a thread runs: a world's time stands still until it has called their delegates.
///
/// `@unchecked Sendable`: callbacks of managers come on the serial `queue`, those of streams on the run loop.
final class ChannelPrograms: NSObject, @unchecked Sendable {
  let received = SharedNumber()
  private let unsent = SharedNumber()
  private let queue = DispatchQueue(label: "programs")
  private let streams = StreamThread()
  private var central: CBCentralManager?
  private var peripheral: CBPeripheralManager?
  private var found: CBPeripheral?
  private var multiplexer: CBL2CAPPSM = 0
  private var channels: [CBL2CAPChannel] = []
  private let octets = [UInt8](repeating: 0x55, count: 1 << 16)
  private var room = [UInt8](repeating: 0, count: 1 << 16)

  var isOpen: Bool { channels.count == 2 }

  init(in world: World) {
    super.init()
    peripheral = CBPeripheralManager(delegate: self, queue: queue, options: world.makeDevice("peripheral").options)
    central = CBCentralManager(delegate: self, queue: queue, options: world.makeDevice("central").options)
  }

  /// Sends so many octets more. When it returns the first are on their way.
  func send(_ count: Int) {
    unsent.add(count)
    streams.perform { [self] in push() }
  }

  private func push() {
    guard let output = channels.first(where: { $0.peer is CBPeripheral })?.outputStream else { return }
    while output.hasSpaceAvailable {
      let count = unsent.take(octets.count)
      if count == 0 { return }
      let written = output.write(octets, maxLength: count)
      unsent.add(count - max(0, written))
    }
  }

  private func opened(_ channel: CBL2CAPChannel?) {
    guard let channel else { return }
    channels.append(channel)
    guard let stream: Stream = channel.peer is CBPeripheral ? channel.outputStream : channel.inputStream else { return }
    stream.delegate = self
    stream.schedule(in: streams.runLoop, forMode: .default)
    stream.open()
  }
}

extension ChannelPrograms: StreamDelegate {
  func stream(_ stream: Stream, handle event: Stream.Event) {
    if event.contains(.hasSpaceAvailable) { push() }
    guard event.contains(.hasBytesAvailable), let input = stream as? InputStream else { return }
    received.add(max(0, input.read(&room, maxLength: room.count)))
  }
}

extension ChannelPrograms: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    multiplexer = PSM
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "channel"])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    opened(channel)
  }
}

extension ChannelPrograms: CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    guard found == nil else { return }
    found = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.openL2CAPChannel(multiplexer)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    opened(channel)
  }
}

/// A thread that runs a run loop.
///
/// `@unchecked Sendable`: the run loop is set before anything else has this object.
final class StreamThread: @unchecked Sendable {
  private(set) var runLoop = RunLoop.main

  init() {
    let ready = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      runLoop = RunLoop.current
      // A run loop without a source ends at once.
      let idle = Timer(timeInterval: 1_000_000, repeats: true) { _ in }
      RunLoop.current.add(idle, forMode: .default)
      ready.signal()
      while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    ready.wait()
  }

  /// Does `work` on the thread, and returns when it is done.
  func perform(_ work: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    // A block that is given to a run loop does not wake its thread; a timer does.
    let now = Timer(fire: Date(), interval: 0, repeats: false) { _ in
      work()
      done.signal()
    }
    runLoop.add(now, forMode: .default)
    done.wait()
  }
}
