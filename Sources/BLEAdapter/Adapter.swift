import BLECore

/// A Bluetooth LE stack as the facade uses it: its state, and the roles of programs on it.
///
/// One adapter carries any number of centrals and peripherals of one process. `Sendable`: what is not marked *on the loop* may be
/// called from any thread.
public protocol Adapter: AnyObject, Sendable {
  /// The executor that owns the stack.
  var loop: any StackLoop { get }
  /// The log of the stack and of the facade above it.
  var log: Logger { get }
  /// A snapshot; each role's events are notified of changes. From any thread.
  var state: AdapterState { get }
  /// Whether the controller uses the extended advertising and scanning commands. From any thread.
  var supportsExtendedAdvertising: Bool { get }

  /// Makes a central; its first event is the state, as soon as it is known. On the loop. `events` is held weakly.
  func makeCentral(events: any CentralEvents) -> any CentralRole
  /// Makes a peripheral; its first event is the state, as soon as it is known. On the loop. `events` is held weakly.
  func makePeripheral(events: any PeripheralEvents) -> any PeripheralRole

  /// The peers among `identifiers` that this machine has met, in any process. From any thread.
  func knownPeers(_ identifiers: [PeerIdentifier]) -> [KnownPeer]
  /// The connected peers that, as far as is known, have one of `services`. From any thread.
  func connectedPeers(withServices services: [BLEUUID]) -> [KnownPeer]

  /// Takes over the preserved state of the manager that `key` names; `nil` if this adapter preserves none, or another manager
  /// holds it. On the loop.
  func preserveState(of key: PreservationKey) -> (any PreservedState)?

  /// Observes the programs on this adapter whose managers are made from now on; `nil` for none. From any thread.
  var programObserver: (any ProgramObserver)? { get }
}

extension Adapter {
  public var programObserver: (any ProgramObserver)? { nil }
  public func preserveState(of key: PreservationKey) -> (any PreservedState)? { nil }
}

/// An adapter that belongs to a process, which starts it, and shuts it down before it exits.
public protocol OwnedAdapter: Adapter {
  /// The counters so far. On the loop.
  var counters: AdapterCounters { get }
  /// Why the adapter cannot be used, in words for people, where it will not become available by itself; otherwise `nil`. A role is
  /// notified of the state after this is set. From any thread.
  var failure: String? { get }
  /// Opens the controller, or connects to the daemon. Each role receives the state that results. From any thread.
  func start()
  /// Disconnects all links, so that the peers notice at once, and releases the controller or the daemon, permanently. From any
  /// thread; `completion` is called once, on the loop.
  func shutDown(_ completion: @escaping @Sendable () -> Void)
  /// Returns when all data that outlives the process is written. After `shutDown`, from any thread but the loop's.
  func flush()
}

extension OwnedAdapter {
  public var failure: String? { nil }
}

/// The states of an adapter, by Core Bluetooth's names.
public enum AdapterState: Int, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}

/// The identifier of a peer on this machine: 128 random bits, kept across processes; never its address.
public struct PeerIdentifier: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// A peer that was met before.
public struct KnownPeer: Hashable, Sendable {
  public let identifier: PeerIdentifier
  public let address: DeviceAddress
  /// The latest local name that it advertised, often shortened.
  public let advertisedName: String?
  /// The latest name that was read from it: the value of its Device Name characteristic (Core, Vol 3 Part C 12.1).
  public let readName: String?
  /// - Parameter name: the advertised name.
  public init(identifier: PeerIdentifier, address: DeviceAddress, name: String?, readName: String? = nil) {
    self.identifier = identifier
    self.address = address
    advertisedName = name
    self.readName = readName
  }

  /// The name to show: the one that was read takes precedence.
  public var name: String? { readName ?? advertisedName }

  /// Its names, the one to show first.
  public var names: [String] {
    [readName, advertisedName == readName ? nil : advertisedName].compactMap(\.self)
  }
}

/// A failure of one operation on a peer.
public enum OperationError: Error, Hashable, Sendable {
  /// The peer's error response; `code` as in Core, Vol 3 Part F 3.4.1.1.
  case attribute(code: UInt8)
  /// There is no link, or it ended while the operation was waiting.
  case notConnected
  /// The peer violated the protocol; the text is for the log.
  case protocolViolation(String)
  /// The peer did not answer within 30 s; its bearer is closed.
  case timedOut
  /// The operation needs a pairing, and no keys of another device can be stored.
  case tooManyBonds
  /// A channel was not opened; `code` is the L2CAP result (Core, Vol 3 Part A 4.23).
  case channelRefused(code: UInt16)
  /// This side does not support it: the text says what and why.
  case notSupported(String)
}
