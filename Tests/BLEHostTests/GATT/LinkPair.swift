import BLEAdapter
import BLECore
import BLEHost
import BLEWire

/// Carries frames from one L2CAP link to the one at the other end, in fragments, each a moment later.
final class MemoryCarrier: L2CAPCarrier, TimerTarget {
  private let loop: VirtualLoop
  private let fragmentLength: Int
  private var frames: [(octets: [UInt8], sent: (() -> Void)?)] = []
  weak var destination: L2CAPLink?
  /// Frames that were carried.
  private(set) var frameCount = 0
  /// Called before each frame is delivered; false: it is lost.
  var filter: (() -> Bool)?

  init(loop: VirtualLoop, fragmentLength: Int) {
    self.loop = loop
    self.fragmentLength = fragmentLength
  }

  func send(_ frame: consuming [UInt8], sent: (() -> Void)?) {
    frames.append((frame, sent))
    loop.schedule(after: .microseconds(1), .work, self)
  }

  var queuedFrames: Int { frames.count }

  func timerFired(tag: Int) {
    let (octets, sent) = frames.removeFirst()
    frameCount += 1
    sent?()
    if filter?() == false { return }
    var start = 0
    while start < octets.count {
      let end = min(start + fragmentLength, octets.count)
      destination?.receive(fragment: octets[start..<end], isFirst: start == 0)
      start = end
    }
  }
}

/// A client and a server at the two ends of a link, in memory and in virtual time.
final class LinkPair {
  let loop = VirtualLoop()
  let central: L2CAPLink
  let peripheral: L2CAPLink
  let centralCarrier: MemoryCarrier
  let peripheralCarrier: MemoryCarrier
  let clientBearer: ATTBearer
  let serverBearer: ATTBearer
  let client: GATTClient
  let database: RemoteDatabase
  let server: GATTServer
  private(set) var serverLink: GATTServerLink

  init(
    server: GATTServer = GATTServer(), state: GATTClientState? = nil, layout: RemoteLayout? = nil,
    fragmentLength: Int = 27, clientMTU: Int = 517, serverMTU: Int = 517
  ) {
    self.server = server
    centralCarrier = MemoryCarrier(loop: loop, fragmentLength: fragmentLength)
    peripheralCarrier = MemoryCarrier(loop: loop, fragmentLength: fragmentLength)
    central = L2CAPLink(role: .central, loop: loop, carrier: centralCarrier)
    peripheral = L2CAPLink(role: .peripheral, loop: loop, carrier: peripheralCarrier)
    centralCarrier.destination = peripheral
    peripheralCarrier.destination = central
    clientBearer = ATTBearer(loop: loop, channel: central, receiveMTU: clientMTU)
    serverBearer = ATTBearer(loop: loop, channel: peripheral, receiveMTU: serverMTU)
    central.attributeProtocol = clientBearer
    peripheral.attributeProtocol = serverBearer
    client = GATTClient(bearer: clientBearer)
    database = RemoteDatabase(client: client, loop: loop, layout: layout)
    serverLink = server.makeLink(on: serverBearer, state: state)
  }

  /// The link has ended at both ends.
  func cut() {
    database.close()
    clientBearer.close()
    serverLink.close()
    serverBearer.close()
    centralCarrier.destination = nil
    peripheralCarrier.destination = nil
  }

  func settle() async {
    await loop.run(until: .quiet(limit: loop.now + .seconds(3600)))
  }

  func advance(by duration: StackDuration) async {
    await loop.run(until: .instant(loop.now + duration))
  }

  func exchangeMTU() async {
    client.exchangeMTU { _ in }
    await settle()
  }

  /// Starts an operation, waits until everything is quiet, and returns its result; `nil` where there was none.
  func result<Value>(
    _ operation: (@escaping (Result<Value, OperationError>) -> Void) -> Void
  ) async -> Result<Value, OperationError>? {
    let box = ResultBox<Value>()
    operation { box.results.append($0) }
    await settle()
    return box.results.count == 1 ? box.results[0] : nil
  }
}

/// Collects the results of completions.
final class ResultBox<Value> {
  var results: [Result<Value, OperationError>] = []
}

/// A program whose attributes have the values in `values`, by tag.
final class TestApplication: AttributeApplication {
  weak var server: GATTServer?
  var values: [UInt32: [UInt8]] = [:]
  /// Answers immediately; otherwise requests are kept.
  var answersAtOnce = true
  var reads: [AttributeReadRequest] = []
  var writes: [AttributeWriteRequest] = []
  var subscriptions: [(tag: UInt32, configuration: ClientConfiguration)] = []
  var writeError: ATTErrorCode?

  func read(_ request: AttributeReadRequest) {
    reads.append(request)
    if answersAtOnce { answer(request) }
  }

  func answer(_ request: AttributeReadRequest) {
    let value = values[request.tag] ?? []
    if request.offset > value.count {
      server?.respond(to: request.number, error: .invalidOffset)
    } else {
      server?.respond(to: request.number, error: nil, value: Array(value.dropFirst(request.offset)))
    }
  }

  func write(_ request: AttributeWriteRequest) {
    writes.append(request)
    if !request.needsResponse { take(request) } else if answersAtOnce { answer(request) }
  }

  func answer(_ request: AttributeWriteRequest) {
    if writeError == nil { take(request) }
    server?.respond(to: request.number, error: writeError)
  }

  private func take(_ request: AttributeWriteRequest) {
    for part in request.parts {
      var value = values[part.tag] ?? []
      value.replaceSubrange(min(part.offset, value.count)..., with: part.value)
      values[part.tag] = value
    }
  }

  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {
    subscriptions.append((tag, configuration))
  }
}

/// A user of a remote database.
final class TestObserver: RemoteDatabaseEvents {
  var hasRoom = true
  var values: [(handle: AttributeHandle, value: [UInt8])] = []
  var invalidated: [ClosedRange<AttributeHandle>] = []

  func database(_ database: RemoteDatabase, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    values.append((handle, Array(value)))
    return hasRoom
  }

  func database(_ database: RemoteDatabase, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {
    invalidated.append(handles)
  }
}

extension LocalService {
  /// A service of 128-bit UUIDs: `count` characteristics that can be read, written and notified.
  static func example(
    _ number: UInt32, characteristics count: UInt32, properties: UInt8 = 0x1E, descriptors: [LocalDescriptor] = []
  ) -> LocalService {
    LocalService(
      uuid: BLEUUID(high: 0xA000_0000_0000_0000 | UInt64(number), low: 1), isPrimary: true,
      characteristics: (0..<count).map { index in
        LocalCharacteristic(
          identifier: LocalCharacteristicIdentifier(rawValue: number << 8 | index),
          uuid: BLEUUID(high: 0xB000_0000_0000_0000 | UInt64(number << 8 | index), low: 1), properties: properties,
          permissions: LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none), value: nil,
          descriptors: descriptors)
      })
  }
}

/// The other end of a channel, which sends arbitrary octets and keeps those received.
final class RawChannel: ATTChannel {
  let headroom = 0
  var sent: [[UInt8]] = []
  /// What is to be called when a PDU has gone to the controller; calls it.
  private var departures: [() -> Void] = []
  func send(_ pdu: consuming ByteWriter, sent completion: (() -> Void)?) {
    sent.append(pdu.octets)
    if let completion { departures.append(completion) }
  }
  func handOver() {
    defer { departures = [] }
    for departure in departures { departure() }
  }
  var isCongested = false
  func take() -> [[UInt8]] {
    defer { sent = [] }
    return sent
  }
}
