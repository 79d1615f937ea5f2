import BLECore
import BLEWire

/// Why a controller cannot be used any more and has to be begun with anew.
public enum HCIFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The way to the controller could not be opened, or is gone.
  case transport(TransportError)
  /// The controller did not answer this command in time.
  case unanswered(HCIOpcode)
  /// The controller refused a command that no host can do without.
  case refused(HCIOpcode, HCIErrorCode)
  /// The answer to a command of the start-up cannot be understood.
  case malformedAnswer(HCIOpcode, DecodeError)
  /// The controller reported more packets as sent than it had been given.
  case tooManyCompletedPackets(ConnectionHandle)
  /// The controller says that it has failed; the code is the vendor's.
  case hardwareError(code: UInt8)
  /// The controller lost data because it was given more than it could hold.
  case dataBufferOverflow
  /// This cannot be the controller of an LE host.
  case unsuitable(String)

  /// Whether opening the transport again may help.
  var isWorthAnotherTry: Bool {
    switch self {
    case .transport(let error): error.kind != .invalidName && error.kind != .notPermitted
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
  /// The controller's answer cannot be understood.
  case malformed(DecodeError)
  /// There is no controller that is ready, or it was lost before it answered.
  case notReady
}

/// Where a controller stands.
public enum HCIControllerState: Equatable, Sendable {
  /// Not begun, or stopped.
  case stopped
  /// The transport is being opened or the controller asked what it can do.
  case starting
  /// The controller cannot be had now; it is started as soon as the transport has it.
  case waiting(TransportError)
  case ready(ControllerFeatures)
  /// It failed and will be begun with anew after a moment; all links are gone.
  case resetting(HCIFailure)
  /// It failed, and no further try is made; all links are gone.
  case failed(HCIFailure)
}

/// What came from a controller and was of no use, how often it was lost, and how much passed, since the controller object was made.
public struct HCICounters: Equatable, Sendable {
  /// Events that cannot be understood.
  public var malformedEvents = 0
  /// Events that came at the wrong time or for a link that is not there.
  public var ignoredEvents = 0
  /// Answers to commands that were not waiting for one.
  public var unexpectedAnswers = 0
  /// Data packets that cannot be understood.
  public var malformedData = 0
  /// Data for a link that is not there, or that nobody receives.
  public var droppedData = 0
  /// Packets of a kind that no controller of an LE host sends.
  public var unexpectedPackets = 0
  /// How often a controller that was ready was lost: it went, did not answer, or could not be trusted any more.
  public var losses = 0
  /// How often a controller was ready again after it was lost.
  public var returns = 0
  /// Octets of all packets that were given to a transport, without their indicators.
  public var sentOctets: UInt64 = 0
  /// Octets of all packets that came from a transport, without their indicators.
  public var receivedOctets: UInt64 = 0
}
