import BLECore

/// One central's use of one link: its GATT client. Everything on the loop.
///
/// Operations run one after another in the order in which they were asked for. Each completion is called once, on the loop,
/// never inside the call; after the link's end none is called any more, and a call fails with `.notConnected`.
public protocol PeerLink: AnyObject {
  var peer: PeerIdentifier { get }
  /// Told from now on about notifications and changes; held weakly.
  var events: (any PeerLinkEvents)? { get set }
  /// The ATT MTU in octets; 23 until it was exchanged.
  var maximumTransmissionUnit: Int { get }

  typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  /// In dBm.
  func readRSSI(_ completion: @escaping Completion<Int8>)

  /// `uuids`: `nil` for all. The result holds the matching services in handle order; without Generic Access and Generic
  /// Attribute, which belong to the stack.
  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>)
  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>)
  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>)
  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>)

  /// The whole value of a characteristic or descriptor, however long. The slice is a part of what came, not a copy.
  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>)
  /// A write with response; a value longer than the MTU allows goes as a long write.
  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>)
  /// A write without response. `sent` is called when its octets have left for the controller: one place is free again.
  func writeCommand(_ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void)
  /// Writes the client configuration (indications only where notifications are not offered) and from then on tells
  /// `events` of values. Where another role of this process has it on already, there is no traffic.
  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>)

  /// Opens a channel to what the peer has published as `multiplexer`. Who gets the channel keeps it; it is closed when the
  /// central leaves the link. Not in turn with the other operations.
  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>)
}

public protocol PeerLinkEvents: AnyObject {
  /// A notification or an indication of a characteristic that this role subscribed to. The slice is not kept by the stack.
  /// - Returns: whether there was room for it. An indication for which there was none is not confirmed.
  func link(_ link: any PeerLink, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
  /// The services that overlap `handles` are gone or changed and are to be discovered anew.
  func link(_ link: any PeerLink, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>)
  func link(_ link: any PeerLink, didUpdateName name: String)
  func link(_ link: any PeerLink, didUpdateMaximumTransmissionUnit octets: Int)
}

/// A service found on a peer.
public struct RemoteService: Hashable, Sendable {
  public let uuid: BLEUUID
  public let handles: ClosedRange<AttributeHandle>
  public let isPrimary: Bool
  public init(uuid: BLEUUID, handles: ClosedRange<AttributeHandle>, isPrimary: Bool) {
    self.uuid = uuid
    self.handles = handles
    self.isPrimary = isPrimary
  }
}

/// A characteristic found on a peer.
public struct RemoteCharacteristic: Hashable, Sendable {
  public let uuid: BLEUUID
  public let declaration: AttributeHandle
  public let value: AttributeHandle
  /// The last handle that belongs to it.
  public let end: AttributeHandle
  /// The property bits of its declaration (Core, Vol 3 Part G 3.3.1.1).
  public let properties: UInt8
  public init(
    uuid: BLEUUID, declaration: AttributeHandle, value: AttributeHandle, end: AttributeHandle, properties: UInt8
  ) {
    self.uuid = uuid
    self.declaration = declaration
    self.value = value
    self.end = end
    self.properties = properties
  }
}

/// A descriptor found on a peer.
public struct RemoteDescriptor: Hashable, Sendable {
  public let uuid: BLEUUID
  public let handle: AttributeHandle
  public init(uuid: BLEUUID, handle: AttributeHandle) {
    self.uuid = uuid
    self.handle = handle
  }
}
