import Dispatch

extension Waiting {
  /// Waits without a time limit for a value from another thread, which `begin` passes to its argument.
  func answer<Value: Sendable>(
    _ begin: (@escaping @Sendable (Value) -> Void) -> Void
  ) async throws(ToolError) -> Value {
    let box = Box<Value>()
    begin { value in
      onMain {
        box.value = value
        self.changed()
      }
    }
    while true {
      try await until(within: nil) { box.value != nil }
      if let value = box.value { return value }
    }
  }
}

@MainActor private final class Box<Value: Sendable> {
  var value: Value?
}
