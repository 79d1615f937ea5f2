/// The enumerations of Core Bluetooth, in C: an enumeration of Swift's own has only the values it lists, one that comes from C with
/// `enum_extensibility(open)` takes every value, as Apple's do. Applications send ATT errors of their own (0x80 to 0x9F) that way.
#ifndef CORE_BLUETOOTH_ENUMERATIONS_H
#define CORE_BLUETOOTH_ENUMERATIONS_H

#define CB_OPEN_ENUM __attribute__((enum_extensibility(open)))
#define CB_DEPRECATED(message) __attribute__((deprecated(message)))
#define CB_CASE(name) __attribute__((swift_name(#name)))
// Programs know the codes as `CBError.Code` and `CBATTError.Code` only. Tools that read the interface define this to see them.
#ifdef CB_SHOWS_ERROR_CODES
#define CB_ERROR_CODE
#else
#define CB_ERROR_CODE __attribute__((swift_private))
#endif

/// Whether a manager can be used.
///
/// Availability: iOS 10.0, macOS 10.13.
enum CB_OPEN_ENUM CBManagerState : long {
  /// Not known yet.
  CBManagerStateUnknown CB_CASE(unknown) = 0,
  /// The system restarts; another state follows.
  CBManagerStateResetting CB_CASE(resetting) = 1,
  /// There is no Bluetooth Low Energy here.
  CBManagerStateUnsupported CB_CASE(unsupported) = 2,
  /// The program may not use Bluetooth.
  CBManagerStateUnauthorized CB_CASE(unauthorized) = 3,
  /// Bluetooth is switched off.
  CBManagerStatePoweredOff CB_CASE(poweredOff) = 4,
  /// Bluetooth can be used.
  CBManagerStatePoweredOn CB_CASE(poweredOn) = 5,
};
typedef enum CBManagerState CBManagerState;

/// Whether the program may use Bluetooth.
///
/// Availability: iOS 13.0, macOS 10.15.
enum CB_OPEN_ENUM CBManagerAuthorization : long {
  /// The user was not asked yet.
  CBManagerAuthorizationNotDetermined CB_CASE(notDetermined) = 0,
  /// The user cannot allow it.
  CBManagerAuthorizationRestricted CB_CASE(restricted) = 1,
  /// It was refused.
  CBManagerAuthorizationDenied CB_CASE(denied) = 2,
  /// It is allowed.
  CBManagerAuthorizationAllowedAlways CB_CASE(allowedAlways) = 3,
};
typedef enum CBManagerAuthorization CBManagerAuthorization;

/// How a peripheral stands to its manager.
///
/// Availability: iOS 7.0, macOS 10.9.
enum CB_OPEN_ENUM CBPeripheralState : long {
  /// Neither connected nor wanted.
  CBPeripheralStateDisconnected CB_CASE(disconnected) = 0,
  /// Wanted, and not connected yet.
  CBPeripheralStateConnecting CB_CASE(connecting) = 1,
  /// Connected.
  CBPeripheralStateConnected CB_CASE(connected) = 2,
  /// The program has ended the connection, which is still there.
  ///
  /// Availability: iOS 9.0, macOS 10.13.
  CBPeripheralStateDisconnecting CB_CASE(disconnecting) = 3,
};
typedef enum CBPeripheralState CBPeripheralState;

/// Whether a write is answered.
///
/// Availability: iOS 5.0, macOS 10.7.
enum CB_OPEN_ENUM CBCharacteristicWriteType : long {
  /// The peripheral says that it has taken the value, or why not.
  CBCharacteristicWriteTypeWithResponse CB_CASE(withResponse) = 0,
  /// Nothing comes back.
  CBCharacteristicWriteTypeWithoutResponse CB_CASE(withoutResponse) = 1,
};
typedef enum CBCharacteristicWriteType CBCharacteristicWriteType;

/// What happened to the connection of a peer.
///
/// Availability: iOS 13.0.
enum CB_OPEN_ENUM CBConnectionEvent : long {
  /// The connection is over.
  CBConnectionEventPeerDisconnected CB_CASE(peerDisconnected) = 0,
  /// The connection is there.
  CBConnectionEventPeerConnected CB_CASE(peerConnected) = 1,
};
typedef enum CBConnectionEvent CBConnectionEvent;

/// How fast a link to a central should be: `low` is fast.
///
/// Availability: iOS 6.0, macOS 10.9.
enum CB_OPEN_ENUM CBPeripheralManagerConnectionLatency : long {
  /// Fast, at the cost of power.
  CBPeripheralManagerConnectionLatencyLow CB_CASE(low) = 0,
  /// In between.
  CBPeripheralManagerConnectionLatencyMedium CB_CASE(medium) = 1,
  /// Slow, and saves power.
  CBPeripheralManagerConnectionLatencyHigh CB_CASE(high) = 2,
};
typedef enum CBPeripheralManagerConnectionLatency CBPeripheralManagerConnectionLatency;

/// The older name of `CBManagerState`.
///
/// Availability: iOS 5.0, macOS 10.7; deprecated in iOS 10.0, macOS 10.13.
enum CB_OPEN_ENUM CBCentralManagerState : long {
  /// Not known yet.
  CBCentralManagerStateUnknown CB_CASE(unknown) = 0,
  /// The system restarts; another state follows.
  CBCentralManagerStateResetting CB_CASE(resetting) = 1,
  /// There is no Bluetooth Low Energy here.
  CBCentralManagerStateUnsupported CB_CASE(unsupported) = 2,
  /// The program may not use Bluetooth.
  CBCentralManagerStateUnauthorized CB_CASE(unauthorized) = 3,
  /// Bluetooth is switched off.
  CBCentralManagerStatePoweredOff CB_CASE(poweredOff) = 4,
  /// Bluetooth can be used.
  CBCentralManagerStatePoweredOn CB_CASE(poweredOn) = 5,
} CB_DEPRECATED("Use CBManagerState");
typedef enum CBCentralManagerState CBCentralManagerState CB_DEPRECATED("Use CBManagerState");

/// The older name of `CBManagerState`.
///
/// Availability: iOS 6.0, macOS 10.9; deprecated in iOS 10.0, macOS 10.13.
enum CB_OPEN_ENUM CBPeripheralManagerState : long {
  /// Not known yet.
  CBPeripheralManagerStateUnknown CB_CASE(unknown) = 0,
  /// The system restarts; another state follows.
  CBPeripheralManagerStateResetting CB_CASE(resetting) = 1,
  /// There is no Bluetooth Low Energy here.
  CBPeripheralManagerStateUnsupported CB_CASE(unsupported) = 2,
  /// The program may not use Bluetooth.
  CBPeripheralManagerStateUnauthorized CB_CASE(unauthorized) = 3,
  /// Bluetooth is switched off.
  CBPeripheralManagerStatePoweredOff CB_CASE(poweredOff) = 4,
  /// Bluetooth can be used.
  CBPeripheralManagerStatePoweredOn CB_CASE(poweredOn) = 5,
} CB_DEPRECATED("Use CBManagerState");
typedef enum CBPeripheralManagerState CBPeripheralManagerState CB_DEPRECATED("Use CBManagerState");

/// The older form of `CBManagerAuthorization`.
///
/// Availability: iOS 7.0, macOS 10.9; deprecated in iOS 13.0, macOS 10.15.
enum CB_OPEN_ENUM CBPeripheralManagerAuthorizationStatus : long {
  /// The user was not asked yet.
  CBPeripheralManagerAuthorizationStatusNotDetermined CB_CASE(notDetermined) = 0,
  /// The user cannot allow it.
  CBPeripheralManagerAuthorizationStatusRestricted CB_CASE(restricted) = 1,
  /// It was refused.
  CBPeripheralManagerAuthorizationStatusDenied CB_CASE(denied) = 2,
  /// It is allowed.
  CBPeripheralManagerAuthorizationStatusAuthorized CB_CASE(authorized) = 3,
} CB_DEPRECATED("Use CBManagerAuthorization");
typedef enum CBPeripheralManagerAuthorizationStatus CBPeripheralManagerAuthorizationStatus CB_DEPRECATED("Use CBManagerAuthorization");

/// What `CBError` says; the type is `CBError.Code` in Swift.
enum CB_OPEN_ENUM CB_ERROR_CODE CBErrorCode : long {
  /// The cause is unknown.
  CBErrorUnknown CB_CASE(unknown) = 0,
  /// What was asked for makes no sense.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorInvalidParameters CB_CASE(invalidParameters) = 1,
  /// The attribute is not there.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorInvalidHandle CB_CASE(invalidHandle) = 2,
  /// The peer is not connected.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorNotConnected CB_CASE(notConnected) = 3,
  /// There is no room left.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorOutOfSpace CB_CASE(outOfSpace) = 4,
  /// It was called off.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorOperationCancelled CB_CASE(operationCancelled) = 5,
  /// The peer was not heard for the length of the supervision time-out, or did not answer.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorConnectionTimeout CB_CASE(connectionTimeout) = 6,
  /// The peer ended the connection.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorPeripheralDisconnected CB_CASE(peripheralDisconnected) = 7,
  /// The UUID is one that only the system publishes.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorUuidNotAllowed CB_CASE(uuidNotAllowed) = 8,
  /// The manager advertises already.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBErrorAlreadyAdvertising CB_CASE(alreadyAdvertising) = 9,
  /// The connection could not be made, or broke in an unnamed way.
  ///
  /// Availability: iOS 7.1, macOS 10.13.
  CBErrorConnectionFailed CB_CASE(connectionFailed) = 10,
  /// The controller has no room for another connection.
  ///
  /// Availability: iOS 9.0, macOS 10.13.
  CBErrorConnectionLimitReached CB_CASE(connectionLimitReached) = 11,
  /// The misspelt older name of `unknownDevice`.
  ///
  /// Availability: iOS 9.0, macOS 10.13; deprecated in iOS 13.0, macOS 10.15.
  CBErrorUnkownDevice CB_CASE(unkownDevice) CB_DEPRECATED("Use unknownDevice") = 12,
  /// The device is not known.
  ///
  /// Availability: iOS 12.0, macOS 10.14.
  CBErrorUnknownDevice CB_CASE(unknownDevice) = 12,
  /// This side or the other cannot do it.
  ///
  /// Availability: iOS 12.0, macOS 10.14.
  CBErrorOperationNotSupported CB_CASE(operationNotSupported) = 13,
  /// The peer has lost or deleted its bond with this device.
  ///
  /// Availability: iOS 13.4, macOS 10.15.
  CBErrorPeerRemovedPairingInformation CB_CASE(peerRemovedPairingInformation) = 14,
  /// The connection could not be encrypted in time.
  ///
  /// Availability: iOS 13.3, macOS 10.15.
  CBErrorEncryptionTimedOut CB_CASE(encryptionTimedOut) = 15,
  /// There is no room for another bond.
  ///
  /// Availability: iOS 14.0, macOS 11.0.
  CBErrorTooManyLEPairedDevices CB_CASE(tooManyLEPairedDevices) = 16,
  /// Too many notifications for a program in the background; only on watchOS.
  CBErrorLeGattExceededBackgroundNotificationLimit CB_CASE(leGattExceededBackgroundNotificationLimit) = 17,
  /// Almost too many notifications for a program in the background; only on watchOS.
  CBErrorLeGattNearBackgroundNotificationLimit CB_CASE(leGattNearBackgroundNotificationLimit) = 18,
  /// The two sides could not agree how to measure distance.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  CBErrorChannelSoundingConfigurationFailed CB_CASE(channelSoundingConfigurationFailed) = 19,
  /// A measurement of distance failed.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  CBErrorChannelSoundingProcedureFailed CB_CASE(channelSoundingProcedureFailed) = 20,
};
typedef enum CBErrorCode CBErrorCode CB_ERROR_CODE;

/// What `CBATTError` says; the type is `CBATTError.Code` in Swift. The numbers are those of the Attribute Protocol (Core, Vol 3 Part F 3.4.1.1).
enum CB_OPEN_ENUM CB_ERROR_CODE CBATTErrorCode : long {
  /// It was done: what a peripheral manager answers requests with.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  CBATTErrorSuccess CB_CASE(success) = 0,
  /// The attribute is not there (0x01).
  CBATTErrorInvalidHandle CB_CASE(invalidHandle) = 1,
  /// It cannot be read (0x02).
  CBATTErrorReadNotPermitted CB_CASE(readNotPermitted) = 2,
  /// It cannot be written (0x03).
  CBATTErrorWriteNotPermitted CB_CASE(writeNotPermitted) = 3,
  /// The request was not understood (0x04).
  CBATTErrorInvalidPdu CB_CASE(invalidPdu) = 4,
  /// The link has to be authenticated first (0x05).
  CBATTErrorInsufficientAuthentication CB_CASE(insufficientAuthentication) = 5,
  /// The server does not know this request (0x06).
  CBATTErrorRequestNotSupported CB_CASE(requestNotSupported) = 6,
  /// The offset is past the end of the value (0x07).
  CBATTErrorInvalidOffset CB_CASE(invalidOffset) = 7,
  /// Somebody has to allow it first (0x08).
  CBATTErrorInsufficientAuthorization CB_CASE(insufficientAuthorization) = 8,
  /// There is no room for another part of a long write (0x09).
  CBATTErrorPrepareQueueFull CB_CASE(prepareQueueFull) = 9,
  /// There is no such attribute in the range (0x0A).
  CBATTErrorAttributeNotFound CB_CASE(attributeNotFound) = 10,
  /// The value is too short for a long read (0x0B).
  CBATTErrorAttributeNotLong CB_CASE(attributeNotLong) = 11,
  /// The key of the link is too short (0x0C).
  CBATTErrorInsufficientEncryptionKeySize CB_CASE(insufficientEncryptionKeySize) = 12,
  /// The value has the wrong length for the attribute (0x0D).
  CBATTErrorInvalidAttributeValueLength CB_CASE(invalidAttributeValueLength) = 13,
  /// Something went wrong that has no name (0x0E).
  CBATTErrorUnlikelyError CB_CASE(unlikelyError) = 14,
  /// The link has to be encrypted first (0x0F).
  CBATTErrorInsufficientEncryption CB_CASE(insufficientEncryption) = 15,
  /// The type does not group other attributes (0x10).
  CBATTErrorUnsupportedGroupType CB_CASE(unsupportedGroupType) = 16,
  /// The server has not enough memory or time (0x11).
  CBATTErrorInsufficientResources CB_CASE(insufficientResources) = 17,
};
typedef enum CBATTErrorCode CBATTErrorCode CB_ERROR_CODE;

#endif
