import BLESessionStore

extension ToolError {
  /// The error for a recording that cannot be opened, read or written.
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
