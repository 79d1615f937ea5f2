import BLEAdapter
import BLECore

/// A link to a peer whose database the test defines.
final class ScriptedLink: PeerLink, @unchecked Sendable {
  let peer: PeerIdentifier
  weak var events: (any PeerLinkEvents)?
  var maximumTransmissionUnit = 185
  private unowned let adapter: ScriptedAdapter

  var services: [RemoteService] = []
  var included: [AttributeHandle: [RemoteService]] = [:]
  var characteristics: [AttributeHandle: [RemoteCharacteristic]] = [:]
  var descriptors: [AttributeHandle: [RemoteDescriptor]] = [:]
  var values: [AttributeHandle: [UInt8]] = [:]
  var errors: [AttributeHandle: OperationError] = [:]
  var discoveryError: OperationError?
  var notifyError: OperationError?
  var channel: (any PeerChannel)?
  var channelError = OperationError.channelRefused(code: 0x0002)
  /// While true the answers wait in `held`.
  var isHolding = false
  var held: [() -> Void] = []

  private(set) var asked: [String] = []
  var commands: [(value: [UInt8], sent: () -> Void)] = []
  var rssiReads: [StackInstant] = []

  init(_ peer: PeerIdentifier, _ adapter: ScriptedAdapter) {
    self.peer = peer
    self.adapter = adapter
    adapter.links[peer] = self
  }

  private func answer(_ action: @escaping () -> Void) {
    if isHolding { held.append(action) } else { adapter.soon(action) }
  }

  private func found<Value>(_ values: [Value]) -> Result<[Value], OperationError> {
    discoveryError.map { .failure($0) } ?? .success(values)
  }

  func readRSSI(_ completion: @escaping Completion<Int8>) {
    rssiReads.append(adapter.virtualLoop.now)
    answer { completion(.success(-42)) }
  }

  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    asked.append("services")
    let result = found(services.filter { uuids?.contains($0.uuid) ?? true })
    answer { completion(result) }
  }

  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    let result = found((included[service.handles.lowerBound] ?? []).filter { uuids?.contains($0.uuid) ?? true })
    answer { completion(result) }
  }

  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    let all = characteristics[service.handles.lowerBound] ?? []
    let result = found(all.filter { uuids?.contains($0.uuid) ?? true })
    answer { completion(result) }
  }

  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    let result = found(descriptors[characteristic.value] ?? [])
    answer { completion(result) }
  }

  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    asked.append("read \(handle)")
    let result: Result<ArraySlice<UInt8>, OperationError> =
      errors[handle].map { .failure($0) } ?? .success((values[handle] ?? [])[...])
    answer { completion(result) }
  }

  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    asked.append("write \(handle)")
    let error = errors[handle]
    if error == nil { values[handle] = value }
    answer { completion(error.map { .failure($0) } ?? .success(())) }
  }

  func writeCommand(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void) {
    asked.append("command \(Array(value))")
    commands.append((Array(value), sent))
  }

  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>) {
    asked.append("notify \(characteristic.value) \(isOn)")
    let result: Result<Void, OperationError> = notifyError.map { .failure($0) } ?? .success(())
    answer { completion(result) }
  }

  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>) {
    asked.append("channel \(multiplexer)")
    let result: Result<any PeerChannel, OperationError> = channel.map { .success($0) } ?? .failure(channelError)
    answer { completion(result) }
  }

  // MARK: Calls of the tests

  func notify(_ value: [UInt8], of handle: AttributeHandle) async {
    adapter.soon { [self] in _ = events?.link(self, didReceive: value[...], of: handle) }
    await adapter.settle()
  }

  func tell(_ action: @escaping (any PeerLinkEvents) -> Void) async {
    adapter.soon { [self] in if let events { action(events) } }
    await adapter.settle()
  }

  /// `count` of the writes without response were sent.
  func send(_ count: Int) async {
    adapter.soon { [self] in
      for command in commands.prefix(count) { command.sent() }
      commands.removeFirst(min(count, commands.count))
    }
    await adapter.settle()
  }

  func releaseAnswers() async {
    isHolding = false
    let actions = held
    held = []
    adapter.soon { for action in actions { action() } }
    await adapter.settle()
  }
}

extension ScriptedLink {
  static let service = BLEUUID(UInt16(0xFFF0))
  static let characteristic = BLEUUID(UInt16(0xFFF1))
  static let value = AttributeHandle(0x0012)

  /// One service FFF0 with the characteristic FFF1 that has `properties`, and a second service 180F with 2A19.
  func layOut(properties: UInt8 = 0x3E) {
    let first = AttributeHandle(0x0010)
    let second = AttributeHandle(0x0020)
    services = [
      RemoteService(uuid: Self.service, handles: first...AttributeHandle(0x001F), isPrimary: true),
      RemoteService(uuid: BLEUUID(UInt16(0x180F)), handles: second...AttributeHandle(0x002F), isPrimary: true),
    ]
    characteristics[first] = [
      RemoteCharacteristic(
        uuid: Self.characteristic, declaration: AttributeHandle(0x0011), value: Self.value,
        end: AttributeHandle(0x001F), properties: properties)
    ]
    characteristics[second] = [
      RemoteCharacteristic(
        uuid: BLEUUID(UInt16(0x2A19)), declaration: AttributeHandle(0x0021), value: AttributeHandle(0x0022),
        end: AttributeHandle(0x002F), properties: 0x12)
    ]
  }
}
