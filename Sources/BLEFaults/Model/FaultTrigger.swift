import BLECore
import BLEWire

/// When a fault strikes: at which occurrences of an event.
public struct FaultTrigger: Hashable, Sendable {
  /// What is counted.
  public var event: FaultEvent
  /// Which of the occurrences count, on all links of the device together.
  public var occurrence: FaultOccurrence

  /// A trigger at the first occurrence of `event`, unless another is named.
  public init(_ event: FaultEvent, _ occurrence: FaultOccurrence = .nth(1)) {
    self.event = event
    self.occurrence = occurrence
  }
}

/// What a trigger counts.
public enum FaultEvent: Hashable, Sendable {
  /// A Read Request. The further requests of a long value count with it.
  case read(FaultTarget)
  /// A Write Request, or the first Prepare Write Request of a long value. Not one to a Client Characteristic Configuration.
  case write(FaultTarget)
  /// A Write Command.
  case writeWithoutResponse(FaultTarget)
  /// A Handle Value Notification.
  case notification(FaultTarget)
  /// A Handle Value Indication.
  case indication(FaultTarget)
  /// A Write Request that enables notifications or indications of a characteristic.
  case subscription(FaultTarget)
  /// A Write Request that disables them.
  case unsubscription(FaultTarget)
  /// A packet of one kind, from one side of the link or from either.
  case packet(FaultPacketKind, from: FaultSender?)
  /// What belongs to a phase of a link.
  case phase(FaultPhase)
  /// A time since the faults were set; it comes once.
  case time(Duration)
  /// A time since a link was established; it comes once for each link.
  case connectionTime(Duration)
}

/// Which occurrences of an event count.
public enum FaultOccurrence: Hashable, Sendable {
  /// The one with this number, from 1.
  case nth(Int)
  /// All.
  case every
  /// The one with this number, from 1, and all after it.
  case startingWith(Int)
  /// This many, from the first.
  case first(Int)
  /// Each with a probability, 1 to 1,000 thousandths, drawn from the seed.
  case chance(perMille: Int)
}

/// The attribute that an operation concerns.
public enum FaultTarget: Hashable, Sendable {
  /// The value of any characteristic, but for those of Generic Access and Generic Attribute, which stacks use for themselves.
  case any
  /// The value of a characteristic.
  case characteristic(BLEUUID)
  /// A descriptor of a characteristic.
  case descriptor(BLEUUID, of: BLEUUID)
  /// The attribute with this handle.
  case handle(AttributeHandle)
}

/// A kind of packet above L2CAP.
public enum FaultPacketKind: Hashable, Sendable {
  /// A PDU of the Attribute Protocol.
  case attributeProtocol(ATTOpcode)
  /// A command of the Security Manager Protocol.
  case securityManager(SMPCode)
  /// A command of L2CAP's signaling channel.
  case signaling(L2CAPSignalingCode)
}

/// One side of a link.
public enum FaultSender: String, Hashable, Sendable, CaseIterable {
  /// The device that the fault belongs to.
  case device
  /// The device at the other end.
  case peer
}

/// A phase of a link, as its packets show it.
public enum FaultPhase: String, Hashable, Sendable, CaseIterable {
  /// The device begins to advertise.
  case advertising
  /// A link is established.
  case connecting
  /// The request for a larger MTU.
  case mtuExchange = "mtu_exchange"
  /// A request that looks for services, characteristics or descriptors.
  case discovery
  /// A write to a Client Characteristic Configuration.
  case subscription
  /// A command of the Security Manager Protocol.
  case pairing
  /// The link becomes encrypted.
  case encryption
  /// A value is read, written, notified or indicated.
  case steady
}
