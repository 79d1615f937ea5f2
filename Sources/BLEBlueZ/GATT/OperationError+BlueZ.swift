import BLEAdapter
import BLECore
import BLEWire

extension OperationError {
  /// The error of a failed operation on an attribute. The daemon has names for some errors of the attribute protocol, and puts the code of
  /// the others into the message.
  init(_ error: BusError) {
    let text = error.message.lowercased()
    if let code = Self.code(in: text) {
      self = .attribute(code: code)
      return
    }
    switch error.name {
    case BlueZName.Failure.notConnected, BusError.disconnected, BusError.serviceUnknown, BusError.nameHasNoOwner:
      self = .notConnected
    case BlueZName.Failure.notAuthorized: self = .attribute(ATTErrorCode.insufficientAuthorization)
    case BlueZName.Failure.notSupported: self = .attribute(ATTErrorCode.requestNotSupported)
    case BlueZName.Failure.notPermitted: self = Self.notPermitted(text, error)
    case BlueZName.Failure.invalidArguments:
      // The daemon itself checks none of these arguments, so they are errors of the peer.
      self = .attribute(
        text.contains("offset") ? ATTErrorCode.invalidOffset : ATTErrorCode.invalidAttributeValueLength)
    case BlueZName.Failure.failed:
      self = text.contains("not connected") || text.contains("no att transport") ? .notConnected : .unlikely
    default:
      if error.meansObjectIsGone {
        self = .attribute(ATTErrorCode.invalidHandle)
      } else if error.name == BusError.noReply {
        self = .timedOut
      } else {
        self = .unlikely
      }
    }
  }

  private static var unlikely: OperationError { .attribute(ATTErrorCode.unlikelyError) }

  private static func attribute(_ code: ATTErrorCode) -> OperationError { .attribute(code: code.rawValue) }

  private static func notPermitted(_ text: String, _ error: BusError) -> OperationError {
    switch text {
    case let text where text.contains("paired"): attribute(.insufficientAuthentication)
    case let text where text.contains("read not"): attribute(.readNotPermitted)
    // Another program has acquired the characteristic: not an error of the peer.
    case let text where text.contains("acquired"):
      .notSupported("another program has taken the characteristic from the Bluetooth daemon (\(error.message))")
    default: attribute(.writeNotPermitted)
    }
  }

  /// The code in "Operation failed with ATT error: 0x80 (Application)".
  private static func code(in text: String) -> UInt8? {
    guard let start = text.firstRange(of: "0x") else { return nil }
    let digits = text[start.upperBound...].prefix { $0.isHexDigit }
    guard let code = UInt8(digits, radix: 16), code != 0 else { return nil }
    return code
  }
}
