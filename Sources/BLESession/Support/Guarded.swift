import Foundation

/// A value protected by a lock: the only lock type above the Core Bluetooth API. The layers below use Swift's `Mutex`, which the oldest
/// supported Apple systems lack.
///
/// `@unchecked Sendable`: touched under the lock only.
package final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
