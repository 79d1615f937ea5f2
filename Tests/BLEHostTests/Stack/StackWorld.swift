import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import Testing

/// Whole stacks over software controllers on one virtual loop.
///
/// `@unchecked Sendable`, as are the recorders: their contents are touched on the loop, or between two of its runs.
final class StackWorld: @unchecked Sendable {
  let loop = VirtualLoop()
  let air: Air
  let seed: UInt64
  private var devices: [StackDevice] = []

  init(seed: UInt64 = 1, loss: LossModel = .none) {
    self.seed = seed
    air = Air(loop: loop, seed: seed, loss: loss)
  }

  /// A device that is switched on. A closed controller is made again at the same address.
  func makeDevice(
    _ number: UInt64, options: HostOptions = HostOptions(), configuration: ControllerConfiguration = .init(),
    bondStore: any BondStore = MemoryBondStore(), tap: (any HCITap)? = nil, dataDelay: StackDuration = .zero
  ) -> StackDevice {
    let device = StackDevice(
      world: self, number: number, options: options, configuration: configuration, bondStore: bondStore, tap: tap,
      dataDelay: dataDelay)
    devices.append(device)
    device.stack.start()
    return device
  }

  /// Runs `job` on the loop, and everything that follows in this instant.
  func perform(_ job: @escaping () -> Void) async {
    let bound = LoopBound(job)
    loop.submit(from: .common) { bound.value() }
    await loop.run(until: .instant(loop.now))
  }

  func advance(_ duration: StackDuration) async { await loop.run(until: .instant(loop.now + duration)) }

  /// Runs until `condition` holds; the test fails where it does not within `limit`.
  func wait(
    _ limit: StackDuration = .seconds(10), _ location: SourceLocation = #_sourceLocation,
    for condition: @escaping () -> Bool
  ) async throws {
    let bound = LoopBound(condition)
    let outcome = await loop.run(until: .condition(limit: loop.now + limit) { bound.value() })
    try #require(outcome == .reached, "still waiting after \(limit)", sourceLocation: location)
  }
}

/// One device: a stack, and its current controller.
final class StackDevice: @unchecked Sendable {
  private unowned let world: StackWorld
  let address: DeviceAddress
  private(set) var stack: HostStack!
  private(set) var controller: VirtualController?
  /// The error of opening the transport, from now on.
  var failure: TransportError?
  /// Why the next transports wait for their controller.
  var absence: TransportError?
  /// The last transport that waited.
  private(set) var waiting: WrappedTransport?
  private(set) var openings = 0

  fileprivate init(
    world: StackWorld, number: UInt64, options: HostOptions, configuration: ControllerConfiguration,
    bondStore: any BondStore, tap: (any HCITap)?, dataDelay: StackDuration
  ) {
    self.world = world
    address = DeviceAddress(0x00AA_0000_0000 + number, kind: .public)
    stack = HostStack(
      loop: world.loop, options: options, entropy: SeededEntropy(seed: world.seed &+ number),
      peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: world.seed &* 31 &+ number)),
      bondStore: bondStore, tap: tap
    ) { [unowned self, unowned world] () throws(TransportError) in
      self.openings += 1
      if let failure = self.failure { throw failure }
      let controller = world.air.makeController(address: self.address, configuration: configuration)
      self.controller = controller
      if let absence = self.absence {
        let waiting = WrappedTransport(controller, absence: absence, loop: world.loop)
        self.waiting = waiting
        return waiting
      }
      if dataDelay == .zero { return controller }
      return WrappedTransport(controller, dataDelay: dataDelay, loop: world.loop)
    }
  }

  func makeCentral() -> TestCentral { TestCentral(stack) }
  func releaseStack() { stack = nil }
  func makePeripheral() -> TestPeripheral { TestPeripheral(stack) }
}

/// A central that records its callbacks. Made and used on the loop or between its runs.
final class TestCentral: CentralEvents, @unchecked Sendable {
  private(set) var role: (any CentralRole)!
  private(set) var states: [AdapterState] = []
  private(set) var discoveries: [DiscoveryEvent] = []
  private(set) var connected: [(peer: KnownPeer, link: any PeerLink)] = []
  private(set) var failures: [(peer: PeerIdentifier, reason: EndReason)] = []
  private(set) var disconnections: [(peer: PeerIdentifier, reason: EndReason)] = []
  private(set) var linkChanges: [(peer: KnownPeer, isConnected: Bool, services: [BLEUUID])] = []
  /// Called when a device is discovered, in the event itself.
  var onDiscovery: ((DiscoveryEvent) -> Void)?

  let stack: HostStack

  init(_ stack: HostStack) {
    self.stack = stack
    role = stack.makeCentral(events: self)
  }

  var link: (any PeerLink)! { connected.last?.link }

  func central(didUpdateState state: AdapterState) { states.append(state) }
  func central(didDiscover discovery: DiscoveryEvent) {
    discoveries.append(discovery)
    onDiscovery?(discovery)
  }
  func central(didConnect peer: KnownPeer, link: any PeerLink) { connected.append((peer, link)) }
  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason) { failures.append((peer, reason)) }
  func central(didDisconnect peer: PeerIdentifier, reason: EndReason) { disconnections.append((peer, reason)) }
  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID]) {
    linkChanges.append((peer, isConnected, services))
  }
  func forgetDiscoveries() { discoveries = [] }
  func drop() { role = nil }
  func forgetConnections() {
    connected = []
    disconnections = []
    linkChanges = []
  }
}

/// A peripheral that records its callbacks, and answers from `values`.
final class TestPeripheral: PeripheralEvents, @unchecked Sendable {
  private(set) var role: (any PeripheralRole)!
  private(set) var states: [AdapterState] = []
  var values: [LocalCharacteristicIdentifier: [UInt8]] = [:]
  /// The error that requests are refused with; 0: they are granted.
  var result: UInt8 = 0
  private(set) var writes: [[LocalWrite]] = []
  private(set) var subscribed: [(central: RemoteCentral, characteristic: LocalCharacteristicIdentifier)] = []
  private(set) var unsubscribed: [(central: RemoteCentral, characteristic: LocalCharacteristicIdentifier)] = []
  private(set) var centrals: [RemoteCentral] = []
  private(set) var publications: [Result<LocalServiceIdentifier, PublishError>] = []
  private(set) var advertisingResults: [PublishError?] = []
  private(set) var sentCount = 0
  /// Whether channels opened to it are retained.
  var takesChannels = true
  private(set) var channels: [TestChannel] = []

  init(_ stack: HostStack) { role = stack.makePeripheral(events: self) }

  func add(_ service: LocalService) { role.add(service) { self.publications.append($0) } }
  func advertise(_ name: String?, _ services: [BLEUUID] = []) {
    role.startAdvertising(LocalAdvertisement(localName: name, serviceUUIDs: services)) {
      self.advertisingResults.append($0)
    }
  }
  func update(_ value: [UInt8], of characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]? = nil) {
    role.update(value[...], of: characteristic, centrals: centrals) { self.sentCount += 1 }
  }

  func peripheral(didUpdateState state: AdapterState) { states.append(state) }
  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral
  ) {
    let value = values[characteristic] ?? []
    role.respond(to: transaction, result: result, value: Array(value.dropFirst(offset)))
  }
  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral
  ) {
    self.writes.append(writes)
    if result == 0 {
      for write in writes {
        var value = values[write.characteristic] ?? []
        value = Array(value.prefix(write.offset)) + write.value
        values[write.characteristic] = value
      }
    }
    role.respond(to: transaction, result: result, value: [])
  }
  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) {
    subscribed.append((central, characteristic))
  }
  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {
    unsubscribed.append((central, characteristic))
  }
  func peripheral(didUpdate central: RemoteCentral) { centrals.append(central) }
  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {
    if takesChannels { channels.append(TestChannel(channel)) }
  }
  func forget() {
    centrals = []
    subscribed = []
    unsubscribed = []
  }
}

/// Records the events of a link.
final class TestLinkEvents: PeerLinkEvents, @unchecked Sendable {
  private(set) var values: [(handle: AttributeHandle, value: [UInt8])] = []
  private(set) var invalidated: [ClosedRange<AttributeHandle>] = []
  private(set) var names: [String] = []
  private(set) var mtus: [Int] = []
  func link(_ link: any PeerLink, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    values.append((handle, Array(value)))
    return true
  }
  func link(_ link: any PeerLink, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {
    invalidated.append(handles)
  }
  func link(_ link: any PeerLink, didUpdateName name: String) { names.append(name) }
  func link(_ link: any PeerLink, didUpdateMaximumTransmissionUnit octets: Int) { mtus.append(octets) }
}

/// Records the events of a channel, and reads it immediately where configured.
final class TestChannel: PeerChannelEvents, @unchecked Sendable {
  let channel: any PeerChannel
  private(set) var received: [UInt8] = []
  private(set) var ends: [EndReason] = []
  var readsAtOnce = true

  init(_ channel: any PeerChannel) {
    self.channel = channel
    channel.events = self
  }

  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>) {
    received += octets
    if readsAtOnce { channel.consume(octets.count) }
  }
  func channel(_ channel: any PeerChannel, didClose reason: EndReason) { ends.append(reason) }
}

/// A value that a completion sets.
final class Promised<Value>: @unchecked Sendable {
  private(set) var result: Result<Value, OperationError>?
  private(set) var count = 0
  func fulfil(_ result: Result<Value, OperationError>) {
    self.result = result
    count += 1
  }
  var value: Value? { try? result?.get() }
}

/// The chat peripheral of the tests: service FF11 with characteristic FF22.
enum Chat {
  static let service = BLEUUID(0xFF11)
  static let characteristic = LocalCharacteristicIdentifier(rawValue: 1)
  static let published = LocalService(
    uuid: service, isPrimary: true,
    characteristics: [
      LocalCharacteristic(
        identifier: characteristic, uuid: BLEUUID(0xFF22), properties: 0x02 | 0x04 | 0x08 | 0x10,
        permissions: LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none), value: nil)
    ])
}

extension StackWorld {
  /// A central that is ready.
  func makeCentral(on device: StackDevice) async throws -> TestCentral {
    let central = device.makeCentral()
    try await wait { central.states.last == .poweredOn }
    return central
  }

  /// A peripheral that is ready.
  func makePeripheral(on device: StackDevice) async throws -> TestPeripheral {
    let peripheral = device.makePeripheral()
    try await wait { peripheral.states.last == .poweredOn }
    return peripheral
  }

  /// A peripheral that is published and advertised.
  func makeChat(on device: StackDevice, name: String = "My dear") async throws -> TestPeripheral {
    let peripheral = try await makePeripheral(on: device)
    await perform {
      peripheral.add(Chat.published)
      peripheral.advertise(name, [Chat.service])
    }
    try await wait { peripheral.advertisingResults.count == 1 }
    return peripheral
  }

  /// A central on `device` that has found and connected the one advertiser of the chat service.
  func connectChat(from device: StackDevice) async throws -> TestCentral {
    let central = try await makeCentral(on: device)
    try await find(central)
    await perform {
      central.role.stopScan()
      if let peer = central.discoveries.last?.peer { central.role.connect(peer, options: ConnectionOptions()) }
    }
    try await wait { !central.connected.isEmpty }
    return central
  }

  func find(_ central: TestCentral) async throws {
    await perform { central.role.startScan(ScanParameters(services: [Chat.service])) }
    try await wait { !central.discoveries.isEmpty }
  }

  /// The chat characteristic, discovered.
  func discoverChat(_ central: TestCentral) async throws -> RemoteCharacteristic? {
    let services = Promised<[RemoteService]>()
    await perform { central.link.discoverServices([Chat.service], services.fulfil) }
    try await wait { services.result != nil }
    guard let service = services.value?.first else { return nil }
    let characteristics = Promised<[RemoteCharacteristic]>()
    await perform { central.link.discoverCharacteristics(nil, of: service, characteristics.fulfil) }
    try await wait { characteristics.result != nil }
    return characteristics.value?.first
  }
}
