import BLECore
import BLEWire

/// The messages between processes on one air: a version, a kind, and fields. Times are on the machine's monotonic clock.
///
/// For any octets, decoding ends with a message or an error, and no field makes anything larger than the packet was.
enum AirMessage: Equatable {
  /// The first on each connection: the identity of the process and the number of its listening radios.
  case hello(process: UInt64, listeners: UInt16)
  case listeners(UInt16)
  case advertising(AdvertisingMessage)
  /// This advertising set has received a scan request.
  case scanRequest(node: UInt32, set: UInt8, scanner: DeviceAddress)
  case connect(ConnectMessage)
  /// The advertiser is no longer there: the connection with this access address is not established.
  case refused(accessAddress: UInt32)
  case event(EventMessage)
  case reply(ReplyMessage)
  /// The peripheral has something to send.
  case poke(accessAddress: UInt32)

  static let version: UInt8 = 1

  private enum Kind: UInt8 {
    case hello = 1
    case listeners, advertising, scanRequest, connect, refused, event, reply, poke
  }

  init(_ octets: [UInt8]) throws(DecodeError) {
    var reader = ByteReader(octets, layer: "air")
    let start = reader
    guard try reader.uint8("Magic") == 0xA1, try reader.uint8("Version") == Self.version else {
      throw start.failure("Version", .invalid("an unsupported version of the air's messages"))
    }
    let code = try reader.uint8("Kind")
    switch Kind(rawValue: code) {
    case .hello: self = .hello(process: try reader.uint64("Process"), listeners: try reader.uint16("Listeners"))
    case .listeners: self = .listeners(try reader.uint16("Listeners"))
    case .advertising: self = .advertising(try AdvertisingMessage(from: &reader))
    case .scanRequest:
      self = .scanRequest(
        node: try reader.uint32("Node"), set: try reader.uint8("Set"), scanner: try reader.airAddress("Scanner"))
    case .connect: self = .connect(try ConnectMessage(from: &reader))
    case .refused: self = .refused(accessAddress: try reader.uint32("Access address"))
    case .event: self = .event(try EventMessage(from: &reader))
    case .reply: self = .reply(try ReplyMessage(from: &reader))
    case .poke: self = .poke(accessAddress: try reader.uint32("Access address"))
    case nil: throw start.failure("Kind", .invalid("no message has the kind \(code)"))
    }
    try reader.finish()
  }

  var octets: [UInt8] {
    var writer = ByteWriter(capacity: capacity)
    writer.append(0xA1 as UInt8)
    writer.append(Self.version)
    func kind(_ kind: Kind) { writer.append(kind.rawValue) }
    switch self {
    case .hello(let process, let listeners):
      kind(.hello)
      writer.append(process)
      writer.append(listeners)
    case .listeners(let count):
      kind(.listeners)
      writer.append(count)
    case .advertising(let message):
      kind(.advertising)
      message.encode(into: &writer)
    case .scanRequest(let node, let set, let scanner):
      kind(.scanRequest)
      writer.append(node)
      writer.append(set)
      writer.append(airAddress: scanner)
    case .connect(let message):
      kind(.connect)
      message.encode(into: &writer)
    case .refused(let accessAddress):
      kind(.refused)
      writer.append(accessAddress)
    case .event(let message):
      kind(.event)
      message.encode(into: &writer)
    case .reply(let message):
      kind(.reply)
      message.encode(into: &writer)
    case .poke(let accessAddress):
      kind(.poke)
      writer.append(accessAddress)
    }
    return writer.octets
  }
}

extension AirMessage {
  /// The octets of the longest message without PDUs, or of one with these.
  private var capacity: Int {
    switch self {
    case .event(let message): message.frames.reduce(128) { $0 + 2 + $1.payload.count }
    case .reply(let message): message.frames.reduce(128) { $0 + 2 + $1.payload.count }
    default: 512
    }
  }
}

extension ByteReader {
  mutating func airAddress(_ field: StaticString) throws(DecodeError) -> DeviceAddress {
    let kind: DeviceAddress.Kind = try uint8(field) == 0 ? .public : .random
    return try deviceAddress(kind: kind, field)
  }

  mutating func instant(_ field: StaticString) throws(DecodeError) -> StackInstant {
    StackInstant(nanoseconds: Int64(bitPattern: try uint64(field)))
  }

  mutating func counted(_ field: StaticString) throws(DecodeError) -> ArraySlice<UInt8> {
    try octets(Int(try uint16(field)), field)
  }

  mutating func station() throws(DecodeError) -> Station {
    let identity = try uint64("Station")
    var numbers: [Double] = []
    for _ in 0..<4 {
      let number = Double(bitPattern: try uint64("Position"))
      numbers.append(number.isFinite ? max(-1e9, min(1e9, number)) : 0)
    }
    return Station(
      identity: identity, position: Position(x: numbers[0], y: numbers[1], z: numbers[2]),
      transmitPower: try int8("Transmit power"), antennaOffset: numbers[3])
  }

  mutating func frames() throws(DecodeError) -> [OutgoingPDU] {
    var frames: [OutgoingPDU] = []
    for _ in 0..<(try uint8("Frames")) {
      let kind = DataChannelPDU.Kind(rawValue: try uint8("LLID") & 0x03) ?? .reserved
      let count = Int(try uint8("Length"))
      frames.append(OutgoingPDU(kind: kind, payload: try octets(count, "Payload"), endsHostPacket: false))
    }
    return frames
  }
}

extension ByteWriter {
  mutating func append(airAddress address: DeviceAddress) {
    append(address.kind.rawValue)
    append(address)
  }

  mutating func append(_ instant: StackInstant) { append(UInt64(bitPattern: instant.nanoseconds)) }

  mutating func append(counted octets: some Collection<UInt8>) {
    append(UInt16(clamping: octets.count))
    append(contentsOf: octets.prefix(0xFFFF))
  }

  mutating func append(_ station: Station) {
    append(station.identity)
    for number in [station.position.x, station.position.y, station.position.z, station.antennaOffset] {
      append(number.bitPattern)
    }
    append(station.transmitPower)
  }

  mutating func append(_ frames: some Collection<OutgoingPDU>) {
    append(UInt8(clamping: frames.count))
    for frame in frames.prefix(255) {
      append(frame.kind.rawValue)
      append(UInt8(clamping: frame.payload.count))
      append(contentsOf: frame.payload.prefix(255))
    }
  }
}

/// The message format, for a fuzzer.
package enum AirLanguage {
  /// Decodes a message and encodes it again.
  package static func roundTrip(_ octets: [UInt8]) throws(DecodeError) -> [UInt8] { try AirMessage(octets).octets }
}
