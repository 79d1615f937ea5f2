import CoreBluetooth

/// Gives the codes of the Attribute Protocol names of its own.
final class AttributeErrorSwitch: Program {
  private enum Problem: Equatable { case none, access, security, protocolFault, other(Int) }

  private func problem(_ code: CBATTError.Code) -> Problem {
    switch code {
    case .success: return .none
    case .readNotPermitted, .writeNotPermitted, .insufficientAuthorization: return .access
    case .insufficientAuthentication, .insufficientEncryption, .insufficientEncryptionKeySize: return .security
    case .invalidHandle, .invalidPdu, .invalidOffset, .attributeNotFound, .attributeNotLong, .requestNotSupported,
      .unsupportedGroupType, .invalidAttributeValueLength:
      return .protocolFault
    case .prepareQueueFull, .unlikelyError, .insufficientResources: return .other(code.rawValue)
    @unknown default: return .other(code.rawValue)
    }
  }

  func run(on stage: any Stage) async throws {
    try check(problem(.success) == .none)
    try check(problem(.insufficientEncryptionKeySize) == .security)
    try check(problem(CBATTError.writeNotPermitted) == .access)
    try check(problem(.prepareQueueFull) == .other(9))
    try check(problem(CBATTError(.attributeNotLong).code) == .protocolFault)
  }
}
