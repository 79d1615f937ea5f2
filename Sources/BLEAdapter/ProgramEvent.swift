import BLECore

/// One event between a program and the facade.
public struct ProgramEvent: Sendable {
  /// The kind of an event.
  public enum Kind: Hashable, Sendable {
    /// The program calls `name`.
    case call
    /// The call `name` has returned: of calls whose result says whether they have taken effect.
    case result
    /// The delegate's method `name` is called.
    case callback
    /// The delegate's method `name` has returned.
    case returned
    /// There was no delegate to call `name` of.
    case undelivered
    /// The delegate does not implement `name`: its default implementation was called.
    case unhandled
    /// The call `name` is used wrongly.
    case misuse(ProgramMisuse)
  }

  /// When, on the adapter's loop. A simulated clock stands still while a callback runs.
  public let time: StackInstant
  /// The manager whose program it is about.
  public let manager: ProgramManager
  /// What happened.
  public let kind: Kind
  /// The method as Apple writes it: `connect(_:options:)`, `peripheral(_:didUpdateValueFor:error:)`.
  public let name: String
  /// The device at the other end, if the event is about one.
  public var peer: PeerIdentifier?
  /// Its address, as far as the adapter knows it.
  public var address: DeviceAddress?
  /// The service, characteristic or descriptor that it is about.
  public var attribute: ProgramAttribute?
  /// The length of the value, in octets.
  public var octets: Int?
  /// The longest value that one packet carries to this peer, in octets.
  public var capacity: Int?
  /// The request that is received or answered.
  public var transaction: TransactionIdentifier?
  /// The error that the program receives, as text.
  public var error: String?
  /// Further arguments, in the order of the method's.
  public var arguments: [ProgramArgument] = []

  public init(time: StackInstant, manager: ProgramManager, kind: Kind, name: String) {
    self.time = time
    self.manager = manager
    self.kind = kind
    self.name = name
  }

  /// The text of an argument; `nil` if there is none.
  public func argument(_ label: String) -> String? { arguments.first { $0.label == label }?.text }
}

/// A service, characteristic or descriptor of an event.
public struct ProgramAttribute: Hashable, Sendable {
  /// Its type.
  public let uuid: BLEUUID
  /// The handle on the peer: of a characteristic that of its value, of a service the first. `nil` if the attribute is the program's own.
  public let handle: AttributeHandle?
  /// Of a characteristic: its property bits (Core, Vol 3 Part G 3.3.1.1, and Apple's two above them).
  public let properties: UInt?
  /// Whether the program is subscribed to it, or has subscribers.
  public let isNotifying: Bool

  public init(uuid: BLEUUID, handle: AttributeHandle?, properties: UInt? = nil, isNotifying: Bool = false) {
    self.uuid = uuid
    self.handle = handle
    self.properties = properties
    self.isNotifying = isNotifying
  }
}

/// One argument of a call or a callback, as short text.
public struct ProgramArgument: Hashable, Sendable {
  /// The name of the parameter, or the key of an entry of a dictionary.
  public let label: String
  /// Its value.
  public let text: String

  public init(_ label: String, _ text: String) {
    self.label = label
    self.text = text
  }
}

/// The wrong uses that the facade notices.
public enum ProgramMisuse: String, Hashable, Sendable {
  /// A command to a manager that is not powered on.
  case notPoweredOn
  /// A command to a peripheral that is not connected.
  case notConnected
  /// A peripheral was released while it was connected or being connected: the connection ends.
  case peripheralReleased
  /// A channel was released before its streams were opened: it is closed.
  case channelReleased
  /// A peripheral of another manager.
  case foreignPeripheral
  /// A peripheral from before the manager was reset.
  case invalidPeripheral
  /// A command whose result no delegate can receive.
  case delegateMissing
  /// A restore identifier, but no delegate.
  case restoringWithoutDelegate
  /// A service, characteristic or descriptor of an earlier connection, of a service that has changed, or of another peripheral.
  case staleAttribute
  /// A write without response while `canSendWriteWithoutResponse` is false.
  case writeWithoutRoom
  /// A write without response that is longer than one packet carries.
  case writeCut
  /// More services than connection events can be matched by.
  case tooManyEventServices
  /// An update of a characteristic that is not published.
  case notPublished
  /// A response to a request of another manager.
  case foreignRequest
}
