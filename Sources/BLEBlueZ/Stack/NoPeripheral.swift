import BLEAdapter
import BLECore

/// A peripheral on an adapter that has none: it is told of the state, and everything that it asks for is refused.
final class NoPeripheral: PeripheralRole, BlueZRole {
  private let stack: BlueZAdapter
  private weak var events: (any PeripheralEvents)?
  var toldState: AdapterState?

  /// Command Disallowed.
  private static let refusal = PublishError.refused(code: 0x0C)

  init(stack: BlueZAdapter, events: any PeripheralEvents) {
    self.stack = stack
    self.events = events
  }

  func tell(_ state: AdapterState) { events?.peripheral(didUpdateState: state) }
  func adapterWentAway() {}

  func add(_ service: LocalService, _ completion: @escaping (Result<LocalServiceIdentifier, PublishError>) -> Void) {
    stack.later { completion(.failure(Self.refusal)) }
  }
  func remove(_ service: LocalServiceIdentifier) {}
  func removeAllServices() {}
  func startAdvertising(_ content: LocalAdvertisement, _ completion: @escaping (PublishError?) -> Void) {
    stack.later { completion(Self.refusal) }
  }
  func stopAdvertising() {}
  func update(
    _ value: [UInt8], of characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]?,
    sent: @escaping () -> Void
  ) {
    stack.later(sent)
  }
  func respond(to transaction: TransactionIdentifier, result: UInt8, value: [UInt8]) {}
  func setDesiredLatency(_ latency: ConnectionLatency, for central: PeerIdentifier) {}
  func publishChannel(
    demand: SecurityDemand, _ completion: @escaping (Result<ProtocolServiceMultiplexer, PublishError>) -> Void
  ) {
    stack.later { completion(.failure(Self.refusal)) }
  }
  func unpublishChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping (Bool) -> Void) {
    stack.later { completion(false) }
  }
  func close() {
    stack.remove(self)
    events = nil
  }
}
