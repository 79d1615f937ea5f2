import BLECore
import Dispatch
import Glibc

/// The machine's switches for its radios (rfkill): reports when one for Bluetooth is unblocked. Everything on the loop's queue.
final class RadioSwitches {
  /// `struct rfkill_event` (linux/rfkill.h): index, type, operation, soft, hard.
  private static let eventLength = 8
  private static let bluetooth: UInt8 = 2
  private static let removal: UInt8 = 1

  private let source: any DispatchSourceRead

  /// - Parameter onFree: called for each unblocked Bluetooth switch, when it is unblocked and at the beginning.
  init(_ descriptor: FileDescriptor, on queue: DispatchQueue, onFree: @escaping () -> Void) {
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound((onFree, source))
    source.setEventHandler {
      var event = [UInt8](repeating: 0, count: Self.eventLength)
      var isFree = false
      while true {
        let count = read(descriptor.number, &event, event.count)
        if count == 0 { bound.value.1.cancel() }
        guard count > 0 else { break }
        if count == event.count, event[4] == Self.bluetooth, event[5] != Self.removal, event[6] == 0, event[7] == 0 {
          isFree = true
        }
      }
      if isFree { bound.value.0() }
    }
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    source.activate()
  }

  deinit { source.cancel() }
}
