import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

/// A peripheral on an adapter with only a bus, and its events.
final class TestPeripheral: Sendable {
  static let device = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
  static let otherDevice = "/org/bluez/hci0/dev_C0_00_00_00_00_02"
  let peer: BusPeer
  let environment: LoopBound<Environment>
  let events: LoopBound<Events>
  let role: LoopBound<BlueZPeripheral>

  final class Environment: PeripheralEnvironment {
    let log = Logger.silent
    private(set) var bus: MessageBus?
    let adapterPath: String? = DaemonStandIn.adapter
    let adapterAddress: DeviceAddress? = UnixChannels.own
    let channelSockets: any ChannelSockets
    var isRunning = true
    var connectedDevices: [KnownPeer] = []
    private let loop: any StackLoop
    init(_ bus: MessageBus, _ channelSockets: any ChannelSockets) {
      self.bus = bus
      self.channelSockets = channelSockets
      loop = bus.loop
    }
    func peer(at address: DeviceAddress) -> KnownPeer { TestPeripheral.known(address.value & 0xFF) }
    func peer(of path: String) -> KnownPeer? {
      guard path == TestPeripheral.device || path == TestPeripheral.otherDevice, let last = path.utf8.last else {
        return nil
      }
      return TestPeripheral.known(UInt64(last - 0x30))
    }
    func later(_ job: @escaping () -> Void) {
      let job = LoopBound(job)
      loop.submit(from: .common) { job.value() }
    }
  }

  final class Events: PeripheralEvents {
    var seen: [String] = []
    /// Called with each event.
    var told: ((String) -> Void)?
    var lastTransaction: TransactionIdentifier?
    private func add(_ event: String) {
      seen.append(event)
      told?(event)
    }
    private func text(_ central: RemoteCentral) -> String {
      "\(central.identifier.low):\(central.maximumUpdateValueLength)"
    }
    func peripheral(didUpdateState state: AdapterState) { add("\(state)") }
    func peripheral(
      didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
      from central: RemoteCentral
    ) {
      lastTransaction = transaction
      add("read \(characteristic.rawValue) at \(offset) by \(text(central))")
    }
    func peripheral(
      didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
      from central: RemoteCentral
    ) {
      lastTransaction = transaction
      let parts = writes.map { "\($0.characteristic.rawValue) at \($0.offset) \([UInt8]($0.value))" }
      add("\(needsResponse ? "write" : "command") \(parts.joined(separator: ", ")) by \(text(central))")
    }
    func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) {
      add("subscribed \(text(central)) to \(characteristic.rawValue)")
    }
    func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {
      add("unsubscribed \(text(central)) from \(characteristic.rawValue)")
    }
    func peripheral(didUpdate central: RemoteCentral) { add("updated \(text(central))") }
    /// Accepts the channels that are opened; without it none are accepted.
    var channels: ChannelRecorder?
    func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {
      if let channels { channels.take(channel) }
      add("channel by \(text(central))")
    }
  }

  init(on bus: PrivateBus, channelSockets: any ChannelSockets = KernelChannels()) async throws {
    peer = try BusPeer(on: bus, "peripheral")
    let events = LoopBound(Events())
    self.events = events
    (environment, role) = try await peer.run { bus in
      let environment = Environment(bus, channelSockets)
      let role = BlueZPeripheral(on: environment, number: 1, events: events.value) { _ in }
      return (LoopBound(environment), LoopBound(role))
    }
  }

  static func known(_ number: UInt64) -> KnownPeer {
    KnownPeer(
      identifier: PeerIdentifier(high: 0, low: number),
      address: DeviceAddress(0xC000_0000_0000 + number, kind: .random),
      name: nil)
  }

  func add(_ service: LocalService) async -> Result<LocalServiceIdentifier, PublishError> {
    let role = role
    return await peer.wait { _, done in role.value.add(service) { done($0) } }
  }

  func advertise(_ content: LocalAdvertisement) async -> PublishError? {
    let role = role
    return await peer.wait { _, done in role.value.startAdvertising(content) { done($0) } }
  }

  func look<Result: Sendable>(_ body: @escaping @Sendable (BlueZPeripheral, Environment, Events) -> Result) async throws
    -> Result
  {
    let (role, environment, events) = (role, environment, events)
    return try await peer.run { _ in body(role.value, environment.value, events.value) }
  }

  /// Answers the next request, whatever it is.
  func answerNext(_ result: UInt8, _ value: [UInt8] = []) async throws {
    try await look { role, _, events in
      events.told = { [weak events] _ in
        events?.told = nil
        if let transaction = events?.lastTransaction { role.respond(to: transaction, result: result, value: value) }
      }
    }
  }

  func takeSeen() async throws -> [String] {
    try await look { _, _, events in
      defer { events.seen = [] }
      return events.seen
    }
  }
}
