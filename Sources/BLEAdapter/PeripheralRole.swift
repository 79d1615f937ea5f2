import BLECore

/// The stack's interface for a peripheral manager. Everything on the loop.
public protocol PeripheralRole: AnyObject {
  /// Publishes a service. The completion receives its number, or the error.
  func add(_ service: LocalService, _ completion: @escaping (Result<LocalServiceIdentifier, PublishError>) -> Void)
  func remove(_ service: LocalServiceIdentifier)
  func removeAllServices()
  /// The first handle of a published service, so that a later process can request the same; `nil` if the service does not exist.
  func place(of service: LocalServiceIdentifier) -> AttributeHandle?

  /// Starts advertising; the completion receives the error, if any. One advertisement for each role.
  func startAdvertising(_ content: LocalAdvertisement, _ completion: @escaping (PublishError?) -> Void)
  func stopAdvertising()

  /// Sends `value` to those of `centrals` (`nil`: all) that subscribed to the characteristic, truncated to what each link can
  /// carry. `sent` is called once, when it was passed to the controller for every one of them: one place of the queue is free
  /// again.
  func update(
    _ value: ArraySlice<UInt8>, of characteristic: LocalCharacteristicIdentifier, centrals: [PeerIdentifier]?,
    sent: @escaping () -> Void)

  /// Answers a read or a batch of writes; a second answer, or one after the link's end, does nothing. `result` is 0 or the ATT error code.
  func respond(to transaction: TransactionIdentifier, result: UInt8, value: [UInt8])

  /// Requests the connection parameters that suit `latency`; a hint.
  func setDesiredLatency(_ latency: ConnectionLatency, for central: PeerIdentifier)

  /// Lets centrals open channels; the completion receives the PSM, 0x0080 to 0x00FF.
  /// - Parameter demand: the security of a central's link that is required to open a channel.
  func publishChannel(
    demand: SecurityDemand, _ completion: @escaping (Result<ProtocolServiceMultiplexer, PublishError>) -> Void)
  /// Withdraws the PSM; open channels remain. False if this role has not published it.
  func unpublishChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping (Bool) -> Void)

  /// Ends this role: its advertising, services and channels. No event follows.
  func close()
}

extension PeripheralRole {
  public func place(of service: LocalServiceIdentifier) -> AttributeHandle? { nil }
}

public enum ConnectionLatency: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

public struct LocalServiceIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Chosen by the publisher; unique within a role.
public struct LocalCharacteristicIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A request of a central that waits for the program's answer.
public struct TransactionIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The security that an attribute requires of the link for an access.
public enum SecurityDemand: Int, Comparable, Hashable, Sendable {
  case none = 0
  case encryption = 1
  case authentication = 2
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The security required to read and to write an attribute.
public struct LocalPermissions: Hashable, Sendable {
  /// `nil`: not permitted.
  public var read: SecurityDemand?
  public var write: SecurityDemand?
  public init(read: SecurityDemand? = nil, write: SecurityDemand? = nil) {
    self.read = read
    self.write = write
  }
}

public struct LocalDescriptor: Hashable, Sendable {
  public let uuid: BLEUUID
  public let value: [UInt8]
  public init(uuid: BLEUUID, value: [UInt8]) {
    self.uuid = uuid
    self.value = value
  }
}

public struct LocalCharacteristic: Hashable, Sendable {
  public let identifier: LocalCharacteristicIdentifier
  public let uuid: BLEUUID
  /// The property bits of the declaration (Core, Vol 3 Part G 3.3.1.1). The Client Characteristic Configuration and
  /// Characteristic Extended Properties descriptors are derived from them.
  public let properties: UInt8
  public let permissions: LocalPermissions
  /// The security required to subscribe.
  public let subscription: SecurityDemand
  /// A fixed value that the stack responds with; `nil`: the program responds.
  public let value: [UInt8]?
  public let descriptors: [LocalDescriptor]

  public init(
    identifier: LocalCharacteristicIdentifier, uuid: BLEUUID, properties: UInt8, permissions: LocalPermissions,
    subscription: SecurityDemand = .none, value: [UInt8]?, descriptors: [LocalDescriptor] = []
  ) {
    self.identifier = identifier
    self.uuid = uuid
    self.properties = properties
    self.permissions = permissions
    self.subscription = subscription
    self.value = value
    self.descriptors = descriptors
  }
}

public struct LocalService: Hashable, Sendable {
  public let uuid: BLEUUID
  public let isPrimary: Bool
  /// Services published before this one.
  public let included: [LocalServiceIdentifier]
  public let characteristics: [LocalCharacteristic]
  /// Its first handle in an earlier process; it is published there again if the handles are free.
  public let place: AttributeHandle?

  public init(
    uuid: BLEUUID, isPrimary: Bool, included: [LocalServiceIdentifier] = [], characteristics: [LocalCharacteristic],
    place: AttributeHandle? = nil
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.included = included
    self.characteristics = characteristics
    self.place = place
  }
}

public struct LocalAdvertisement: Hashable, Sendable {
  public var localName: String?
  public var serviceUUIDs: [BLEUUID]
  public init(localName: String? = nil, serviceUUIDs: [BLEUUID] = []) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
  }
}

public enum PublishError: Error, Hashable, Sendable {
  case uuidNotAllowed
  case alreadyAdvertising
  /// No handle, advertising set or memory is left.
  case outOfSpace
  case notPoweredOn
  /// The controller refused with this error code.
  case refused(code: UInt8)
  /// An included service is not published.
  case unknownService
}

/// A central at the other end of a link, as a peripheral sees it.
public struct RemoteCentral: Hashable, Sendable {
  public let identifier: PeerIdentifier
  /// The longest value that one notification to it carries, in octets.
  public let maximumUpdateValueLength: Int
  public init(identifier: PeerIdentifier, maximumUpdateValueLength: Int) {
    self.identifier = identifier
    self.maximumUpdateValueLength = maximumUpdateValueLength
  }
}

/// One part of a batch of writes.
public struct LocalWrite: Hashable, Sendable {
  public let characteristic: LocalCharacteristicIdentifier
  public let offset: Int
  /// Shares storage with what was received.
  public let value: ArraySlice<UInt8>
  public init(characteristic: LocalCharacteristicIdentifier, offset: Int, value: ArraySlice<UInt8>) {
    self.characteristic = characteristic
    self.offset = offset
    self.value = value
  }
}

/// The stack's events for a peripheral manager. Everything on the loop.
public protocol PeripheralEvents: AnyObject {
  /// Called first, and at each change. Below `poweredOn` advertising has stopped, services and links have ended, without further events.
  func peripheral(didUpdateState state: AdapterState)
  /// To be answered with `respond(to:result:value:)`, with the value from `offset`.
  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral)
  /// A batch that is to be accepted or refused as a whole. `needsResponse` is false for writes without response: an answer to
  /// them does nothing.
  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral)
  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier)
  /// Also called for each subscription of a central whose link ended.
  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier)
  /// Called when a larger MTU was negotiated.
  func peripheral(didUpdate central: RemoteCentral)
  /// Called when a central has opened a channel. To accept it, retain it and set its events in this call: otherwise it is closed.
  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral)
}
