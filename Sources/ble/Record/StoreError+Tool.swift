import BLESessionStore

extension ToolError {
  /// Why a record cannot be opened, read or written.
  init(_ error: StoreError) {
    let status: ExitStatus =
      switch error.code {
      case .notADatabase, .notAStore, .corrupt, .newerVersion: .badData
      case .cannotOpen, .readOnly: .noInput
      default: .failed
      }
    self.init(status, error.description.inert + ".")
  }
}
