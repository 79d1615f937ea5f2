import BLECore
import CoreBluetooth

extension World {
  /// Makes the world wait for the blocks on `queue` too, as it does for the queues of its managers: for an app that works on a
  /// queue of its own between its callbacks and its calls. For an app that passes its results to the main queue, `follow(.main)`.
  ///
  /// If no thread runs the queue, for example because a test blocks the main thread, each run waits for it in vain for a while.
  public func follow(_ queue: DispatchQueue) {
    loop.follow(ProgramQueue(queue))
  }
}
