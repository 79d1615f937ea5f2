/// The enumerations of Core Bluetooth, in C: an enumeration of Swift's own has only the values it lists, one that comes from C with
/// `enum_extensibility(open)` takes every value, as Apple's do. Applications send ATT errors of their own (0x80 to 0x9F) that way.
#ifndef CORE_BLUETOOTH_ENUMERATIONS_H
#define CORE_BLUETOOTH_ENUMERATIONS_H

#define CB_OPEN_ENUM __attribute__((enum_extensibility(open)))
#define CB_DEPRECATED(message) __attribute__((deprecated(message)))
#define CB_CASE(name) __attribute__((swift_name(#name)))

/// Whether a manager can be used.
enum CB_OPEN_ENUM CBManagerState : long {
  CBManagerStateUnknown CB_CASE(unknown) = 0,
  CBManagerStateResetting CB_CASE(resetting) = 1,
  CBManagerStateUnsupported CB_CASE(unsupported) = 2,
  CBManagerStateUnauthorized CB_CASE(unauthorized) = 3,
  CBManagerStatePoweredOff CB_CASE(poweredOff) = 4,
  CBManagerStatePoweredOn CB_CASE(poweredOn) = 5,
};
typedef enum CBManagerState CBManagerState;

/// Whether the program may use Bluetooth.
enum CB_OPEN_ENUM CBManagerAuthorization : long {
  CBManagerAuthorizationNotDetermined CB_CASE(notDetermined) = 0,
  CBManagerAuthorizationRestricted CB_CASE(restricted) = 1,
  CBManagerAuthorizationDenied CB_CASE(denied) = 2,
  CBManagerAuthorizationAllowedAlways CB_CASE(allowedAlways) = 3,
};
typedef enum CBManagerAuthorization CBManagerAuthorization;

/// How a peripheral stands to its manager.
enum CB_OPEN_ENUM CBPeripheralState : long {
  CBPeripheralStateDisconnected CB_CASE(disconnected) = 0,
  CBPeripheralStateConnecting CB_CASE(connecting) = 1,
  CBPeripheralStateConnected CB_CASE(connected) = 2,
  CBPeripheralStateDisconnecting CB_CASE(disconnecting) = 3,
};
typedef enum CBPeripheralState CBPeripheralState;

/// Whether a write is answered.
enum CB_OPEN_ENUM CBCharacteristicWriteType : long {
  CBCharacteristicWriteTypeWithResponse CB_CASE(withResponse) = 0,
  CBCharacteristicWriteTypeWithoutResponse CB_CASE(withoutResponse) = 1,
};
typedef enum CBCharacteristicWriteType CBCharacteristicWriteType;

/// What happened to the connection of a peer.
enum CB_OPEN_ENUM CBConnectionEvent : long {
  CBConnectionEventPeerDisconnected CB_CASE(peerDisconnected) = 0,
  CBConnectionEventPeerConnected CB_CASE(peerConnected) = 1,
};
typedef enum CBConnectionEvent CBConnectionEvent;

/// How fast a link to a central should be: `low` is fast.
enum CB_OPEN_ENUM CBPeripheralManagerConnectionLatency : long {
  CBPeripheralManagerConnectionLatencyLow CB_CASE(low) = 0,
  CBPeripheralManagerConnectionLatencyMedium CB_CASE(medium) = 1,
  CBPeripheralManagerConnectionLatencyHigh CB_CASE(high) = 2,
};
typedef enum CBPeripheralManagerConnectionLatency CBPeripheralManagerConnectionLatency;

/// The older name of `CBManagerState`.
enum CB_OPEN_ENUM CBCentralManagerState : long {
  CBCentralManagerStateUnknown CB_CASE(unknown) = 0,
  CBCentralManagerStateResetting CB_CASE(resetting) = 1,
  CBCentralManagerStateUnsupported CB_CASE(unsupported) = 2,
  CBCentralManagerStateUnauthorized CB_CASE(unauthorized) = 3,
  CBCentralManagerStatePoweredOff CB_CASE(poweredOff) = 4,
  CBCentralManagerStatePoweredOn CB_CASE(poweredOn) = 5,
} CB_DEPRECATED("Use CBManagerState");
typedef enum CBCentralManagerState CBCentralManagerState CB_DEPRECATED("Use CBManagerState");

/// The older name of `CBManagerState`.
enum CB_OPEN_ENUM CBPeripheralManagerState : long {
  CBPeripheralManagerStateUnknown CB_CASE(unknown) = 0,
  CBPeripheralManagerStateResetting CB_CASE(resetting) = 1,
  CBPeripheralManagerStateUnsupported CB_CASE(unsupported) = 2,
  CBPeripheralManagerStateUnauthorized CB_CASE(unauthorized) = 3,
  CBPeripheralManagerStatePoweredOff CB_CASE(poweredOff) = 4,
  CBPeripheralManagerStatePoweredOn CB_CASE(poweredOn) = 5,
} CB_DEPRECATED("Use CBManagerState");
typedef enum CBPeripheralManagerState CBPeripheralManagerState CB_DEPRECATED("Use CBManagerState");

/// The older form of `CBManagerAuthorization`.
enum CB_OPEN_ENUM CBPeripheralManagerAuthorizationStatus : long {
  CBPeripheralManagerAuthorizationStatusNotDetermined CB_CASE(notDetermined) = 0,
  CBPeripheralManagerAuthorizationStatusRestricted CB_CASE(restricted) = 1,
  CBPeripheralManagerAuthorizationStatusDenied CB_CASE(denied) = 2,
  CBPeripheralManagerAuthorizationStatusAuthorized CB_CASE(authorized) = 3,
} CB_DEPRECATED("Use CBManagerAuthorization");
typedef enum CBPeripheralManagerAuthorizationStatus CBPeripheralManagerAuthorizationStatus CB_DEPRECATED("Use CBManagerAuthorization");

/// What `CBError` says; the type is `CBError.Code` in Swift.
enum CB_OPEN_ENUM __attribute__((swift_private)) CBErrorCode : long {
  CBErrorUnknown CB_CASE(unknown) = 0,
  CBErrorInvalidParameters CB_CASE(invalidParameters) = 1,
  CBErrorInvalidHandle CB_CASE(invalidHandle) = 2,
  CBErrorNotConnected CB_CASE(notConnected) = 3,
  CBErrorOutOfSpace CB_CASE(outOfSpace) = 4,
  CBErrorOperationCancelled CB_CASE(operationCancelled) = 5,
  CBErrorConnectionTimeout CB_CASE(connectionTimeout) = 6,
  CBErrorPeripheralDisconnected CB_CASE(peripheralDisconnected) = 7,
  CBErrorUuidNotAllowed CB_CASE(uuidNotAllowed) = 8,
  CBErrorAlreadyAdvertising CB_CASE(alreadyAdvertising) = 9,
  CBErrorConnectionFailed CB_CASE(connectionFailed) = 10,
  CBErrorConnectionLimitReached CB_CASE(connectionLimitReached) = 11,
  CBErrorUnkownDevice CB_CASE(unkownDevice) CB_DEPRECATED("Use unknownDevice") = 12,
  CBErrorUnknownDevice CB_CASE(unknownDevice) = 12,
  CBErrorOperationNotSupported CB_CASE(operationNotSupported) = 13,
  CBErrorPeerRemovedPairingInformation CB_CASE(peerRemovedPairingInformation) = 14,
  CBErrorEncryptionTimedOut CB_CASE(encryptionTimedOut) = 15,
  CBErrorTooManyLEPairedDevices CB_CASE(tooManyLEPairedDevices) = 16,
  CBErrorLeGattExceededBackgroundNotificationLimit CB_CASE(leGattExceededBackgroundNotificationLimit) = 17,
  CBErrorLeGattNearBackgroundNotificationLimit CB_CASE(leGattNearBackgroundNotificationLimit) = 18,
  CBErrorChannelSoundingConfigurationFailed CB_CASE(channelSoundingConfigurationFailed) = 19,
  CBErrorChannelSoundingProcedureFailed CB_CASE(channelSoundingProcedureFailed) = 20,
};
typedef enum CBErrorCode CBErrorCode __attribute__((swift_private));

/// What `CBATTError` says; the type is `CBATTError.Code` in Swift. The numbers are those of the Attribute Protocol (Core, Vol 3 Part F 3.4.1.1).
enum CB_OPEN_ENUM __attribute__((swift_private)) CBATTErrorCode : long {
  CBATTErrorSuccess CB_CASE(success) = 0,
  CBATTErrorInvalidHandle CB_CASE(invalidHandle) = 1,
  CBATTErrorReadNotPermitted CB_CASE(readNotPermitted) = 2,
  CBATTErrorWriteNotPermitted CB_CASE(writeNotPermitted) = 3,
  CBATTErrorInvalidPdu CB_CASE(invalidPdu) = 4,
  CBATTErrorInsufficientAuthentication CB_CASE(insufficientAuthentication) = 5,
  CBATTErrorRequestNotSupported CB_CASE(requestNotSupported) = 6,
  CBATTErrorInvalidOffset CB_CASE(invalidOffset) = 7,
  CBATTErrorInsufficientAuthorization CB_CASE(insufficientAuthorization) = 8,
  CBATTErrorPrepareQueueFull CB_CASE(prepareQueueFull) = 9,
  CBATTErrorAttributeNotFound CB_CASE(attributeNotFound) = 10,
  CBATTErrorAttributeNotLong CB_CASE(attributeNotLong) = 11,
  CBATTErrorInsufficientEncryptionKeySize CB_CASE(insufficientEncryptionKeySize) = 12,
  CBATTErrorInvalidAttributeValueLength CB_CASE(invalidAttributeValueLength) = 13,
  CBATTErrorUnlikelyError CB_CASE(unlikelyError) = 14,
  CBATTErrorInsufficientEncryption CB_CASE(insufficientEncryption) = 15,
  CBATTErrorUnsupportedGroupType CB_CASE(unsupportedGroupType) = 16,
  CBATTErrorInsufficientResources CB_CASE(insufficientResources) = 17,
};
typedef enum CBATTErrorCode CBATTErrorCode __attribute__((swift_private));

#endif
