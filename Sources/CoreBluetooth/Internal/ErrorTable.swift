internal import BLEAdapter
internal import BLECore

// The only place where the stack's failures become Apple's errors.

extension CBError {
  /// An error with the text that Apple's framework gives it.
  init(describing code: CBError.Code) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
  }

  /// Why a connection ended or failed; `nil` if the program requested it.
  init?(_ reason: EndReason) {
    switch reason {
    case .requested: return nil
    case .closedByPeer: self.init(describing: .peripheralDisconnected)
    case .lost, .timedOut: self.init(describing: .connectionTimeout)
    case .failedToEstablish, .refused, .poweredOff, .protocolViolated: self.init(describing: .connectionFailed)
    case .bondLost: self.init(describing: .peerRemovedPairingInformation)
    case .encryptionTimedOut: self.init(describing: .encryptionTimedOut)
    case .limitReached: self.init(describing: .connectionLimitReached)
    }
  }

  init(_ error: PublishError) {
    switch error {
    case .uuidNotAllowed: self.init(describing: .uuidNotAllowed)
    case .alreadyAdvertising: self.init(describing: .alreadyAdvertising)
    case .outOfSpace: self.init(describing: .outOfSpace)
    case .unknownService: self.init(describing: .invalidParameters)
    case .notPoweredOn, .refused: self.init(describing: .unknown)
    }
  }

  private static func text(of code: CBError.Code) -> String {
    switch code {
    case .invalidParameters: "One or more parameters were invalid."
    case .invalidHandle: "The specified handle is invalid."
    case .notConnected: "The specified device is not connected."
    case .outOfSpace: "There is no space left."
    case .operationCancelled: "The operation was cancelled."
    case .connectionTimeout: "The connection has timed out unexpectedly."
    case .peripheralDisconnected: "The specified device has disconnected from us."
    case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
    case .alreadyAdvertising: "Advertising has already started."
    case .connectionFailed: "The connection has failed unexpectedly."
    case .connectionLimitReached: "The maximum number of connections has been reached."
    case .unknownDevice: "The specified device is unknown."
    case .operationNotSupported: "The operation is not supported."
    case .peerRemovedPairingInformation: "Peer removed pairing information"
    case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
    case .tooManyLEPairedDevices: "The maximum number of paired devices has been reached."
    default: "Unknown error."
    }
  }
}

extension CBATTError {
  /// An error with the text that Apple's framework gives it.
  init(describing code: CBATTError.Code) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
  }

  private static func text(of code: CBATTError.Code) -> String {
    switch code {
    case .invalidHandle: "The handle is invalid."
    case .readNotPermitted: "Reading is not permitted."
    case .writeNotPermitted: "Writing is not permitted."
    case .invalidPdu: "The command is invalid."
    case .insufficientAuthentication: "Authentication is insufficient."
    case .requestNotSupported: "The request is not supported."
    case .invalidOffset: "The offset is invalid."
    case .insufficientAuthorization: "Authorization is insufficient."
    case .prepareQueueFull: "The prepare queue is full."
    case .attributeNotFound: "The attribute could not be found."
    case .attributeNotLong: "The attribute is not long."
    case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
    case .invalidAttributeValueLength: "The value's length is invalid."
    case .unlikelyError: "Unlikely error."
    case .insufficientEncryption: "Encryption is insufficient."
    case .unsupportedGroupType: "The group type is unsupported."
    case .insufficientResources: "Resources are insufficient."
    default: "Unknown ATT error."
    }
  }
}

extension OperationError {
  /// The error that a delegate receives.
  var shown: any Error {
    switch self {
    case .attribute(let code): Self.attributeError(code)
    case .notConnected: CBError(describing: .notConnected)
    case .protocolViolation: CBATTError(describing: .invalidPdu)
    case .timedOut: CBError(describing: .connectionTimeout)
    case .tooManyBonds: CBError(describing: .tooManyLEPairedDevices)
    case .notSupported: CBError(describing: .operationNotSupported)
    case .channelRefused(let result): Self.channelError(result)
    }
  }

  /// L2CAP results (Core, Vol 3 Part A 4.23): those about security have a counterpart among the attribute errors.
  private static func channelError(_ result: UInt16) -> any Error {
    switch result {
    case 0x0002: CBError(describing: .operationNotSupported)
    case 0x0004: CBError(describing: .connectionLimitReached)
    case 0x0005: CBATTError(describing: .insufficientAuthentication)
    case 0x0006: CBATTError(describing: .insufficientAuthorization)
    case 0x0007: CBATTError(describing: .insufficientEncryptionKeySize)
    case 0x0008: CBATTError(describing: .insufficientEncryption)
    default: CBError(describing: .connectionFailed)
    }
  }

  private static func attributeError(_ code: UInt8) -> any Error {
    guard let code = CBATTError.Code(rawValue: Int(code)) else { return CBATTError(describing: .unlikelyError) }
    return CBATTError(describing: code)
  }
}
