import BLECore
import BLEWire

/// An advertising event: all its packets, and the response to a scan request.
struct AdvertisingMessage: Equatable {
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let connectable = Self(rawValue: 1 << 0)
    static let scannable = Self(rawValue: 1 << 1)
    static let hasAdvertiser = Self(rawValue: 1 << 2)
    static let hasTarget = Self(rawValue: 1 << 3)
    static let extended = Self(rawValue: 1 << 4)
    /// The set answers only some scanners: no scanner in another process.
    static let scanFiltered = Self(rawValue: 1 << 5)
    static let reportsScanRequests = Self(rawValue: 1 << 6)
  }

  var node: UInt32
  var set: UInt8
  var station: Station
  var start: StackInstant
  var flags: Flags
  var advertiser = DeviceAddress(0, kind: .public)
  var target = DeviceAddress(0, kind: .public)
  var channels: UInt8
  var primaryPHY: UInt8
  var secondaryPHY: UInt8 = 0
  var setIdentifier: UInt8 = 0
  var dataIdentifier: UInt16 = 0
  var transmitPower: Int8
  var data: [UInt8]
  var scanData: [UInt8]

  init(_ offer: AdvertisingOffer, of source: LinkLayerAdvertiser, start: StackInstant) {
    let node = source.node
    self.node = UInt32(clamping: node.number)
    set = source.set.handle.rawValue
    station = node.station
    self.start = start
    flags = []
    if offer.isConnectable { flags.insert(.connectable) }
    if offer.isScannable { flags.insert(.scannable) }
    if let advertiser = offer.advertiser {
      flags.insert(.hasAdvertiser)
      self.advertiser = advertiser
    }
    if let target = offer.target {
      flags.insert(.hasTarget)
      self.target = target
    }
    if let secondary = offer.secondary {
      flags.insert(.extended)
      secondaryPHY = secondary.phy.rawValue
      setIdentifier = secondary.setIdentifier
      dataIdentifier = secondary.dataIdentifier
    }
    let policy = source.set.parameters.filterPolicy
    if policy == .scanFromListOnly || policy == .listOnly { flags.insert(.scanFiltered) }
    if source.set.parameters.reportsScanRequests { flags.insert(.reportsScanRequests) }
    channels = offer.channels.rawValue
    primaryPHY = offer.primaryPHY.rawValue
    transmitPower = offer.transmitPower
    data = offer.data
    scanData = offer.scanData
  }

  init(from reader: inout ByteReader) throws(DecodeError) {
    node = try reader.uint32("Node")
    set = try reader.uint8("Set")
    station = try reader.station()
    start = try reader.instant("Start")
    flags = Flags(rawValue: try reader.uint8("Flags"))
    advertiser = try reader.airAddress("Advertiser")
    target = try reader.airAddress("Target")
    channels = try reader.uint8("Channels")
    primaryPHY = try reader.uint8("Primary PHY")
    secondaryPHY = try reader.uint8("Secondary PHY")
    setIdentifier = try reader.uint8("SID")
    dataIdentifier = try reader.uint16("DID")
    transmitPower = try reader.int8("Transmit power")
    data = Array(try reader.counted("Data"))
    scanData = Array(try reader.counted("Scan data"))
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(node)
    writer.append(set)
    writer.append(station)
    writer.append(start)
    writer.append(flags.rawValue)
    writer.append(airAddress: advertiser)
    writer.append(airAddress: target)
    writer.append(channels)
    writer.append(primaryPHY)
    writer.append(secondaryPHY)
    writer.append(setIdentifier)
    writer.append(dataIdentifier)
    writer.append(transmitPower)
    writer.append(counted: data)
    writer.append(counted: scanData)
  }
}

/// A connection request to an advertising set.
struct ConnectMessage: Equatable {
  var node: UInt32
  var set: UInt8
  var station: Station
  var created: StackInstant
  var phy: UInt8
  /// The request as on the air, header and payload.
  var indication: ConnectIndication
}

extension ConnectMessage {
  init(from reader: inout ByteReader) throws(DecodeError) {
    node = try reader.uint32("Node")
    set = try reader.uint8("Set")
    station = try reader.station()
    created = try reader.instant("Created")
    phy = try reader.uint8("PHY")
    let start = reader
    guard case .connectIndication(let indication) = try AdvertisingChannelPDU(from: &reader) else {
      throw start.failure("Request", .invalid("not a connection request"))
    }
    self.indication = indication
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(node)
    writer.append(set)
    writer.append(station)
    writer.append(created)
    writer.append(phy)
    AdvertisingChannelPDU.connectIndication(indication).encode(into: &writer)
  }
}

/// What the central has to send in a connection event, or in the remainder of one. The peripheral's side simulates the exchange.
struct EventMessage: Equatable {
  var accessAddress: UInt32
  var station: Station
  var event: UInt64
  /// When the first packet begins, and when the last must have ended.
  var start: StackInstant
  var end: StackInstant
  var transmitPHY: UInt8
  var receivePHY: UInt8
  /// The number of the first of `frames`, counted from the start of the connection.
  var base: UInt64
  /// The number of the peripheral's PDUs that the central has received.
  var acknowledged: UInt64
  var frames: [OutgoingPDU]
}

extension EventMessage {
  init(from reader: inout ByteReader) throws(DecodeError) {
    accessAddress = try reader.uint32("Access address")
    station = try reader.station()
    event = try reader.uint64("Event")
    start = try reader.instant("Start")
    end = try reader.instant("End")
    transmitPHY = try reader.uint8("PHY")
    receivePHY = try reader.uint8("PHY")
    base = try reader.uint64("Base")
    acknowledged = try reader.uint64("Acknowledged")
    frames = try reader.frames()
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(accessAddress)
    writer.append(station)
    writer.append(event)
    writer.append(start)
    writer.append(end)
    writer.append(transmitPHY)
    writer.append(receivePHY)
    writer.append(base)
    writer.append(acknowledged)
    writer.append(frames)
  }
}

/// The result of the exchange: the peripheral's PDUs that reached the central, and the number of the central's that it has received.
struct ReplyMessage: Equatable {
  var accessAddress: UInt32
  var station: Station
  var event: UInt64
  /// The end of the last packet.
  var end: StackInstant
  var hasMore: Bool
  var base: UInt64
  var acknowledged: UInt64
  var frames: [OutgoingPDU]
}

extension ReplyMessage {
  init(from reader: inout ByteReader) throws(DecodeError) {
    accessAddress = try reader.uint32("Access address")
    station = try reader.station()
    event = try reader.uint64("Event")
    end = try reader.instant("End")
    hasMore = try reader.uint8("More") != 0
    base = try reader.uint64("Base")
    acknowledged = try reader.uint64("Acknowledged")
    frames = try reader.frames()
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(accessAddress)
    writer.append(station)
    writer.append(event)
    writer.append(end)
    writer.append(hasMore ? 1 : 0 as UInt8)
    writer.append(base)
    writer.append(acknowledged)
    writer.append(frames)
  }
}
