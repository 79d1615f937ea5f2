import BLEAdapter
import BLECore

final class ScriptedPeripheral: PeripheralRole, @unchecked Sendable {
  private(set) weak var events: (any PeripheralEvents)?
  private unowned let adapter: ScriptedAdapter
  var services: [LocalServiceIdentifier: LocalService] = [:]
  var addError: PublishError?
  var advertisements: [LocalAdvertisement] = []
  var isAdvertising = false
  var updates: [(value: [UInt8], characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]?)] = []
  private var unsent: [() -> Void] = []
  var responses: [(transaction: TransactionIdentifier, result: UInt8, value: [UInt8])] = []
  var latencies: [ConnectionLatency] = []
  /// How many updates came before each of them.
  var updatesBeforeLatencies: [Int] = []
  var channelDemands: [SecurityDemand] = []
  /// Whether publications of channels are answered; otherwise their answers are kept.
  var answersChannels = true
  private var channelAnswers: [() -> Void] = []
  var isClosed = false
  private var last: UInt32 = 0

  init(_ events: any PeripheralEvents, _ adapter: ScriptedAdapter) {
    self.events = events
    self.adapter = adapter
  }

  func add(
    _ service: LocalService, _ completion: @escaping (Result<LocalServiceIdentifier, PublishError>) -> Void
  ) {
    last += 1
    let identifier = LocalServiceIdentifier(rawValue: last)
    if addError == nil { services[identifier] = service }
    let result: Result<LocalServiceIdentifier, PublishError> = addError.map { .failure($0) } ?? .success(identifier)
    adapter.soon { completion(result) }
  }

  func remove(_ service: LocalServiceIdentifier) { services[service] = nil }
  func removeAllServices() { services = [:] }

  func startAdvertising(_ content: LocalAdvertisement, _ completion: @escaping (PublishError?) -> Void) {
    let error: PublishError? = isAdvertising ? .alreadyAdvertising : nil
    advertisements.append(content)
    isAdvertising = true
    adapter.soon { completion(error) }
  }

  func stopAdvertising() { isAdvertising = false }

  func update(
    _ value: ArraySlice<UInt8>, of characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]?,
    sent: @escaping () -> Void
  ) {
    updates.append((Array(value), characteristic, centrals))
    unsent.append(sent)
  }

  func respond(to transaction: TransactionIdentifier, result: UInt8, value: [UInt8]) {
    responses.append((transaction, result, value))
  }

  func setDesiredLatency(_ latency: ConnectionLatency, for central: PeerIdentifier) {
    latencies.append(latency)
    updatesBeforeLatencies.append(updates.count)
  }

  func publishChannel(
    demand: SecurityDemand, _ completion: @escaping (Result<ProtocolServiceMultiplexer, PublishError>) -> Void
  ) {
    channelDemands.append(demand)
    let result: Result<ProtocolServiceMultiplexer, PublishError> =
      addError.map { .failure($0) } ?? .success(ProtocolServiceMultiplexer(0x0080))
    channelAnswers.append { completion(result) }
    if answersChannels { answerChannels() }
  }

  func answerChannels() {
    for answer in channelAnswers { adapter.soon(answer) }
    channelAnswers = []
  }

  func unpublishChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping (Bool) -> Void) {
    let isKnown = multiplexer.rawValue == 0x0080
    adapter.soon { completion(isKnown) }
  }

  func close() { isClosed = true }

  // MARK: Calls of the tests

  /// The one characteristic of the one service.
  var characteristic: LocalCharacteristic { services.values.first!.characteristics[0] }

  func send(_ count: Int) async {
    adapter.soon { [self] in
      for sent in unsent.prefix(count) { sent() }
      unsent.removeFirst(min(count, unsent.count))
    }
    await adapter.settle()
  }

  func tell(_ action: @escaping (any PeripheralEvents) -> Void) async {
    adapter.soon { [self] in if let events { action(events) } }
    await adapter.settle()
  }

  func subscribe(_ central: RemoteCentral) async {
    let identifier = characteristic.identifier
    await tell { $0.peripheral(didSubscribe: central, to: identifier) }
  }
}

extension RemoteCentral {
  static let first = RemoteCentral(identifier: .first, maximumUpdateValueLength: 182)
  static let second = RemoteCentral(identifier: .second, maximumUpdateValueLength: 20)
}
