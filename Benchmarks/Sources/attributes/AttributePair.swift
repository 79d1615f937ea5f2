import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Glibc

/// A client and a server of this package's ATT and GATT in one process, at the two ends of a pair of sockets.
final class AttributePair: AttributeApplication, RemoteDatabaseEvents {
  let loop: SocketLoop
  let client: GATTClient
  let database: RemoteDatabase
  let server = GATTServer()
  let link: GATTServerLink
  private let channels: [SocketChannel]
  private let bearers: [ATTBearer]
  private(set) var handle = AttributeHandle.first
  var value: [UInt8]
  /// Values that have arrived: written or notified.
  private(set) var arrived = 0

  init(_ work: AttributeWork, on loop: SocketLoop) throws {
    self.loop = loop
    value = [UInt8](repeating: 0x2A, count: work.octets)
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(description: "there is no pair of sockets") }
    let channels = ends.map { SocketChannel($0, on: loop) }
    let bearers = channels.map { ATTBearer(loop: loop, channel: $0) }
    for (channel, bearer) in zip(channels, bearers) { channel.bearer = bearer }
    (self.channels, self.bearers) = (channels, bearers)
    client = GATTClient(bearer: bearers[0])
    database = RemoteDatabase(client: client, loop: loop)
    link = server.makeLink(on: bearers[1])
    for number in 0..<work.services {
      let service = LocalService(
        uuid: Self.uuid(number, 0), isPrimary: true,
        characteristics: (1...work.characteristics).map { index in
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: number << 8 | index), uuid: Self.uuid(number, index),
            properties: 0x16, permissions: LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none),
            value: nil)
        })
      guard let published = server.publish(service, application: self) else {
        throw Failure(description: "a service has no room")
      }
      handle = published.values.values.max() ?? handle
    }
  }

  private static func uuid(_ service: UInt32, _ characteristic: UInt32) -> BLEUUID {
    BLEUUID(
      high: 0x7B0F_0000_0000_4C1E | UInt64(service) << 40 | UInt64(characteristic) << 32, low: 0x8B6F_0123_4567_89AB)
  }

  /// How many requests the client has sent.
  var requests: Int { bearers[0].statistics.requestsSent }

  func end() {
    database.close()
    bearers[0].close()
    link.close()
    bearers[1].close()
    for channel in channels { channel.end() }
  }

  /// What an operation gives, when it is done.
  func result<Value>(of start: (@escaping (Result<Value, OperationError>) -> Void) -> Void) throws -> Value {
    var result: Result<Value, OperationError>?
    start { result = $0 }
    try loop.run { result != nil }
    guard let result else { throw Failure(description: "an operation has no end") }
    return try result.get()
  }

  func subscribe() throws {
    let services = try result { database.discoverServices(nil, $0) }
    for service in services {
      for characteristic in try result(of: { database.discoverCharacteristics(nil, of: service, $0) })
      where characteristic.value == handle {
        try result { database.setNotify(true, for: characteristic, by: self, $0) }
      }
    }
  }

  /// Everything, as a program asks for it: object by object. Returns the number of descriptors.
  func discoverAll() throws -> Int {
    var descriptors = 0
    for service in try result(of: { database.discoverServices(nil, $0) }) {
      for characteristic in try result(of: { database.discoverCharacteristics(nil, of: service, $0) }) {
        descriptors += try result(of: { database.discoverDescriptors(of: characteristic, $0) }).count
      }
    }
    return descriptors
  }

  // MARK: What happens

  func read(_ request: AttributeReadRequest) { server.respond(to: request.number, error: nil, value: value) }

  func write(_ request: AttributeWriteRequest) {
    arrived += 1
    if request.needsResponse { server.respond(to: request.number, error: nil) }
  }

  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {}

  func database(_ database: RemoteDatabase, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    arrived += 1
    return true
  }

  func database(_ database: RemoteDatabase, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {}
}
