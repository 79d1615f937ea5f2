import BLECore

/// Answers for the user when a device is paired: shows passkeys, asks for them, confirms or refuses. Linux only.
///
/// On Apple's systems the system asks. Here a program may register an agent (`PairingAgents.register`); without one
/// `StandardPairingAgent` answers. An agent that accepts everything lets every device in range pair: `request.occasion` says
/// whether a program has given cause for a pairing. Programs do not start a pairing: it begins when a protected value is used.
///
/// The methods are called one after another on a queue of the stack, and must return soon. Answers may be given at any time and
/// from any thread; an answer to a pairing that has ended does nothing.
public protocol PairingAgent: AnyObject, Sendable {
  /// The IO capability. Read when a pairing begins.
  var capability: PairingCapability { get }
  /// Whether to require protection against a man in the middle if both sides are capable of it. By default true for an agent that
  /// can show or type something.
  var wantsAuthentication: Bool { get }
  /// Called to show something, or to ask: `request.kind` says what. A question is answered by calling a method of the request, once.
  func pairing(_ request: PairingRequest)
  /// Called when the pairing with `peer` has ended; what was shown is to be removed. Called for every pairing, also if nothing
  /// was shown or asked. Does nothing by default.
  func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome)
  /// Called when the peer's user types the passkey that this side shows. Does nothing by default.
  func pairing(with peer: PairingPeer, typed keypress: PairingKeypress)
  /// Called when the peer's IO capability differs from the one it had before: another device may impersonate it. Does nothing by default.
  func pairing(with peer: PairingPeer, changedFrom before: PairingCapability?, to now: PairingCapability?)
  /// The data that was exchanged with the peer out of band, read when a pairing begins. `nil` by default.
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
  /// The identity address where it is known, otherwise the address of the link.
  public let address: DeviceAddress
  /// The name that the device advertises. Chosen by the device: show it as text and nothing else.
  public let name: String?

  /// A peer, as passed to an agent.
  public init(address: DeviceAddress, name: String?) {
    self.address = address
    self.name = name
  }
}

/// How a pairing ended.
public enum PairingOutcome: Hashable, Sendable {
  /// - Parameter isBonded: the keys are kept for the next connection.
  case paired(PairingMethod, isBonded: Bool)
  /// The text names the reason, for people.
  case failed(String)
}

/// A keypress of the peer's user while typing a passkey (Core, Vol 3 Part H 3.5.8).
public enum PairingKeypress: UInt8, Hashable, Sendable {
  /// The user begins to type.
  case started = 0
  /// A digit was added.
  case digitEntered = 1
  /// A digit was removed.
  case digitErased = 2
  /// All digits were removed.
  case cleared = 3
  /// The passkey is complete.
  case completed = 4
}

/// Out-of-band data (Core, Vol 3 Part H 2.3.5.6.4). As secret as a passkey: its description is redacted.
public struct PairingOutOfBandData: Sendable, Equatable {
  /// The temporary key of legacy pairing, the same on both sides: sixteen octets, most significant first.
  public var temporaryKey: [UInt8]?
  /// The peer's random value and confirmation for Secure Connections: sixteen octets each, most significant first.
  public var peer: (random: [UInt8], confirm: [UInt8])?

  /// One, both or neither of the two kinds.
  public init(temporaryKey: [UInt8]? = nil, peer: (random: [UInt8], confirm: [UInt8])? = nil) {
    self.temporaryKey = temporaryKey
    self.peer = peer
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.temporaryKey == right.temporaryKey && left.peer?.random == right.peer?.random
      && left.peer?.confirm == right.peer?.confirm
  }
}

extension PairingOutOfBandData: Redacted {}
