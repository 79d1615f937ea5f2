import BLEHost
import BLEPairing
import BLEProfileFiles

/// The pairing options of every command: a link is paired when a protected value is accessed.
struct PairingOptions: Sendable {
  static let io = Option.value(
    "io", "capability",
    "What this side can show and type when it is paired: display-only, display-yes-no, keyboard-only, "
      + "no-input-no-output or keyboard-display (default: what the terminal can, or what '--passkey' is good for)")
  static let passkey = Option.value(
    "passkey", "digits",
    "The six digits of a pairing: typed where the other device shows them, shown where it asks for them.")
  static let outOfBand = Option.value(
    "oob", "file", "What came from the other device out of band; looked at when a pairing begins.")
  static let makeOutOfBand = Option.value(
    "make-oob", "file", "Write new out-of-band data for the other device to a file, before anything else.")

  static let incoming = Option.value(
    "incoming", "answer",
    "When another device begins a pairing that no user checks (Just Works): ask, accept or refuse (default: ask; without a "
      + "terminal, accept where something that is served needs it)")

  static let all = [io, passkey, outOfBand, makeOutOfBand, incoming]

  let capability: PairingCapability?
  let passkey: SixDigits?
  let outOfBand: String?
  let makeOutOfBand: String?
  let incoming: IncomingPairing

  init(_ arguments: ParsedArguments) throws(UsageError) {
    capability = try arguments.value(of: Self.io, as: CapabilityName.self)?.capability
    passkey = try arguments.value(of: Self.passkey)
    outOfBand = try arguments.value(of: Self.outOfBand)
    makeOutOfBand = try arguments.value(of: Self.makeOutOfBand)
    incoming = try arguments.value(of: Self.incoming, as: IncomingPairing.self) ?? .ask
    for (option, path) in [(Self.outOfBand, outOfBand), (Self.makeOutOfBand, makeOutOfBand)] where path == "" {
      throw UsageError("The value '' is invalid for '\(option.label)': expected the path of a file")
    }
    if passkey != nil, capability == .noInputNoOutput {
      throw UsageError("'--passkey' is unusable with '--io no-input-no-output'")
    }
  }
}

/// How a Just Works pairing that another device begins is answered.
enum IncomingPairing: String, CaseIterable, ArgumentValue {
  case ask
  case accept
  case refuse
}

extension SixDigits: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    guard let digits = SixDigits(argument) else { throw ArgumentValueError("expected six digits, such as 012345") }
    self = digits
  }
}

extension CapabilityName: ArgumentValue {}
extension LevelName: ArgumentValue {}
