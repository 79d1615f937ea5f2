import BLECore
import CSystemBus
import Dispatch

/// libsystemd's registration of a call, a match or an object. While it exists, libsystemd may call back.
///
/// The slot retains the callback's context and its destructor releases it, so that the context is valid in every callback, even where
/// its owner is released inside that callback. libsystemd keeps the slot whose callback runs.
final class BusSlot {
  private var slot: OpaquePointer?
  private let queue: DispatchQueue

  /// - Parameter register: receives the address for the slot, and the context to pass to the callback.
  init(
    _ context: AnyObject, on queue: DispatchQueue, doing what: String,
    _ register: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> Int32
  ) throws(BusError) {
    self.queue = queue
    let retained = Unmanaged.passRetained(context)
    var slot: OpaquePointer?
    let result = register(&slot, retained.toOpaque())
    guard result >= 0, let slot else {
      retained.release()
      throw BusError(number: result, doing: what)
    }
    sd_bus_slot_set_destroy_callback(slot) { context in
      if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
    }
    self.slot = slot
  }

  /// No callback starts after this. On the loop.
  func end() {
    guard let slot else { return }
    self.slot = nil
    sd_bus_slot_unref(slot)
  }

  deinit {
    guard let slot else { return }
    queue.onLoop(slot) { sd_bus_slot_unref($0) }
  }
}

/// A registration or export that lasts as long as this object is kept. It may be released on any thread; call `end()` where it has to
/// end at a certain moment.
class BusRegistration {
  init() {}
  /// On the loop.
  func end() {}
}

extension DispatchQueue {
  private static let loopKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Marks this queue, so that `onLoop` recognizes it.
  func markAsLoop() { setSpecific(key: Self.loopKey, value: ObjectIdentifier(self)) }

  /// Runs `action` immediately where this is called on the queue, otherwise asynchronously on it: a deinitializer may run on any thread,
  /// and libsystemd may be called on one only.
  func onLoop<Value>(_ value: Value, _ action: @escaping (Value) -> Void) {
    if DispatchQueue.getSpecific(key: Self.loopKey) == ObjectIdentifier(self) {
      action(value)
    } else {
      let job = LoopBound((value, action))
      async { job.value.1(job.value.0) }
    }
  }
}
