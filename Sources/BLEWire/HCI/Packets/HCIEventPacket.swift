import BLECore

/// What a controller tells its host: an event or an LE meta event. Events that are only read here have no public initializer.
public protocol HCIEventParameters: WirePacket {
  static var code: HCIEventCode { get }
}

/// An event as it travels: its code and the octets of its parameters, known or not (Core, Vol 4 Part E 5.4.4).
public struct HCIEventPacket: Equatable, Sendable {
  public static let headerLength = 2

  /// For an LE meta event the subevent is part of the code.
  public let code: HCIEventCode
  /// What follows the event's length, or the subevent.
  public let parameters: ArraySlice<UInt8>

  public init(code: HCIEventCode, parameters: ArraySlice<UInt8>) {
    self.code = code
    self.parameters = parameters
  }

  /// Reads the octets from the event code on; the length must be that of the parameters.
  public init(_ octets: [UInt8]) throws(DecodeError) {
    var reader = ByteReader(octets, layer: WireLayer.hciEvent.rawValue)
    let event = try reader.uint8("Event_Code")
    let length = Int(try reader.uint8("Parameter_Total_Length"))
    if event == HCIEventCode.metaEvent {
      code = .lowEnergy(try reader.uint8("Subevent_Code"))
      parameters = try reader.octets(length - 1, "Event_Parameters")
    } else {
      code = HCIEventCode(event)
      parameters = try reader.octets(length, "Event_Parameters")
    }
    try reader.finish()
  }

  /// The parameters as `Event` declares them.
  public func decode<Event: HCIEventParameters>(_ event: Event.Type = Event.self) throws(DecodeError) -> Event {
    var reader = ByteReader(parameters, layer: WireLayer.hciEvent.rawValue)
    let decoded = try Event(from: &reader)
    try reader.finish()
    return decoded
  }
}

extension HCIPacket {
  /// An event with its header.
  public init<Event: HCIEventParameters>(_ event: Event) { self.init(event, in: []) }

  /// An event with its header, in the memory of `room` if nothing else refers to that and it is long enough; what `room` contains is
  /// overwritten. The capacity is that of a report of a legacy advertisement, the longest event of those that come often.
  public init<Event: HCIEventParameters>(_ event: Event, in room: consuming [UInt8]) {
    let code = Event.code
    var writer = ByteWriter(headroom: code.subevent == nil ? 2 : 3, capacity: 64, in: room)
    event.encode(into: &writer)
    writer.store(code.event, at: 0)
    writer.store(UInt8(clamping: writer.count - HCIEventPacket.headerLength), at: 1)
    if let subevent = code.subevent { writer.store(subevent, at: 2) }
    self.init(kind: .event, octets: writer.takeOctets())
  }

  /// The answer to `command` that ends it.
  public static func commandComplete<Command: HCICommand>(
    _ command: Command.Type, _ returnParameters: Command.ReturnParameters, commandCredits: UInt8 = 1
  ) -> HCIPacket {
    HCIPacket(
      CommandCompleteEvent(
        commandCredits: commandCredits, opcode: Command.opcode, returnParameters: returnParameters.octets[...]))
  }

  /// The answer to a command that is only a status: refused, or begun.
  public static func commandStatus(
    _ status: HCIErrorCode, of opcode: HCIOpcode, commandCredits: UInt8 = 1
  ) -> HCIPacket {
    HCIPacket(CommandStatusEvent(status: status, commandCredits: commandCredits, opcode: opcode))
  }
}
