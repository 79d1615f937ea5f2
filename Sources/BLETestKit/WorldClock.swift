import BLECore
import BLEVirtualRadio

/// The world's time for programs that take their clock as an argument: timers fire on the program's own queue, at the exact
/// moment, and the world waits until their actions have returned.
///
/// ```swift
/// extension WorldClock: @retroactive SessionClock {}
/// extension WorldTimer: @retroactive SessionTimer {}
/// let central = Central(options: phone.options, clock: world.clock)
/// ```
///
/// A waiting timer does not count as pending: `World.settle()` does not wait for it, `World.advance(by:)` does.
public typealias WorldClock = VirtualClock

/// One call that is due at a world's time.
public typealias WorldTimer = VirtualTimer

extension World {
  /// The world's time for programs that take their clock as an argument.
  public var clock: WorldClock { WorldClock(loop: loop) }
}
