/// The domain of `CBError`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBErrorDomain: String = "CBErrorDomain"

/// A Bluetooth error of this side or of a connection.
///
/// Availability: iOS 5.0, macOS 10.7.
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

  /// Domain, code, localized text and user info, in the form in which Apple's errors are printed.
  public var description: String { _nsError.textWithDescription }

  /// An unknown error.
  public static var unknown: CBError.Code { .unknown }
  /// The parameters are invalid.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var invalidParameters: CBError.Code { .invalidParameters }
  /// The attribute does not exist.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var invalidHandle: CBError.Code { .invalidHandle }
  /// The peer is not connected.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var notConnected: CBError.Code { .notConnected }
  /// There is no room left.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var outOfSpace: CBError.Code { .outOfSpace }
  /// The operation was cancelled.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var operationCancelled: CBError.Code { .operationCancelled }
  /// The supervision time-out has passed, or the peer did not respond.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var connectionTimeout: CBError.Code { .connectionTimeout }
  /// The peer ended the connection.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
  /// Only the system may publish this UUID.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
  /// The manager is already advertising.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
  /// The connection could not be made, or failed for an unknown reason.
  ///
  /// Availability: iOS 7.1, macOS 10.13.
  public static var connectionFailed: CBError.Code { .connectionFailed }
  /// The controller supports no further connection.
  ///
  /// Availability: iOS 9.0, macOS 10.13.
  public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
  /// The misspelt older name of `unknownDevice`.
  ///
  /// Availability: iOS 9.0, macOS 10.13; deprecated in iOS 13.0, macOS 10.15.
  @available(*, deprecated, message: "Use unknownDevice")
  public static var unkownDevice: CBError.Code { .unknownDevice }
  /// The device is unknown.
  ///
  /// Availability: iOS 12.0, macOS 10.14.
  public static var unknownDevice: CBError.Code { .unknownDevice }
  /// This side or the peer does not support it.
  ///
  /// Availability: iOS 12.0, macOS 10.14.
  public static var operationNotSupported: CBError.Code { .operationNotSupported }
  /// The peer has lost or deleted its bond with this device.
  ///
  /// Availability: iOS 13.4, macOS 10.15.
  public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
  /// The connection could not be encrypted in time.
  ///
  /// Availability: iOS 13.3, macOS 10.15.
  public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
  /// No further bond can be stored.
  ///
  /// Availability: iOS 14.0, macOS 11.0.
  public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
  /// Too many notifications for an application in the background; only on watchOS.
  public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
    .leGattExceededBackgroundNotificationLimit
  }
  /// Almost too many notifications for an application in the background; only on watchOS.
  public static var leGattNearBackgroundNotificationLimit: CBError.Code { .leGattNearBackgroundNotificationLimit }
  /// The two sides could not agree on a configuration for distance measurement.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  public static var channelSoundingConfigurationFailed: CBError.Code { .channelSoundingConfigurationFailed }
  /// A distance measurement failed.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  public static var channelSoundingProcedureFailed: CBError.Code { .channelSoundingProcedureFailed }
}

extension CBError.Code: @retroactive _ErrorCodeProtocol {
  public typealias _ErrorType = CBError
}
