import BLESessionStore

extension StoreError {
  /// An outbox that was closed.
  static var closed: StoreError { StoreError(.closed, "the outbox was closed", file: "") }
}
