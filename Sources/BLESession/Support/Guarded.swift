import Foundation

/// A value behind a lock: the one kind there is above Core Bluetooth. Below it there is Swift's `Mutex`, which the first of Apple's
/// systems that are supported do not have.
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
