import BLECore
import CSystemBus
import Dispatch

/// What libsystemd holds of a call, a match or an object: as long as it is there it may call back.
///
/// The context of the callback is retained by the slot itself and released by its destructor, so that a callback never meets a context
/// that is gone, even where its owner is released inside that callback. libsystemd keeps the slot whose callback runs.
final class BusSlot {
  private var slot: OpaquePointer?
  private let queue: DispatchQueue

  /// - Parameter register: gets where to put the slot, and the context as what the callback is called with.
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

  /// No callback begins any more. On the loop.
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

/// Something that was registered, or is exported, for as long as this is kept. It may be released on any thread; what has to be
/// over at a certain moment is ended with `end()`.
class BusRegistration {
  init() {}
  /// On the loop.
  func end() {}
}

extension DispatchQueue {
  private static let loopKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes this queue one that knows when something runs on it.
  func markAsLoop() { setSpecific(key: Self.loopKey, value: ObjectIdentifier(self)) }

  /// Runs `action` at once where this is called on the queue, else as soon as the queue comes to it: a deinitializer may run on any
  /// thread, and libsystemd knows only one.
  func onLoop<Value>(_ value: Value, _ action: @escaping (Value) -> Void) {
    if DispatchQueue.getSpecific(key: Self.loopKey) == ObjectIdentifier(self) {
      action(value)
    } else {
      let job = LoopBound((value, action))
      async { job.value.1(job.value.0) }
    }
  }
}
