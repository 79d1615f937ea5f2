import BLECore
import Synchronization

/// A program that is made again in each process of its device; see `World.launch`.
public final class LaunchedProgram<Program>: Sendable {
  private let make: LoopBound<([String: Any]) -> Program>
  private let state: Mutex<State>

  // Made and replaced while the clock stands still, by the test or by the loop: not at the same time.
  private struct State: Sendable {
    var program: LoopBound<Program>
    var launches = 1
  }

  init(options: [String: Any], _ make: @escaping ([String: Any]) -> Program) {
    self.make = LoopBound(make)
    state = Mutex(State(program: LoopBound(make(options))))
  }

  /// The program of the process that runs now. Read it again after each run of the world instead of keeping it.
  public var current: Program { state.withLock { $0.program }.value }

  /// How often it was made: 1 until the process is terminated for the first time.
  public var launches: Int { state.withLock { $0.launches } }

  func launch(options: [String: Any]) {
    let next = LoopBound(make.value(options))
    let old = state.withLock { state in
      defer {
        state.program = next
        state.launches += 1
      }
      return state.program
    }
    // Not under the lock: a program may ask for the current one while it is released.
    withExtendedLifetime(old) {}
  }
}

extension World {
  /// Makes a program on a device, and makes it again each time the device's process is terminated: by an event of an exploration
  /// (`Happening.processTermination`) or by `Device.terminateProcess`. The device keeps it.
  ///
  /// ```swift
  /// let app = world.launch(on: phone) { options in App(options: options) }
  /// world.eventually("the app is connected", within: .seconds(60)) { app.current.isConnected }
  /// ```
  ///
  /// What outlives a process of the program, such as its stored settings, is made outside of the closure and passed to each program.
  /// - Parameters:
  ///   - device: where it runs.
  ///   - make: makes the program, with the options that its managers need. It is called while the clock stands still; it does not
  ///     refer to the world, which would then keep itself in memory.
  public func launch<Program>(
    on device: Device, _ make: @escaping (_ options: [String: Any]) -> Program
  ) -> LaunchedProgram<Program> {
    let program = LaunchedProgram(options: device.options, make)
    device.whenLaunched { [unowned device] in program.launch(options: device.options) }
    return program
  }
}
