/// The domain of `CBError`.
public let CBErrorDomain: String = "CBErrorDomain"

/// What went wrong with Bluetooth on this side or with a connection.
public struct CBError: _BridgedStoredNSError, Sendable {
  public typealias Code = __CBErrorCode

  public let _nsError: NSError
  public init(_nsError error: NSError) { _nsError = error }

  public static var _nsErrorDomain: String { CBErrorDomain }
  /// Equals `CBErrorDomain`.
  public static var errorDomain: String { CBErrorDomain }

  // Foundation's own `hash` of a bridged error does not return on Linux.
  public static func == (left: CBError, right: CBError) -> Bool { left._nsError.code == right._nsError.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

  public static var unknown: CBError.Code { .unknown }
  public static var invalidParameters: CBError.Code { .invalidParameters }
  public static var invalidHandle: CBError.Code { .invalidHandle }
  public static var notConnected: CBError.Code { .notConnected }
  public static var outOfSpace: CBError.Code { .outOfSpace }
  public static var operationCancelled: CBError.Code { .operationCancelled }
  public static var connectionTimeout: CBError.Code { .connectionTimeout }
  public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
  public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
  public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
  public static var connectionFailed: CBError.Code { .connectionFailed }
  public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
  @available(*, deprecated, message: "Use unknownDevice")
  public static var unkownDevice: CBError.Code { .unknownDevice }
  public static var unknownDevice: CBError.Code { .unknownDevice }
  public static var operationNotSupported: CBError.Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
  public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
    .leGattExceededBackgroundNotificationLimit
  }
  public static var leGattNearBackgroundNotificationLimit: CBError.Code { .leGattNearBackgroundNotificationLimit }
  public static var channelSoundingConfigurationFailed: CBError.Code { .channelSoundingConfigurationFailed }
  public static var channelSoundingProcedureFailed: CBError.Code { .channelSoundingProcedureFailed }
}

extension CBError.Code: @retroactive _ErrorCodeProtocol {
  public typealias _ErrorType = CBError
}
