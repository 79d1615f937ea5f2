internal import Synchronization

/// A value behind a lock: the part of an object that programs may look at from any thread.
///
/// `@unchecked Sendable`: the value is touched only while the mutex is held. Objects of Core Bluetooth that are handed out of
/// it belong to the program's queue, as they do on Apple's systems.
struct Locked<Value>: ~Copyable, @unchecked Sendable {
  private let mutex: Mutex<Carried<Value>>

  init(_ value: Value) { mutex = Mutex(Carried(value)) }

  @inline(__always)
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { carried in Carried<Result>(body(&carried.value)) }.value
  }
}

/// An object of the program's side in a job or a callback of the loop, which only hands it on and does not look inside.
///
/// `@unchecked Sendable`: it is opened again on the program's queue, or under the lock that it came from.
struct Carried<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Remembers an object without keeping it.
struct WeakReference<Object: AnyObject> {
  weak var object: Object?
  init(_ object: Object) { self.object = object }
}
