import BLECore
import BLEWire

/// Why a controller has to be restarted.
public enum HCIFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The transport could not be opened, or has ended.
  case transport(TransportError)
  /// The controller did not answer this command in time.
  case unanswered(HCIOpcode)
  /// The controller refused a command that every host needs.
  case refused(HCIOpcode, HCIErrorCode)
  /// The answer to a command of the start-up cannot be decoded.
  case malformedAnswer(HCIOpcode, DecodeError)
  /// The controller reported more completed packets than it had received.
  case tooManyCompletedPackets(ConnectionHandle)
  /// The controller reported a hardware error; the code is the vendor's.
  case hardwareError(code: UInt8)
  /// The controller lost data because it received more than it could hold.
  case dataBufferOverflow
  /// The controller is not suitable for an LE host.
  case unsuitable(String)

  /// Whether opening the transport again may help.
  var isWorthAnotherTry: Bool {
    switch self {
    case .transport(let error): ![.invalidName, .notPermitted, .unsuitable].contains(error.kind)
    case .unsuitable: false
    default: true
    }
  }

  public var description: String {
    switch self {
    case .transport(let error): error.description
    case .unanswered(let opcode): "the controller did not answer \(opcode)"
    case .refused(let opcode, let code): "the controller refused \(opcode): \(code)"
    case .malformedAnswer(let opcode, let error): "the controller's answer to \(opcode) cannot be read: \(error)"
    case .tooManyCompletedPackets(let handle): "the controller completed more packets of link \(handle) than it had"
    case .hardwareError(let code): "the controller reports hardware error \(numberText(code, digits: 2))"
    case .dataBufferOverflow: "the controller's data buffers overflowed"
    case .unsuitable(let text): text
    }
  }
}

/// Why a command has no return parameters.
public enum HCICommandError: Error, Equatable, Sendable {
  /// The controller refused it.
  case refused(HCIErrorCode)
  /// The controller's answer cannot be decoded.
  case malformed(DecodeError)
  /// The controller is not ready, or was lost before it answered.
  case notReady
}

/// The state of a controller.
public enum HCIControllerState: Equatable, Sendable {
  /// Not started, or stopped.
  case stopped
  /// The transport is being opened, or the controller's features are being read.
  case starting
  /// The controller is not available; it is started as soon as the transport has it.
  case waiting(TransportError)
  case ready(ControllerFeatures)
  /// It failed and is restarted after a delay; all links have ended.
  case resetting(HCIFailure)
  /// It failed, and is not restarted; all links have ended.
  case failed(HCIFailure)
}

/// Counts of a controller's invalid packets, of its losses, and of octets, since the controller object was made.
public struct HCICounters: Equatable, Sendable {
  /// Events that cannot be decoded.
  public var malformedEvents = 0
  /// Events at the wrong time or for a link that does not exist.
  public var ignoredEvents = 0
  /// Answers to commands that were not waiting for one.
  public var unexpectedAnswers = 0
  /// Data packets that cannot be decoded.
  public var malformedData = 0
  /// Data for a link that does not exist, or that has no receiver; not if the link came a moment later.
  public var droppedData = 0
  /// Packets of a type that no controller of an LE host sends.
  public var unexpectedPackets = 0
  /// How often a ready controller was lost: it was removed, did not answer, or could not be trusted.
  public var losses = 0
  /// How often a controller was ready again after a loss.
  public var returns = 0
  /// Octets of all packets that were given to a transport, without their indicators.
  public var sentOctets: UInt64 = 0
  /// Octets of all packets that came from a transport, without their indicators.
  public var receivedOctets: UInt64 = 0
}
