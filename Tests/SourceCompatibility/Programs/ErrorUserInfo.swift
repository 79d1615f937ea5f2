import CoreBluetooth

/// Makes errors with its own texts, as mocks and tests do.
final class ErrorUserInfo: Program {
  func run(on stage: any Stage) async throws {
    let error = CBError(.operationCancelled, userInfo: [NSLocalizedDescriptionKey: "Called off", "attempt": 3])
    try check(error.localizedDescription == "Called off")
    try check(error.userInfo["attempt"] as? Int == 3)
    try check(error.errorUserInfo.count == 2)
    let bridged = error as NSError
    try check(bridged.domain == CBErrorDomain && bridged.code == 5)
    try check(bridged.code == CBError.operationCancelled.rawValue)
    try check(CBError.errorDomain == "CBErrorDomain" && CBATTError.errorDomain == "CBATTErrorDomain")
    try check(error.code == .operationCancelled && error.errorCode == 5)
    try check(CBError(_nsError: bridged).code == .operationCancelled)
  }
}
