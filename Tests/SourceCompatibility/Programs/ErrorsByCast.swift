import CoreBluetooth

/// Casts an error with `as?`, as completion handlers do.
final class ErrorsByCast: Program {
  private func describe(_ error: Error?) -> String {
    guard let error = error else { return "none" }
    if let error = error as? CBError { return "bluetooth \(error.code.rawValue)" }
    if let error = error as? CBATTError { return "attribute \(error.errorCode)" }
    return "other"
  }

  func run(on stage: any Stage) async throws {
    try check(describe(nil) == "none")
    try check(describe(CBError(.connectionTimeout)) == "bluetooth 6")
    try check(describe(CBATTError(.success)) == "attribute 0")
    try check(describe(CocoaError(.fileNoSuchFile)) == "other")
    let error: Error = CBError(.peripheralDisconnected)
    try check((error as? CBATTError) == nil)
    try check(error is CBError)
  }
}
