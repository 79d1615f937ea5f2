internal import Synchronization

/// A value guarded by a lock: the part of an object that programs may read from any thread.
///
/// With the value beside the mutex instead of inside it: Swift 6.3 lays out a mutex around a generic parameter wrongly where it does not
/// specialize the code. In memory of its own, where the lock is the only check of access.
///
/// `@unchecked Sendable`: the value is accessed only while the mutex is held. Objects of Core Bluetooth that are returned from it
/// belong to the program's queue, as they do on Apple's systems.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = Mutex(())
  private let value: UnsafeMutablePointer<Value>

  init(_ value: Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { _ in Carried<Result>(body(&value.pointee)) }.value
  }
}

/// An object of the program's side in a job or a callback of the loop, which passes it on without accessing it.
///
/// `@unchecked Sendable`: it is accessed again on the program's queue, or under the lock that it came from.
struct Carried<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
