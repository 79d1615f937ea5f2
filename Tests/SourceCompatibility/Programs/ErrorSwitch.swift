import CoreBluetooth

/// Switches over every code, with a default for codes that Apple adds.
final class ErrorSwitch: Program {
  private func isWorthAnotherTry(_ error: CBError) -> Bool {
    switch error.code {
    case .connectionTimeout, .connectionFailed, .peripheralDisconnected, .connectionLimitReached, .encryptionTimedOut:
      return true
    case .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled, .uuidNotAllowed,
      .alreadyAdvertising, .unknownDevice, .operationNotSupported, .peerRemovedPairingInformation,
      .tooManyLEPairedDevices:
      return false
    case .leGattExceededBackgroundNotificationLimit, .leGattNearBackgroundNotificationLimit:
      return false
    @unknown default:
      return false
    }
  }

  func run(on stage: any Stage) async throws {
    try check(isWorthAnotherTry(CBError(.connectionTimeout)))
    try check(isWorthAnotherTry(CBError(.encryptionTimedOut)))
    try check(!isWorthAnotherTry(CBError(.uuidNotAllowed)))
    try check(!isWorthAnotherTry(CBError(.unknownDevice)))
  }
}
