import BLEAdapter
import BLEHost
import BLEPairing
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A phone and a sensor with a program on each, brought to where an operation begins: the same each time, packet for packet.
final class SweepScene: @unchecked Sendable {
  /// The state of the two when the operation begins.
  enum Stage { case met, connected, walked, subscribed, channelOpen, bonded }

  let world: World
  let phone: Device
  let sensor: Device
  private(set) var central: SweepCentral
  private(set) var peripheral: SweepPeripheral
  private var people = People()
  private let identifier: UUID
  private let pairing: PairingKind
  private var data: PairingOutOfBandData?
  private var received: [[UInt8]] = [[], []]

  /// One seed for all: two runs differ only by the moment of the cut.
  init(_ stage: Stage, pairing: PairingKind = .justWorks) async throws {
    let world = World(seed: 0xA6, keepsPackets: false)
    (self.world, self.pairing) = (world, pairing)
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    (self.phone, self.sensor) = (phone, sensor)
    let peripheral = SweepPeripheral(sensor)
    let central = SweepCentral(phone)
    (self.central, self.peripheral) = (central, peripheral)
    try await world.wait(within: .seconds(20)) { peripheral.app.manager.isAdvertising && central.found != nil }
    identifier = try #require(central.found?.identifier)
    await prepare()
    if stage == .met || stage == .connected {
      central.walks = false
      if stage == .met { return }
      central.connect()
      try await world.wait(within: .seconds(10)) { central.found?.state == .connected }
      await world.settle()
      return
    }
    try await connectAndWalk()
    switch stage {
    case .met, .connected, .walked: break
    case .subscribed:
      for uuid in ["FF53", "FF54"] { central.with(uuid) { $0.setNotifyValue(true, for: $1) } }
      try await world.wait(within: .seconds(5)) { peripheral.subscriptions.uuids.count == 2 }
    case .channelOpen:
      openChannel()
      try await world.wait(within: .seconds(5)) { !central.channels.isEmpty && !peripheral.app.channels.isEmpty }
      for channel in central.channels + peripheral.app.channels {
        channel.inputStream.open()
        channel.outputStream.open()
      }
    case .bonded:
      central.with("FF55") { $0.readValue(for: $1) }
      await world.settle()
      central.leave()
      await world.advance(by: .seconds(1))
      try #require(phone.bonds.count == 1 && sensor.bonds.count == 1 && central.found?.state == .disconnected)
    }
    await world.settle()
  }

  private final class Given: @unchecked Sendable { var data: PairingOutOfBandData? }

  /// The configuration that processes get when they start.
  private func prepare() async {
    // The digits shown by a process that died are forgotten.
    people = People()
    if pairing == .outOfBand {
      let given = Given()
      sensor.makeOutOfBandData { given.data = $0 }
      await world.settle()
      data = given.data
    }
    for device in [phone, sensor] { prepare(device) }
  }

  private func prepare(_ device: Device) {
    // Small enough that long values take several exchanges.
    device.setMaximumTransmissionUnit(100)
    var policy = SecurityPolicy()
    policy.offersSecureConnections = pairing.isSecureConnections
    device.setSecurityPolicy(policy)
    let capability = device === phone ? pairing.capabilities.phone : pairing.capabilities.sensor
    device.setPairingAgent(
      Person(
        capability, wantsAuthentication: capability != .noInputNoOutput, data: device === phone ? data : nil,
        among: people))
  }

  func openChannel() {
    if let multiplexer = peripheral.app.multiplexers.last { central.found?.openL2CAPChannel(multiplexer) }
  }

  private func connectAndWalk() async throws {
    let central = central
    central.walks = true
    switch central.found?.state {
    case .connected: central.found?.discoverServices(nil)
    case .connecting: break
    default: central.connect()
    }
    try await world.wait(within: .seconds(30)) { central.isWalked }
    await world.settle()
  }

  /// How many octets each side has received over the channel: the phone's first.
  var receivedOverChannels: [Int] {
    for (index, channel) in [central.channels.first, peripheral.app.channels.first].enumerated() {
      guard let stream = channel?.inputStream else { continue }
      var buffer = [UInt8](repeating: 0, count: 512)
      while stream.hasBytesAvailable {
        let count = stream.read(&buffer, maxLength: buffer.count)
        if count <= 0 { break }
        received[index] += buffer.prefix(count)
      }
    }
    return received.map(\.count)
  }

  /// Runs until the operation has ended. - Returns: how many steps of the loop that took.
  func run(until isDone: @escaping (SweepScene) -> Bool) async throws -> Int {
    let counter = StepCounter()
    try await world.wait(within: .seconds(60)) { [unowned self] in
      if isDone(self) { return true }
      counter.steps += 1
      return false
    }
    return counter.steps
  }

  /// Runs this many steps of the loop: an instant each, with everything that happens in it.
  func run(steps: Int) async throws {
    let counter = StepCounter()
    try await world.wait(within: .seconds(60)) {
      counter.steps += 1
      return counter.steps > steps
    }
  }

  private final class StepCounter: @unchecked Sendable { var steps = 0 }

  /// After everything is as it was: the two connect and communicate, also over an encrypted link.
  func expectNewConnectionWorks(after cut: SweepCut, _ note: Comment) async throws {
    cut.undo(on: self)
    let peripheral = peripheral
    let stack = phone.hostStack
    try await world.wait(within: .seconds(30)) { peripheral.app.manager.isAdvertising && stack?.state == .poweredOn }
    if cut == .phoneDies { central = SweepCentral(phone) }
    await prepare()
    await world.settle()
    central.startLedger()
    central.meetAgain(identifier)
    try #require(central.found != nil)
    do {
      try await connectAndWalk()
    } catch {
      // Cut between the two sides' storing of keys: one has a bond that the other lacks, and reports that.
      try #require(central.ledger.last == "failed error \(CBError.Code.peerRemovedPairingInformation.rawValue)")
      try #require(sensor.bonds.isEmpty)
      phone.forgetBonds()
      await world.settle()
      try await connectAndWalk()
    }
    central.startLedger()
    central.with("FF51") { $0.readValue(for: $1) }
    central.with("FF55") { $0.readValue(for: $1) }
    await world.settle()
    #expect(central.ledger == ["value FF51 5", "value FF55 5"], note)
    #expect(phone.bonds.map(\.address) == [sensor.address] && sensor.bonds.map(\.address) == [phone.address], note)
  }

  /// The sensor's program is restarted.
  func restartPeripheral() { peripheral = SweepPeripheral(sensor) }
}
