import CoreBluetooth

/// Catches errors by their code, several in a row.
final class ErrorsCaughtByCode: Program {
  private func fail(_ error: Error) throws { throw error }

  private func outcome(of error: Error) -> String {
    do {
      try fail(error)
      return "fine"
    } catch CBError.connectionTimeout {
      return "timed out"
    } catch CBError.peripheralDisconnected, CBError.connectionFailed {
      return "lost"
    } catch CBATTError.insufficientAuthentication {
      return "pair first"
    } catch let error as CBATTError where error.code == .readNotPermitted {
      return "secret"
    } catch {
      return "unknown"
    }
  }

  func run(on stage: any Stage) async throws {
    try check(outcome(of: CBError(.connectionTimeout)) == "timed out")
    try check(outcome(of: CBError(.connectionFailed)) == "lost")
    try check(outcome(of: CBError(.peripheralDisconnected)) == "lost")
    try check(outcome(of: CBATTError(.insufficientAuthentication)) == "pair first")
    try check(outcome(of: CBATTError(.readNotPermitted)) == "secret")
    try check(outcome(of: CBError(.outOfSpace)) == "unknown")
  }
}
