import BLECore

/// Who answers for the user when a device is paired: shows passkeys, takes them, says yes or no. Linux only.
///
/// On Apple's systems the system asks. Here a program may register an agent (`PairingAgents.register`); without one
/// `StandardPairingAgent` answers. An agent that accepts everything lets every device in range be paired with: `request.occasion`
/// says whether a program has given cause for a pairing. Pairing itself begins by itself, when a protected value is used: no program asks for it.
///
/// Calls come one after another on a queue of the stack's and must return soon. Answers may come at any time and from any
/// thread; those to a pairing that is over are no harm.
public protocol PairingAgent: AnyObject, Sendable {
  /// What can be shown and typed. Looked at when a pairing begins.
  var capability: PairingCapability { get }
  /// Asks for protection against somebody in the middle wherever both sides are able to. By default true for everybody who
  /// can show or type something.
  var wantsAuthentication: Bool { get }
  /// Shows something, or asks: `request.kind` says what. What is asked is answered by the request itself, once.
  func pairing(_ request: PairingRequest)
  /// The pairing with `peer` is over: what was shown goes away. Told of every pairing, also where nothing was shown or asked. By
  /// default nothing is done.
  func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome)
  /// The peer types the passkey that this side shows. By default nothing is done.
  func pairing(with peer: PairingPeer, typed keypress: PairingKeypress)
  /// The peer says otherwise than before what it can show and type: somebody else may pretend to be that device. By default
  /// nothing is done.
  func pairing(with peer: PairingPeer, changedFrom before: PairingCapability?, to now: PairingCapability?)
  /// What was exchanged with the peer by another way, looked at when a pairing begins. By default nothing.
  func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandData?
}

extension PairingAgent {
  public var wantsAuthentication: Bool { capability != .noInputNoOutput }
  public func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {}
  public func pairing(with peer: PairingPeer, typed keypress: PairingKeypress) {}
  public func pairing(with peer: PairingPeer, changedFrom before: PairingCapability?, to now: PairingCapability?) {}
  public func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandData? { nil }
}

/// The device on the other side of a pairing, as far as it is known.
public struct PairingPeer: Hashable, Sendable {
  /// What names it for good where that is known, otherwise the address of the link.
  public let address: DeviceAddress
  /// What it calls itself. Chosen by the device: show it as text and nothing else.
  public let name: String?

  /// A peer as an agent is told of it.
  public init(address: DeviceAddress, name: String?) {
    self.address = address
    self.name = name
  }
}

/// How a pairing ended.
public enum PairingOutcome: Hashable, Sendable {
  /// - Parameter isBonded: the keys are kept for the next connection.
  case paired(PairingMethod, isBonded: Bool)
  /// The text is for people and names the reason.
  case failed(String)
}

/// What a user does on the other side while typing a passkey (Core, Vol 3 Part H 3.5.8).
public enum PairingKeypress: UInt8, Hashable, Sendable {
  /// The user begins to type.
  case started = 0
  /// One digit more.
  case digitEntered = 1
  /// One digit less.
  case digitErased = 2
  /// All digits are taken back.
  case cleared = 3
  /// The passkey is typed.
  case completed = 4
}

/// Data that came by another way than the radio (Core, Vol 3 Part H 2.3.5.6.4). As secret as a passkey: printed as nothing.
public struct PairingOutOfBandData: Sendable, Equatable {
  /// The temporary key of legacy pairing, which both sides have: sixteen octets, most significant first.
  public var temporaryKey: [UInt8]?
  /// The peer's random value and confirmation for Secure Connections: sixteen octets each, most significant first.
  public var peer: (random: [UInt8], confirm: [UInt8])?

  /// Either, both or none of the two kinds.
  public init(temporaryKey: [UInt8]? = nil, peer: (random: [UInt8], confirm: [UInt8])? = nil) {
    self.temporaryKey = temporaryKey
    self.peer = peer
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.temporaryKey == right.temporaryKey && left.peer?.random == right.peer?.random
      && left.peer?.confirm == right.peer?.confirm
  }
}

extension PairingOutOfBandData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
