import BLECore

/// One central's use of one link: its GATT client. Everything on the loop.
///
/// Operations run one after another, in the order of the calls. Each completion is called once, on the loop, never inside the
/// call. After the link's end no completion is called, and a call fails with `.notConnected`.
public protocol PeerLink: AnyObject {
  var peer: PeerIdentifier { get }
  /// Receives notifications and changes from now on; held weakly.
  var events: (any PeerLinkEvents)? { get set }
  /// The ATT MTU in octets; 23 until it is exchanged.
  var maximumTransmissionUnit: Int { get }

  typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  /// Reads the RSSI in dBm.
  func readRSSI(_ completion: @escaping Completion<Int8>)

  /// Discovers services; `nil` for all. The result holds the matching services in handle order, without Generic Access and
  /// Generic Attribute, which belong to the stack.
  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>)
  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>)
  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>)
  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>)

  /// Reads the whole value of a characteristic or descriptor, of any length. The slice shares storage with what was received.
  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>)
  /// Writes with response; a value longer than the MTU allows is sent as a long write.
  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>)
  /// Writes without response. `sent` is called when the octets were passed to the controller: one place is free again.
  func writeCommand(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void)
  /// Writes the Client Characteristic Configuration (indications only where notifications are not offered); `events` receives
  /// values from then on. If another role of this process is subscribed already, nothing is sent.
  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>)

  /// Opens a channel to the peer's PSM `multiplexer`. The receiver of the channel retains it; it is closed when the central
  /// leaves the link. Not queued with the other operations.
  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>)
}

public protocol PeerLinkEvents: AnyObject {
  /// Called with a notification or an indication of a characteristic that this role subscribed to. The stack does not keep the slice.
  /// - Returns: whether there was room for it. An indication without room is not confirmed.
  func link(_ link: any PeerLink, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
  /// Called when the services that overlap `handles` were removed or changed and have to be discovered again.
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
  /// The last handle of the characteristic.
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
